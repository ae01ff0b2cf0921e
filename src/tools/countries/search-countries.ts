import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import type { Country } from "./country.js";
import { findCodes } from "./search-codes.js";
import {
  CURRENT_NAMES,
  codeKey,
  type NameTerm,
  type SearchIndex,
  type SearchTerm,
  type SortedLists,
  symbolKey,
  TERM_KINDS,
  type TermKind,
} from "./search-index.js";
import { type SearchText, searchText, withoutArticle } from "./search-text.js";
import { findSimilarNames, type SimilarNames } from "./similar-names.js";

/** The length limit of a query in Unicode code points. */
const MAX_QUERY_LENGTH = 100;
/** The number of results unless the request says otherwise. */
const DEFAULT_LIMIT = 20;
/** The limit of results: all countries. */
const MAX_LIMIT = 250;

/** How a value matches a query, the best one first. `part`: the query has the value and other words. */
export const MATCHES = ["exact", "start", "words", "similar", "part"] as const;

/** How a value matches a query. */
export type MatchType = (typeof MATCHES)[number];

/** A value that matches a query. */
export interface CountryMatch {
  readonly term: SearchTerm;
  readonly match: MatchType;
}

/** Values of which equal matches are in order of population; lower ones precede higher ones. */
const TIERS: Readonly<Record<TermKind, number>> = {
  ...{ alpha2: 0, alpha3: 0, numeric: 0, flag: 0, subdivisionCode: 0 },
  ...{ name: 1, officialName: 1 },
  ...{ alternativeName: 2, localName: 2, translatedName: 2 },
  ...{ otherName: 3, part: 4, demonym: 5, formerName: 6, capital: 7, city: 8 },
  ...{ callingCode: 7, currency: 7, topLevelDomain: 7, timeZone: 7 },
  ...{ subdivisionName: 9, currencyName: 10 },
};

/** The ranks of one penalty: more than there are tiers. */
const RANKS_PER_EDIT = 20;
/** The ranks of one type of match: more than there are of all penalties. */
const RANKS_PER_MATCH = 10 * RANKS_PER_EDIT;
/** The penalty of currency symbols of letters, such as `Le`: they are more often the beginning of a name. */
const BELOW_LONGER_NAMES = 10;

/**
 * The rank of each kind of value by type of match; lower is better. A part of the name of a subdivision is less likely than any match of a
 * country.
 */
const RANKS = Object.fromEntries(
  MATCHES.map((match, index) => [
    match,
    Object.fromEntries(
      TERM_KINDS.map((kind) => {
        const isPartOfState = kind === "subdivisionName" && match !== "exact";
        return [kind, (index + (isPartOfState ? MATCHES.length : 0)) * RANKS_PER_MATCH + TIERS[kind]];
      }),
    ),
  ]),
) as Record<MatchType, Record<TermKind, number>>;

/** The order of kinds within a tier, for the values of one country. */
const ORDER = Object.fromEntries(TERM_KINDS.map((kind, index) => [kind, index])) as Record<TermKind, number>;

/** The smallest share of a longer query that a name in it has. A smaller part is more often the country that owns the one meant. */
const MIN_PART = 0.4;
/** The most words of such a name. */
const MAX_PART_WORDS = 6;

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
interface Ranked extends CountryMatch {
  readonly rank: number;
}

/** The best matches of a search so far. */
interface Found {
  readonly best: Map<Country, Ranked>;
  /** Adds a match; `penalty` below 10 separates matches of one type, and 10 is the next type. */
  readonly add: (term: SearchTerm, match: MatchType, penalty?: number) => void;
  /** Whether a country was found by its own code or name, or by the whole name of a subdivision. */
  readonly isEnough: () => boolean;
}

/**
 * Finds countries, each with the value that matches best: a code or a name that is equal to the query, then names that start with
 * it, then names in which each word of the query starts a word. If no value of a country matches, current names with a small
 * difference are added; if there are none, other names with a small difference; and if there are none, current names that are a part
 * of the query. Equal matches are in the order of
 * their kinds, then by population.
 *
 * @param limit - the maximum number of results
 */
export function searchCountries(index: SearchIndex, query: string, limit: number): readonly CountryMatch[] {
  const found = createFound();
  const { terms, match, isCode } = findCodes(index, query);
  for (const term of terms) {
    found.add(term, match);
  }
  const code = codeKey(query);
  // A numeric code without its zeros. A calling code with these digits is more likely.
  for (const term of /^[0-9]{1,2}$/.test(code) ? (index.codes.get(code.padStart(3, "0")) ?? []) : []) {
    found.add(term, "start");
  }
  const text = searchText(isCode ? "" : query);
  for (const term of isCode ? [] : (index.currencySymbols.get(symbolKey(query)) ?? [])) {
    found.add(term, "exact", BELOW_LONGER_NAMES);
  }
  if (text.compact !== "") {
    addNames(index, query, text, limit, found);
  }
  return [...found.best.values()].sort(compare).slice(0, limit);
}

function addNames(index: SearchIndex, query: string, text: SearchText, limit: number, found: Found): void {
  addEqualNames(index, text, found);
  for (const term of index.currencyNames.get(text.compact) ?? []) {
    found.add(term, "exact");
  }
  // A single Latin letter starts a tenth of all names.
  if (query.length > 1 || found.best.size === 0) {
    addLongerNames(index, text, limit, found);
  }
  if (found.isEnough()) {
    return;
  }
  const rest = withoutArticle(text);
  if (rest !== undefined) {
    addEqualNames(index, rest, found);
  }
  const texts = rest === undefined ? [text] : [text, rest];
  for (const names of index.similar) {
    if (!found.isEnough()) {
      addSimilarNames(index, names, texts, found);
    }
  }
  if (!found.isEnough()) {
    addPartsOfQuery(index, text, found);
  }
}

/** Adds names of countries with a small difference. A wrong first letter is rare. */
function addSimilarNames(
  { names: { lists } }: SearchIndex,
  names: SimilarNames,
  texts: readonly SearchText[],
  { add }: Found,
): void {
  for (const { compact } of texts) {
    for (const { name, edits } of findSimilarNames(names, compact)) {
      const penalty = edits + (name[0] === compact[0] ? 0 : 0.5);
      for (const term of lists.get(name) ?? []) {
        if (term.state === undefined) {
          add(term, "similar", penalty);
        }
      }
    }
  }
}

function addEqualNames({ names }: SearchIndex, { compact }: SearchText, { add }: Found): void {
  for (const term of names.lists.get(compact) ?? []) {
    add(term, "exact");
  }
}

/**
 * Adds names that start with the query, and names with words that start with its words. The latter are worse, so that they are not needed
 * if enough countries are found.
 */
function addLongerNames(index: SearchIndex, text: SearchText, limit: number, { best, add }: Found): void {
  visitStartingWith(index.names, text.compact, (term) => {
    add(term, "start");
  });
  if (best.size >= limit) {
    const better = [...best.values()].filter(({ rank }) => rank < RANKS.words.alpha2);
    if (better.length >= limit) {
      return;
    }
  }
  const longest = text.words.reduce((longer, word) => (word.length > longer.length ? word : longer), "");
  const others = text.words.filter((word) => word !== longest);
  visitStartingWith(index.words, longest, (term) => {
    if (others.every((word) => term.words.some((each) => each.startsWith(word)))) {
      add(term, "words");
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

/** Adds current names that are some words of the query, for example `Iran` of `Iran Islamic`; longer ones precede. */
function addPartsOfQuery({ names }: SearchIndex, { words, compact }: SearchText, { add }: Found): void {
  const least = MIN_PART * compact.length;
  words.forEach((_, start) => {
    let part = "";
    for (const word of words.slice(start, start + MAX_PART_WORDS)) {
      part += word;
      for (const term of part.length >= least ? (names.lists.get(part) ?? []) : []) {
        if (CURRENT_NAMES.has(term.kind)) {
          add(term, "part", 9 * (1 - part.length / compact.length));
        }
      }
    }
  });
}

function createFound(): Found {
  const best = new Map<Country, Ranked>();
  return {
    best,
    add(term, match, penalty = 0) {
      const rank = RANKS[match][term.kind] + penalty * RANKS_PER_EDIT;
      const known = best.get(term.country);
      if (
        known === undefined ||
        rank < known.rank ||
        (rank === known.rank && ORDER[term.kind] < ORDER[known.term.kind])
      ) {
        best.set(term.country, { term, match, rank });
      }
    },
    isEnough: () =>
      [...best.values()].some(({ term, match }) => match === "exact" || term.state === undefined),
  };
}

function compare(a: Ranked, b: Ranked): number {
  const [first, second] = [a.term.country, b.term.country];
  return (
    a.rank - b.rank ||
    second.search.population - first.search.population ||
    (first.name < second.name ? -1 : 1)
  );
}
