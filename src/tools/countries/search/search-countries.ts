import { type Failure, fail, ok, type Result } from "../../../failures/result.js";
import { RESERVED_CODES } from "../country.js";
import { isGeneric } from "./generic-words.js";
import { findCodes } from "./search-codes.js";
import { findCurrencies, type SearchIndex, type SortedLists, symbolKey } from "./search-index.js";
import { addPartsOfQuery, addPlace } from "./search-parts.js";
import { type CountryMatch, createFound, type FoundCountries } from "./search-ranks.js";
import { addEqualCores, addSimilarNames, correctGeneric } from "./search-similar.js";
import type { NameTerm, TermKind } from "./search-terms.js";
import { codeKey, OPTIONAL_WORDS, type SearchText, searchText, withoutArticle } from "./search-text.js";

/** The length limit of a query in Unicode code points. */
const MAX_QUERY_LENGTH = 100;

/** The penalty of currency symbols of letters, such as `Le`: they are more often the beginning of a name, but not of a city. */
const BELOW_LONGER_NAMES = 9.8;
/** The penalty of codes of three capitals: they precede names, and not codes of ISO 3166-1. */
const ABOVE_NAMES = -0.3;

/**
 * The penalties that put matches below current names with an edit: a long beginning of a later word of a name, or of a rare name, is more
 * often a misspelled name, as in `Boliva`.
 */
const BELOW_SIMILAR_NAMES = { start: 22, words: 12 };
/** The fewest letters of such a beginning. */
const MIN_MISSPELLED = 6;
/** The kinds of rare names. */
const RARE_KINDS: ReadonlySet<TermKind> = new Set(["officialName", "formerName", "part", "demonym"]);

/** The number of countries that are suggested. */
const MAX_SUGGESTED = 5;

/** Reads the text to search for. Returns it without white space around it. */
export function parseQuery(text: string): Result<string, Failure<"REQUIRED" | "QUERY_TOO_LONG">> {
  if (text.trim() === "") {
    return fail("REQUIRED", "is required: a code or a name, for example DE, 276, +49 or Germany");
  }
  // A code point takes one or two UTF-16 units, so a text of more than twice the limit need not be counted.
  if (text.length > 2 * MAX_QUERY_LENGTH || [...text].length > MAX_QUERY_LENGTH) {
    return fail("QUERY_TOO_LONG", `must have at most ${MAX_QUERY_LENGTH} characters`);
  }
  return ok(text.trim());
}

/** What a search finds. */
export interface SearchResult {
  /** The countries that match, the best one first. */
  readonly matches: readonly CountryMatch[];
  /** If none matches: countries that may be meant. */
  readonly suggestions: readonly CountryMatch[];
}

/**
 * Finds countries, each with the value that matches best: a code or a name that is equal to the query, apart from generic words such as
 * `republic`, then names that start with it, then names in which each word of the query starts a word. If no value of a country matches,
 * the country of the last part of a place is found, such as `Paris, Texas`; else a country whose name has a small difference; else one
 * whose name is a part of the query. If it is not certain which country is meant, the countries are suggestions. Equal matches are in
 * the order of their kinds, then by population.
 *
 * @param limit - the maximum number of results
 */
export function searchCountries(index: SearchIndex, query: string, limit: number): SearchResult {
  const named = withCallingCode(index, query, limit);
  if (named !== undefined) {
    return named;
  }
  const [found, suggested] = [createFound(), createFound()];
  const { terms, match, isCode } = findCodes(index, query);
  // In capitals, `KOS` is the team of Kosovo and not the Greek island, and `MAD` a currency and not a team.
  const isCode3 = /^[A-Z]{3}$/.test(query) && terms.every(({ kind }) => kind !== "currency");
  for (const term of terms) {
    found.add(term, match, isCode3 && term.kind === "otherCode" ? ABOVE_NAMES : 0);
  }
  const code = codeKey(query);
  // A numeric code without its zeros. A calling code with these digits is more likely.
  for (const term of /^[0-9]{1,2}$/.test(code) ? (index.codes.get(code.padStart(3, "0")) ?? []) : []) {
    found.add(term, "start");
  }
  const hasSign = /\p{Sc}/u.test(query);
  for (const term of hasSign ? findCurrencies(index, codeKey(query)) : []) {
    found.add(term, "exact");
  }
  const text = searchText(isCode || hasSign || Object.hasOwn(RESERVED_CODES, query) ? "" : query);
  for (const term of isCode ? [] : (index.currencySymbols.get(symbolKey(query)) ?? [])) {
    found.add(term, "exact", BELOW_LONGER_NAMES);
  }
  if (text.compact !== "") {
    addNames(index, query, text, limit, found, suggested);
  }
  const matches = found.sorted(limit);
  return { matches, suggestions: matches.length > 0 ? [] : suggested.sorted(Math.min(limit, MAX_SUGGESTED)) };
}

/** Finds the country of a name before its calling code, such as `Germany (+49)`; undefined for other queries. */
function withCallingCode(index: SearchIndex, query: string, limit: number): SearchResult | undefined {
  const [, name = "", code = ""] = /^(.*[\p{L}\p{RI}].*?)[\s(]+(\+\d[\d\s-]{0,6})\)?$/u.exec(query) ?? [];
  if (name === "") {
    return undefined;
  }
  const digits = `+${code.replaceAll(/\D/g, "")}`;
  const found = searchCountries(index, name, limit);
  const isOwn = found.matches[0]?.term.country.callingCodes.some(
    (each) => each.startsWith(digits) || digits.startsWith(each),
  );
  return isOwn ? found : undefined;
}

function addNames(
  index: SearchIndex,
  query: string,
  text: SearchText,
  limit: number,
  found: FoundCountries,
  suggested: FoundCountries,
): void {
  addEqualNames(index, text, found);
  for (const term of findCurrencies(index, text.compact)) {
    found.add(term, "exact");
  }
  // A single character is often a code or a symbol. A letter may be a sign of vehicles, or the beginning of a name.
  if (query.length > 1 || found.sorted(1).length === 0 || /[a-z]/i.test(query)) {
    addLongerNames(index, text, limit, found);
  }
  if (!found.hasExact()) {
    addEqualCores(index, text, true, found, suggested);
  }
  if (found.isEnough() || index.regions.has(text.compact)) {
    return;
  }
  const rest = withoutArticle(text);
  if (rest !== undefined) {
    addEqualNames(index, rest, found);
  }
  const isPlace = !found.isEnough() && addPlace(index, query, found, suggested);
  if (found.isEnough() || (isPlace && found.sorted(1)[0]?.match === "part")) {
    return;
  }
  const corrected = correctGeneric(index, text);
  if (corrected !== undefined) {
    addEqualCores(index, corrected, false, found, suggested);
  }
  addSimilarNames(
    index,
    [text, rest, corrected].filter((each) => each !== undefined),
    found,
    suggested,
  );
  if (!found.isEnough() && !isPlace) {
    addPartsOfQuery(index, text, found, suggested);
  }
}

function addEqualNames({ names }: SearchIndex, { compact }: SearchText, { add }: FoundCountries): void {
  for (const term of names.lists.get(compact) ?? []) {
    add(term, "exact");
  }
}

/**
 * Adds names that start with the query, and names with words that start with its words. The latter are worse, so that they are not needed
 * if enough countries are found.
 */
function addLongerNames(
  index: SearchIndex,
  { words, compact }: SearchText,
  limit: number,
  { countBefore, add }: FoundCountries,
): void {
  const isLong = words.length === 1 && compact.length >= MIN_MISSPELLED;
  visitStartingWith(index.names, compact, (term) => {
    add(term, "start", isLong && RARE_KINDS.has(term.kind) ? BELOW_SIMILAR_NAMES.start : 0);
  });
  if (countBefore("words") >= limit) {
    return;
  }
  // Few names have a distinctive word.
  const distinctive = words.filter((word) => !isGeneric(word, index.generic));
  const [first = "", ...more] = distinctive.length > 0 ? distinctive : words;
  const longest = more.reduce((longer, word) => (word.length > longer.length ? word : longer), first);
  const others = words.filter((word) => word !== longest && !(more.length > 0 && OPTIONAL_WORDS.has(word)));
  visitStartingWith(index.words, longest, (term) => {
    // A word of a name answers one word of the query.
    const rest = term.words.filter((each) => !each.startsWith(longest));
    if (others.every((word) => rest.some((each) => each.startsWith(word)))) {
      const isRare = !term.words.includes(longest) || RARE_KINDS.has(term.kind);
      add(term, "words", isLong && isRare ? BELOW_SIMILAR_NAMES.words : 0);
    }
  });
}

/** Calls a function with the terms of all keys that start with a text. */
function visitStartingWith(
  { lists, keys }: SortedLists,
  text: string,
  visit: (term: NameTerm) => void,
): void {
  let low = 0;
  for (let high = keys.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? "") < text) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (let key = keys[low]; key?.startsWith(text); key = keys[++low]) {
    for (const term of lists.get(key) ?? []) {
      visit(term);
    }
  }
}
