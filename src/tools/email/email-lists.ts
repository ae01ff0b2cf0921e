import { type Failure, fail, ok, type Result } from "../../failures/result.js";

/** What is known of domains and of names before the `@`. All texts are in lower case, and domains in A-labels. */
export interface EmailLists {
  /** Domains whose addresses are thrown away after use. */
  readonly disposable: ReadonlySet<string>;
  /** Domains with mailboxes for everyone. */
  readonly freeProviders: ReadonlySet<string>;
  /** Names of functions. */
  readonly roleNames: ReadonlySet<string>;
  /** The domains that misspelled ones stand for. */
  readonly misspelled: ReadonlyMap<string, string>;
}

/** Lists without entries. */
export const NO_LISTS: EmailLists = {
  disposable: new Set(),
  freeProviders: new Set(),
  roleNames: new Set(),
  misspelled: new Map(),
};

/** Why a list cannot be used. The description continues a sentence that begins with the file. */
export type BrokenList = Failure<"BROKEN_EMAIL_LIST">;

const DOMAIN = /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/;
const NAME = /^[a-z0-9._-]{1,64}$/;

/** Reads a list of domains, one per line. */
export function parseDomains(text: string): Result<ReadonlySet<string>, BrokenList> {
  return parseLines(text, DOMAIN, "a domain in lower case");
}

/** Reads a list of names, one per line. */
export function parseRoleNames(text: string): Result<ReadonlySet<string>, BrokenList> {
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

/** Reads the misspelled domains: the columns `typo`, `domain` and `kind`, with tabs between them, and a header. */
export function parseMisspellings(text: string): Result<ReadonlyMap<string, string>, BrokenList> {
  const domains = new Map<string, string>();
  const [header, ...lines] = text.trimEnd().split("\n");
  if (header !== "typo\tdomain\tkind") {
    return fail("BROKEN_EMAIL_LIST", "does not begin with the header typo, domain, kind");
  }
  for (const [index, line] of lines.entries()) {
    const [typo = "", domain = ""] = line.split("\t");
    if (!DOMAIN.test(typo) || !DOMAIN.test(domain)) {
      return fail("BROKEN_EMAIL_LIST", `has a line that is not two domains: ${index + 2}`);
    }
    domains.set(typo, domain);
  }
  return ok(domains);
}
