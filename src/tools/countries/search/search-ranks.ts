import type { Country } from "../country.js";
import { type SearchTerm, TERM_KINDS, type TermKind } from "./search-terms.js";

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
  ...{ callingCode: 7, currency: 7, otherCode: 7, topLevelDomain: 7, timeZone: 7 },
  ...{ formerCode: 8, subdivisionName: 9, currencyName: 10, formerCurrency: 11 },
};

/** The ranks of one penalty: more than there are tiers. */
const RANKS_PER_EDIT = 20;
/** The ranks of one type of match: more than there are of all penalties. */
const RANKS_PER_MATCH = 10 * RANKS_PER_EDIT;

/**
 * The rank of each kind of value by type of match; lower is better. A part of the name of a subdivision is less likely than any match of a
 * country.
 */
const RANKS = Object.fromEntries(
  MATCHES.map((match, index) => [
    match,
    Object.fromEntries(
      TERM_KINDS.map((kind) => {
        const isPartOfState = kind === "subdivisionName" && match !== "exact" && match !== "part";
        return [kind, (index + (isPartOfState ? MATCHES.length : 0)) * RANKS_PER_MATCH + TIERS[kind]];
      }),
    ),
  ]),
) as Record<MatchType, Record<TermKind, number>>;

/** The order of kinds within a tier, for the values of one country. */
const ORDER = Object.fromEntries(TERM_KINDS.map((kind, index) => [kind, index])) as Record<TermKind, number>;

/** A match and its rank; lower is better. */
interface Ranked extends CountryMatch {
  readonly rank: number;
}

/** The best matches of a search so far. */
export interface FoundCountries {
  /** Adds a match; `penalty` below 10 separates matches of one type, and 10 is the next type. */
  readonly add: (term: SearchTerm, match: MatchType, penalty?: number) => void;
  /** The number of countries with matches of the types before one. */
  readonly countBefore: (match: MatchType) => number;
  /** Whether a country was found by its own code or name, or by the whole name of a subdivision. */
  readonly isEnough: () => boolean;
  /** Whether a value of a country itself is the query. */
  readonly hasExact: () => boolean;
  /** The matches, the best first. */
  readonly sorted: (limit: number) => readonly CountryMatch[];
}

/** Collects the best match of each country. */
export function createFound(): FoundCountries {
  const best = new Map<Country, Ranked>();
  const some = (test: (match: Ranked) => boolean) => [...best.values()].some(test);
  return {
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
    countBefore: (match) => [...best.values()].filter(({ rank }) => rank < RANKS[match].alpha2).length,
    isEnough: () =>
      some(
        ({ term, match, rank }) =>
          match === "exact" ||
          (term.state === undefined &&
            (rank < RANKS.similar.alpha2 || match === "similar" || match === "part")),
      ),
    hasExact: () => some(({ term, match }) => match === "exact" && term.state === undefined),
    sorted: (limit) => [...best.values()].sort(compare).slice(0, limit),
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
