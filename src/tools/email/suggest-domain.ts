import { editDistance } from "../../text/edit-distance.js";
import type { EmailLists } from "./email-lists.js";

/** The lists with the domains that exist, and with those that are suggested. */
type SuggestionLists = Pick<EmailLists, "commonProviders" | "freeProviders" | "relays" | "topLevelDomains">;

/** Names with fewer letters have too many neighbors that exist. */
const MIN_LETTERS = 5;
const MAX_SHORT = 6;
const MIN_LETTERS_FOR_TWO_EDITS = 9;

/** Top-level domains that exist and differ from `com` by a missing letter. */
const ALMOST_COM = new Set(["cm", "co", "om"]);

/** The top-level domains that people mean when they misspell one, the most common first. */
const MISSPELLED_TOP_LEVEL_DOMAINS = ["com", "net", "org", "edu", "gov", "info"];

const KEYS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/**
 * Returns the domain that was probably meant: a common provider with one edit (two in a long name), or the same domain below a
 * top-level domain that exists. Undefined for the domain of a provider or a relay, and for one that resembles none.
 *
 * @param domain a domain in A-labels
 */
export function suggestDomain(domain: string, lists: SuggestionLists): string | undefined {
  if (lists.freeProviders.has(domain) || lists.commonProviders.has(domain) || lists.relays.has(domain)) {
    return undefined;
  }
  return nearestProvider(domain, lists) ?? withTopLevelDomain(domain, lists.topLevelDomains);
}

/** The common provider with the fewest edits; of several, the most common one. */
function nearestProvider(domain: string, lists: SuggestionLists): string | undefined {
  const [name, suffix] = splitDomain(domain);
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const provider of lists.commonProviders) {
    const [known, knownSuffix] = splitDomain(provider);
    const limit = known.length < MIN_LETTERS ? 0 : known.length < MIN_LETTERS_FOR_TWO_EDITS ? 1 : 2;
    const edits = editDistance(name, known, limit);
    if (edits > limit || !startsAlike(name, known)) {
      continue;
    }
    const isSame = suffix === knownSuffix;
    if (!isSame && !isMisspelledSuffix(suffix, knownSuffix, limit > 0, lists.topLevelDomains)) {
      continue;
    }
    const total = edits + (isSame ? 0 : 1);
    if (total < least) {
      nearest = provider;
      least = total;
    }
  }
  return nearest;
}

/** The first label, and the rest. */
function splitDomain(domain: string): [name: string, suffix: string] {
  const dot = domain.indexOf(".");
  return [domain.slice(0, dot), domain.slice(dot + 1)];
}

function isMisspelledSuffix(
  suffix: string,
  known: string,
  isDistinctive: boolean,
  topLevelDomains: ReadonlySet<string>,
): boolean {
  return (
    (isDistinctive && known === "com" && ALMOST_COM.has(suffix)) ||
    (!topLevelDomains.has(lastLabel(suffix)) && editDistance(suffix, known, 1) <= 1)
  );
}

function lastLabel(domain: string): string {
  return domain.slice(domain.lastIndexOf(".") + 1);
}

/**
 * Whether the first letter of a short name is that of the known one, or its key is beside it: people rarely get the first letter wrong,
 * and `cloud.com` exists beside `icloud.com`.
 */
function startsAlike(name: string, known: string): boolean {
  const rest = known.slice(1);
  const isOther = name[0] !== known[0] && (name === rest || name.slice(1) === rest);
  return (
    !isOther || known.length > MAX_SHORT || (name !== rest && areNeighbors(name[0] ?? "", known[0] ?? ""))
  );
}

/** Whether two letters are beside each other on most keyboards. */
function areNeighbors(a: string, b: string): boolean {
  const [rowA, rowB] = [a, b].map((key) => KEYS.findIndex((row) => row.includes(key)));
  if (rowA === undefined || rowB === undefined || rowA < 0 || rowB < 0) {
    return false;
  }
  const columns = (KEYS[rowA] ?? "").indexOf(a) - (KEYS[rowB] ?? "").indexOf(b);
  return Math.abs(rowA - rowB) <= 1 && Math.abs(columns) <= 1;
}

/** The domain below the top-level domain that was meant; undefined if its own one exists. */
function withTopLevelDomain(domain: string, topLevelDomains: ReadonlySet<string>): string | undefined {
  const last = lastLabel(domain);
  if (topLevelDomains.has(last)) {
    return undefined;
  }
  const swapped = [...last].reverse().join("");
  const meant =
    last.length === 2
      ? topLevelDomains.has(swapped) && swapped
      : (MISSPELLED_TOP_LEVEL_DOMAINS.find((each) => editDistance(last, each, 1) === 1) ??
        [last.replace(/(.)\1+/g, "$1")].find((each) => topLevelDomains.has(each)));
  return meant ? domain.slice(0, -last.length) + meant : undefined;
}
