import type { MailProvider } from "./provider-rules.js";

/** The rules of normalisation, in the order in which they are applied. Part of the API: names stay. */
export type EmailRuleName =
  | "TRIM"
  | "NORMALIZE_UNICODE"
  | "NORMALIZE_DOMAIN"
  | "UNQUOTE"
  | "LOWER_CASE"
  | "UNDO_SUBDOMAIN_ADDRESS"
  | "REMOVE_SUFFIX"
  | "FOLD_CHARACTERS"
  | "FOLD_DOMAIN";

/** Is told after each rule what the whole address is by then; whose rule it is, where it is a provider's. */
export type NoteRule = (rule: EmailRuleName, address: string, provider?: MailProvider) => void;

/** What one rule did. */
export interface EmailStep {
  readonly rule: EmailRuleName;
  /** For people. */
  readonly description: string;
  /** The whole address after it. */
  readonly result: string;
  /** The name of the provider whose rule it is; empty for a rule that holds at every domain. */
  readonly provider: string;
  /** Where the rule is published. */
  readonly references: readonly string[];
}

interface RuleText {
  readonly describe: (provider: MailProvider | undefined) => string;
  /** Undefined for the rules of providers, who publish them. */
  readonly references?: readonly string[];
}

const quotedList = (characters: string): string => Array.from(characters, (one) => `“${one}”`).join(", ");

const RULES: Readonly<Record<EmailRuleName, RuleText>> = {
  TRIM: { describe: () => "White space around an address is no part of it.", references: [] },
  NORMALIZE_UNICODE: {
    describe: () => "What Unicode can write in several ways is written in one: its normal form C.",
    references: ["https://www.rfc-editor.org/rfc/rfc6532#section-3.1"],
  },
  NORMALIZE_DOMAIN: {
    describe: () =>
      "Domains do not tell capitals from small letters; those with other letters have A-labels.",
    references: [
      "https://www.rfc-editor.org/rfc/rfc5890#section-2.3.2.1",
      "https://www.unicode.org/reports/tr46/",
    ],
  },
  UNQUOTE: {
    describe: () => "Quotes and backslashes go where they are not needed.",
    references: ["https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2"],
  },
  LOWER_CASE: {
    describe: () => "Hosts are asked not to tell capitals from small letters, and nearly none does.",
    references: ["https://www.rfc-editor.org/rfc/rfc5321#section-2.4"],
  },
  UNDO_SUBDOMAIN_ADDRESS: {
    describe: (provider) =>
      `At ${provider?.name} a label in front of the domain is the user, and what is before the @ an alias.`,
  },
  REMOVE_SUFFIX: {
    describe: () => "From a plus sign on a name only says what the mail is about.",
    references: ["https://www.rfc-editor.org/rfc/rfc5233"],
  },
  FOLD_CHARACTERS: {
    describe: (provider) => {
      const { name, ignored = "", likeDot = "" } = provider ?? {};
      return [
        ...(ignored === "" ? [] : [`At ${name} ${quotedList(ignored)} in a name does not count.`]),
        ...(likeDot === "" ? [] : [`At ${name} ${quotedList(likeDot)} in a name means the same as a dot.`]),
      ].join(" ");
    },
  },
  FOLD_DOMAIN: {
    describe: (provider) => `A name is the same mailbox at each of these domains of ${provider?.name}.`,
  },
};

/** A trail of the rules that changed something on the way from `input`: `note` adds to `steps`. */
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
