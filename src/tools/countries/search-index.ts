import type { Country, State } from "./country.js";
import { type SearchText, searchText } from "./search-text.js";

/** What a value of a country is. Of several values that match equally well, the one of the first kind counts. */
export const TERM_KINDS = [
  "alpha2",
  "alpha3",
  "numeric",
  "name",
  "officialName",
  "alternativeName",
  "localName",
  "formerName",
  "capital",
  "callingCode",
  "currency",
  "topLevelDomain",
  "timeZone",
  "subdivisionCode",
  "subdivisionName",
] as const;

/** A kind of value by which a country is found. */
export type TermKind = (typeof TERM_KINDS)[number];

/** A value by which a country is found. */
export interface SearchTerm {
  readonly country: Country;
  readonly kind: TermKind;
  /** The value as the data has it, for example `DE-BY` or `Bayern`. */
  readonly value: string;
  /** The subdivision with this value; undefined for a value of the country itself. */
  readonly state: State | undefined;
}

/** A name by which a country is found. */
export interface NameTerm extends SearchTerm, SearchText {}

/** All values by which countries are found. */
export interface SearchIndex {
  /** Codes, in the form of {@link codeKey}. */
  readonly codes: ReadonlyMap<string, readonly SearchTerm[]>;
  /** Names, by the {@link nameKey} of their words: by the first character, and by the first two. */
  readonly names: ReadonlyMap<string, readonly NameTerm[]>;
}

/** The form of a code in {@link SearchIndex}: lower case, without spaces, underscores and parentheses. */
export function codeKey(text: string): string {
  return text.replaceAll(/[\s_()]/g, "").toLowerCase();
}

/** The form of a word in {@link SearchIndex}: its first two UTF-16 units, or the only one. */
export function nameKey(word: string): string {
  return word.slice(0, 2);
}

/** Indexes countries and their subdivisions by all codes and names. Takes about 20 milliseconds. */
export function createSearchIndex(countries: readonly Country[]): SearchIndex {
  const codes = new Map<string, SearchTerm[]>();
  const names = new Map<string, NameTerm[]>();

  // Countries have an empty text for a value that does not exist.
  const addCode = (country: Country, kind: TermKind, value: string, form = value, state?: State) => {
    if (value !== "") {
      append(codes, codeKey(form), { country, kind, value, state });
    }
  };
  const addName = (country: Country, kind: TermKind, value: string, state?: State) => {
    if (value === "") {
      return;
    }
    const { words, compact } = searchText(value);
    const term = { country, kind, value, state, words, compact };
    for (const word of words) {
      append(names, word.slice(0, 1), term);
      if (word.length > 1) {
        append(names, nameKey(word), term);
      }
    }
  };

  for (const country of countries) {
    addCode(country, "alpha2", country.code2);
    addCode(country, "alpha3", country.code3);
    addCode(country, "numeric", country.numeric);
    for (const code of country.callingCodes) {
      addCode(country, "callingCode", code);
      addCode(country, "callingCode", code, code.slice(1));
    }
    for (const { code } of country.currencies) {
      addCode(country, "currency", code);
    }
    addCode(country, "topLevelDomain", country.topLevelDomain);
    addCode(country, "topLevelDomain", country.topLevelDomain, country.topLevelDomain.slice(1));
    for (const zone of country.timeZones) {
      addCode(country, "timeZone", zone);
    }

    addName(country, "name", country.name);
    addName(country, "officialName", country.officialName);
    addName(country, "localName", country.nativeName);
    addName(country, "capital", country.capital);
    const { alternativeNames, localNames, formerNames } = country.search;
    for (const name of alternativeNames) {
      addName(country, "alternativeName", name);
    }
    for (const name of localNames) {
      addName(country, "localName", name);
    }
    for (const name of formerNames) {
      addName(country, "formerName", name);
    }

    for (const state of country.states) {
      addCode(country, "subdivisionCode", state.code, state.code, state);
      addName(country, "subdivisionName", state.name, state);
      addName(country, "subdivisionName", state.nativeName, state);
    }
  }
  return { codes, names };
}

/** Adds an item to the list of a key, unless it is the last one there. */
function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) {
    lists.set(key, [item]);
  } else if (list.at(-1) !== item) {
    list.push(item);
  }
}
