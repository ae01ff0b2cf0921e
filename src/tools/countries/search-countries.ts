import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import type { Country } from "./country.js";
import { editDistance } from "./edit-distance.js";
import {
  codeKey,
  type NameTerm,
  nameKey,
  type SearchIndex,
  type SearchTerm,
  TERM_KINDS,
} from "./search-index.js";
import { type SearchText, searchText } from "./search-text.js";

/** The length limit of a query in Unicode code points. */
const MAX_QUERY_LENGTH = 100;
/** The number of results unless the request says otherwise. */
const DEFAULT_LIMIT = 20;
/** The limit of results: all countries. */
const MAX_LIMIT = 250;

/** How well a term matches, the best one first. A similar name has its number of edits added. */
const MATCH = { exact: 0, start: 1, words: 2, similar: 3 };

/** The number of edits up to which a name of some length is similar. A short name with another letter is another name. */
const EDITS = [
  { length: 8, edits: 2 },
  { length: 4, edits: 1 },
];

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

/** Reads the number of results; undefined is the default. */
export function parseLimit(limit: number | undefined): Result<number, Failure<"INVALID_LIMIT">> {
  if (limit === undefined) {
    return ok(DEFAULT_LIMIT);
  }
  return limit >= 1 && limit <= MAX_LIMIT
    ? ok(limit)
    : fail("INVALID_LIMIT", `must be from 1 to ${MAX_LIMIT}, is ${limit}`);
}

/** A match and its rank; lower is better. */
interface Ranked {
  readonly term: SearchTerm;
  readonly match: number;
  readonly kind: number;
}

/**
 * Finds countries, each with the value that matches best: a code or a name that is equal to the query, then names that start with
 * it, then names in which each word of the query starts a word. If only parts of names of subdivisions match, names of countries
 * with a small difference are added. Equal matches are in the order of {@link TERM_KINDS}, then by population.
 *
 * @param limit - the maximum number of results
 */
export function searchCountries(index: SearchIndex, query: string, limit: number): readonly SearchTerm[] {
  const best = new Map<Country, Ranked>();
  const add = (term: SearchTerm, match: number) => {
    const ranked = { term, match, kind: TERM_KINDS.indexOf(term.kind) };
    const known = best.get(term.country);
    if (known === undefined || compareRanks(ranked, known) < 0) {
      best.set(term.country, ranked);
    }
  };

  const code = codeKey(query);
  for (const term of index.codes.get(code) ?? []) {
    add(term, MATCH.exact);
  }
  // A numeric code without its zeros. A calling code with these digits is more likely.
  for (const term of /^[0-9]{1,2}$/.test(code) ? (index.codes.get(code.padStart(3, "0")) ?? []) : []) {
    add(term, MATCH.start);
  }

  // A query that starts with a dot or a plus sign is a code.
  const text = searchText(/^[.+]/.test(query) ? "" : query);
  for (const term of namesToCompare(index, text)) {
    const match = matchOf(term, text);
    if (match !== undefined) {
      add(term, match);
    }
  }
  const isFound = ({ term, match }: Ranked) => match === MATCH.exact || term.state === undefined;
  if (![...best.values()].some(isFound)) {
    for (const { term, edits } of similarNames(index, text)) {
      add(term, MATCH.similar + edits);
    }
  }
  return [...best.values()]
    .sort(compare)
    .slice(0, limit)
    .map(({ term }) => term);
}

/** The names with a word that starts like the longest word of the query. */
function namesToCompare({ names }: SearchIndex, { words }: SearchText): readonly NameTerm[] {
  const longest = words.reduce((longer, word) => (word.length > longer.length ? word : longer), "");
  return names.get(nameKey(longest)) ?? [];
}

/** Returns how well a name matches; undefined if it does not. */
function matchOf(name: SearchText, query: SearchText): number | undefined {
  if (name.compact.startsWith(query.compact)) {
    return name.compact.length === query.compact.length ? MATCH.exact : MATCH.start;
  }
  const isFound = query.words.every((word) => name.words.some((each) => each.startsWith(word)));
  return isFound ? MATCH.words : undefined;
}

/** Finds names of countries with the same first letter and a small difference. */
function similarNames({ names }: SearchIndex, { compact }: SearchText) {
  const most = EDITS.find(({ length }) => compact.length >= length)?.edits ?? 0;
  return (names.get(compact.slice(0, 1)) ?? []).flatMap((term) => {
    const isClose = Math.abs(term.compact.length - compact.length) <= most && term.state === undefined;
    const edits = isClose && most > 0 ? editDistance(term.compact, compact) : Number.POSITIVE_INFINITY;
    return edits <= most ? [{ term, edits }] : [];
  });
}

function compareRanks(a: Ranked, b: Ranked): number {
  return a.match - b.match || a.kind - b.kind;
}

function compare(a: Ranked, b: Ranked): number {
  const [first, second] = [a.term.country, b.term.country];
  return (
    compareRanks(a, b) ||
    second.search.population - first.search.population ||
    (first.name < second.name ? -1 : 1)
  );
}
