import { valueLabel } from "./labels.js";

/** A step of the normalization of an e-mail address, as JSON: a `utilitytools.v1.EmailStep`. */
interface Step {
  readonly rule: string;
  readonly result: string;
  readonly provider: string;
  readonly references: readonly string[];
}

/** What each rule did, in words. */
const TITLES: Readonly<Record<string, string>> = {
  EMAIL_RULE_EXTRACT_ADDRESS: "Address taken out",
  EMAIL_RULE_TRIM: "Spaces and quotes removed",
  EMAIL_RULE_NORMALIZE_UNICODE: "Characters unified",
  EMAIL_RULE_NORMALIZE_DOMAIN: "Domain in lower case",
  EMAIL_RULE_UNQUOTE: "Quotes removed",
  EMAIL_RULE_LOWER_CASE: "Name in lower case",
  EMAIL_RULE_UNDO_SUBDOMAIN_ADDRESS: "Name taken from the subdomain",
  EMAIL_RULE_REMOVE_SUFFIX: "Tag removed",
  EMAIL_RULE_FOLD_CHARACTERS: "Equal characters unified",
  EMAIL_RULE_FOLD_DOMAIN: "Domain alias replaced",
};

/** Returns what a step did to the address before it: "Dots removed". */
export function titleOfStep({ rule, result }: Pick<Step, "rule" | "result">, before: string): string {
  const domain = before.slice(before.lastIndexOf("@") + 1);
  if (rule === "EMAIL_RULE_NORMALIZE_DOMAIN" && /[^ -~]/.test(domain)) {
    return "Domain in ASCII letters";
  }
  if (rule === "EMAIL_RULE_FOLD_CHARACTERS" && before.replaceAll(".", "") === result.replaceAll(".", "")) {
    return "Dots removed";
  }
  return TITLES[rule] ?? valueLabel({ name: rule, parent: { sharedPrefix: "email_rule_" } });
}

/** Returns the references of a step, each with a short name: "RFC 5321", "Gmail help", or the host. */
export function namedReferences({
  references,
  provider,
}: Pick<Step, "references" | "provider">): { url: string; name: string }[] {
  return references.map((url, index) => {
    const rfc = /\/rfc(\d+)/.exec(url)?.[1];
    const report = /unicode\.org\/reports\/tr(\d+)/.exec(url)?.[1];
    if (rfc !== undefined) {
      return { url, name: `RFC ${rfc}` };
    }
    if (report !== undefined) {
      return { url, name: `UTS #${report}` };
    }
    const name = provider === "" ? new URL(url).hostname : `${provider} help`;
    return { url, name: index === 0 ? name : `${name} (${index + 1})` };
  });
}
