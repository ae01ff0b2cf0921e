import { type Failure, fail, ok, type Result } from "../../failures/result.js";

/** What is known of domains and of names before the `@`. All texts are in lower case, and domains in A-labels. */
export interface EmailLists {
  /** Domains whose addresses are thrown away after use, of the list that can be downloaded. */
  readonly disposable: ReadonlySet<string>;
  /** Such domains that only another list has, which is long. */
  readonly moreDisposable: Pick<ReadonlySet<string>, "has" | "keys">;
  /** Domains with mailboxes for everyone. */
  readonly freeProviders: ReadonlySet<string>;
  /** The domains among them that most people use, the most common first. */
  readonly commonProviders: ReadonlySet<string>;
  /** Domains whose addresses forward to another mailbox of the user. */
  readonly relays: ReadonlySet<string>;
  /** Names of functions. */
  readonly roleNames: ReadonlySet<string>;
  /** The top-level domains that exist. */
  readonly topLevelDomains: ReadonlySet<string>;
}

/** Lists without entries. */
export const NO_LISTS: EmailLists = {
  disposable: new Set(),
  moreDisposable: new Set(),
  freeProviders: new Set(),
  commonProviders: new Set(),
  relays: new Set(),
  roleNames: new Set(),
  topLevelDomains: new Set(),
};

/** Why a list cannot be used. The description continues a sentence that begins with the file. */
export type BrokenList = Failure<"BROKEN_EMAIL_LIST">;

const DOMAIN = /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/;
const NAME = /^[a-z0-9._-]{1,64}$/;

/** Reads a list of domains, one per line. */
export function parseDomains(text: string): Result<ReadonlySet<string>, BrokenList> {
  return parseLines(text, DOMAIN, "a domain in lower case");
}

/** Reads a list of names before the `@`, or of top-level domains, one per line. */
export function parseNameList(text: string): Result<ReadonlySet<string>, BrokenList> {
  return parseLines(text, NAME, "a name in lower case");
}

/** Blank lines, and those that begin with `#`, are skipped. */
function parseLines(text: string, pattern: RegExp, what: string): Result<ReadonlySet<string>, BrokenList> {
  const values = new Set<string>();
  for (const [index, line] of text.split("\n").entries()) {
    const value = line.trim();
    if (value === "" || value.startsWith("#")) {
      continue;
    }
    if (!pattern.test(value)) {
      return fail("BROKEN_EMAIL_LIST", `has a line that is not ${what}: ${index + 1}`);
    }
    values.add(value);
  }
  return values.size === 0 ? fail("BROKEN_EMAIL_LIST", "is empty") : ok(values);
}
