import type { MailProvider } from "./provider-rules.js";

/** The rules of normalization in the order of their application. Part of the API. */
export type EmailRuleName =
  | "EXTRACT_ADDRESS"
  | "TRIM"
  | "NORMALIZE_UNICODE"
  | "NORMALIZE_DOMAIN"
  | "UNQUOTE"
  | "LOWER_CASE"
  | "UNDO_SUBDOMAIN_ADDRESS"
  | "REMOVE_SUFFIX"
  | "FOLD_CHARACTERS"
  | "FOLD_DOMAIN";

/** Called after each rule with the whole address, and with the provider if the rule is one of a provider. */
export type NoteRule = (rule: EmailRuleName, address: string, provider?: MailProvider) => void;

/** The effect of one rule. */
export interface EmailStep {
  readonly rule: EmailRuleName;
  /** For people. */
  readonly description: string;
  /** The whole address after the rule. */
  readonly result: string;
  /** The name of the provider; empty for a rule of all domains. */
  readonly provider: string;
  /** The pages that the rule is from. */
  readonly references: readonly string[];
}

interface RuleText {
  readonly describe: (provider: MailProvider | undefined) => string;
  /** Undefined for the rules of providers, which have their own. */
  readonly references?: readonly string[];
}

const quotedList = (characters: string): string => Array.from(characters, (one) => `“${one}”`).join(", ");

const RULES: Readonly<Record<EmailRuleName, RuleText>> = {
  EXTRACT_ADDRESS: {
    describe: () => "A mailto: link, a display name and angle brackets are not a part of an address.",
    references: [
      "https://www.rfc-editor.org/rfc/rfc6068#section-2",
      "https://www.rfc-editor.org/rfc/rfc5322#section-3.4",
    ],
  },
  TRIM: { describe: () => "White space and quotes around an address are not a part of it.", references: [] },
  NORMALIZE_UNICODE: {
    describe: () => "Unicode text is converted to its normal form C, and a full-width @ to @.",
    references: ["https://www.rfc-editor.org/rfc/rfc6532#section-3.1"],
  },
  NORMALIZE_DOMAIN: {
    describe: () =>
      "Domains are not case-sensitive; those with letters outside ASCII are converted to A-labels.",
    references: [
      "https://www.rfc-editor.org/rfc/rfc5890#section-2.3.2.1",
      "https://www.unicode.org/reports/tr46/",
    ],
  },
  UNQUOTE: {
    describe: () => "Unnecessary quotes and backslashes are removed.",
    references: ["https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2"],
  },
  LOWER_CASE: {
    describe: () => "Mail servers should ignore case, and nearly all do.",
    references: ["https://www.rfc-editor.org/rfc/rfc5321#section-2.4"],
  },
  UNDO_SUBDOMAIN_ADDRESS: {
    describe: (provider) =>
      `At ${provider?.name} a label before the domain is the user, and the part before the @ is an alias.`,
  },
  REMOVE_SUFFIX: {
    describe: () => "Text after a plus sign is a tag and does not affect delivery.",
    references: ["https://www.rfc-editor.org/rfc/rfc5233"],
  },
  FOLD_CHARACTERS: {
    describe: (provider) => {
      const { name, ignored = "", likeDot = "" } = provider ?? {};
      return [
        ...(ignored === "" ? [] : [`${name} ignores ${quotedList(ignored)} in a name.`]),
        ...(likeDot === "" ? [] : [`${name} treats ${quotedList(likeDot)} in a name as a dot.`]),
      ].join(" ");
    },
  },
  FOLD_DOMAIN: {
    describe: (provider) => `A name is the same mailbox at each of these domains of ${provider?.name}.`,
  },
};

/** Creates a recorder of the rules that change an address: `note` adds to `steps`. */
export function createRuleTrail(input: string): {
  readonly note: NoteRule;
  readonly steps: readonly EmailStep[];
} {
  const steps: EmailStep[] = [];
  let last = input;
  const note: NoteRule = (rule, address, provider) => {
    if (address === last) {
      return;
    }
    last = address;
    const { describe, references } = RULES[rule];
    steps.push({
      rule,
      description: describe(provider),
      result: address,
      provider: references === undefined ? (provider?.name ?? "") : "",
      references: references ?? provider?.sources ?? [],
    });
  };
  return { note, steps };
}
