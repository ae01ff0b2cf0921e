import { domainToASCII } from "node:url";
import type { Country, State } from "../country.js";
import { CODE_KINDS, type CountryNames } from "../country-names.js";
import { coreOf } from "./generic-words.js";
import { indexCurrencyName, type NamedCurrency } from "./index-currencies.js";
import { nameTerms } from "./name-terms.js";
import {
  CURRENT_NAMES,
  KIND_OF_ALIAS,
  type NameTerm,
  type SearchTerm,
  type TermKind,
} from "./search-terms.js";
import { codeKey, searchText } from "./search-text.js";
import { indexSimilarNames, type SimilarNames } from "./similar-names.js";

/** Lists by a text, and the texts in the order of code units, to find those with a beginning. */
export interface SortedLists {
  readonly lists: ReadonlyMap<string, readonly NameTerm[]>;
  readonly keys: readonly string[];
}

/** All values by which countries are found. */
export interface SearchIndex {
  /** Codes, in the form of {@link codeKey}. */
  readonly codes: ReadonlyMap<string, readonly SearchTerm[]>;
  /** Codes of subdivisions without that of the country, in lower case, if they are two or three letters: `ma`. */
  readonly stateCodes: ReadonlyMap<string, readonly SearchTerm[]>;
  /** Currency symbols of several letters, such as `zł`, in the form of {@link symbolKey}. Others are codes. */
  readonly currencySymbols: ReadonlyMap<string, readonly SearchTerm[]>;
  /** Names of currencies and of their units in their compact form. They are found only as a whole: {@link findCurrencies}. */
  readonly currencyNames: ReadonlyMap<string, readonly NamedCurrency[]>;
  /** Names by their compact form. */
  readonly names: SortedLists;
  /** Names of several words by each of them. */
  readonly words: SortedLists;
  /** Names with generic words, by their compact form without them: `korea` of `Republic of Korea`. */
  readonly cores: ReadonlyMap<string, readonly NameTerm[]>;
  /** The compact forms of current names of countries, and those of their other names, without generic words. */
  readonly similar: readonly [current: SimilarNames, other: SimilarNames];
  /** Words that say what a country is, and not which one. */
  readonly generic: ReadonlySet<string>;
  readonly similarGeneric: SimilarNames;
  /** The compact forms of continents and regions: `southamerica`. */
  readonly regions: ReadonlySet<string>;
  /** The last words of continents: `america`. */
  readonly continents: ReadonlySet<string>;
}

/** Returns the names with a word. */
export function termsWithWord({ words, names }: SearchIndex, word: string): readonly NameTerm[] {
  return [...(words.lists.get(word) ?? []), ...(names.lists.get(word) ?? [])];
}

/** The form of a time zone in which separators of words do not matter: `America/Port au Prince`. */
export function zoneKey(text: string): string {
  return text.replaceAll("-", "");
}

/** The form of a currency symbol in {@link SearchIndex}: that of a code, without dots. */
export function symbolKey(text: string): string {
  return codeKey(text).replaceAll(".", "");
}

/** Finds the countries in which a currency with this name is or was legal tender, also by a plural with `s`. */
export function findCurrencies(
  { codes, currencyNames }: SearchIndex,
  compact: string,
): readonly SearchTerm[] {
  const found = [...new Set([compact, compact.replace(/s$/, "")])].flatMap(
    (form) => currencyNames.get(form) ?? [],
  );
  return found.flatMap(({ code, name, language }) =>
    (codes.get(codeKey(code)) ?? []).flatMap((term) => {
      if (term.value !== code || (term.kind !== "currency" && term.kind !== "formerCurrency")) {
        return [];
      }
      const kind = term.kind === "currency" ? "currencyName" : term.kind;
      return [{ ...term, kind, value: name, language }];
    }),
  );
}

/** Indexes countries and their subdivisions by all codes and names. Takes about 0.4 seconds. */
export function createSearchIndex(countries: readonly Country[], names: CountryNames): SearchIndex {
  const steps = indexSteps(countries, names);
  for (;;) {
    const step = steps.next();
    if (step.done) {
      return step.value;
    }
  }
}

/** The longest time without a pause in milliseconds, except for one step. */
const SLICE = 4;

/**
 * The same as {@link createSearchIndex}, in slices of a few milliseconds, so that other requests do not wait.
 *
 * @param pause the time between two slices in milliseconds, at least 1: a port that closes waits for a short turn of the event loop
 */
export async function createSearchIndexInSlices(
  countries: readonly Country[],
  names: CountryNames,
  pause: () => number,
): Promise<SearchIndex> {
  const steps = indexSteps(countries, names);
  for (let start = performance.now(); ; ) {
    const step = steps.next();
    if (step.done) {
      return step.value;
    }
    if (performance.now() - start > SLICE) {
      await new Promise((resolve) => setTimeout(resolve, pause()));
      start = performance.now();
    }
  }
}

/** Builds the index. Each step takes a few milliseconds at most. */
function* indexSteps(countries: readonly Country[], names: CountryNames): Generator<void, SearchIndex> {
  const codes = new Map<string, SearchTerm[]>();
  const stateCodes = new Map<string, SearchTerm[]>();
  const currencySymbols = new Map<string, SearchTerm[]>();
  const currencyNames = new Map<string, NamedCurrency[]>();
  const exact = new Map<string, NameTerm[]>();
  const words = new Map<string, NameTerm[]>();
  const cores = new Map<string, NameTerm[]>();
  const generic = names.genericWords;
  const current = new Set<string>();
  const other = new Set<string>();

  for (const country of countries) {
    addCodes(country, names, codes, stateCodes);
    addCurrencySymbols(country, codes, currencySymbols);
    for (const term of nameTerms(country, names)) {
      append(exact, term.compact, term);
      // A single word is the whole name. A list for each of them would need much memory.
      for (const word of term.words.length > 1 ? term.words : []) {
        append(words, word, term);
      }
      const core = coreOf(term, generic).compact;
      if (core !== "" && core !== term.compact) {
        append(cores, core, term);
      }
      if (core !== "" && term.state === undefined) {
        (CURRENT_NAMES.has(term.kind) ? current : other).add(core);
      }
    }
    yield;
  }
  for (const { code, name } of countries.flatMap((country) => country.currencies)) {
    indexCurrencyName({ code, name, language: "en" }, currencyNames);
  }
  for (const [code, all] of names.currencies) {
    for (const name of all) {
      indexCurrencyName({ code, ...name }, currencyNames);
    }
  }
  yield;
  const sortedNames = { lists: exact, keys: [...exact.keys()].sort() };
  yield;
  const sortedWords = { lists: words, keys: [...words.keys()].sort() };
  yield;
  const similar = [indexSimilarNames([...current]), indexSimilarNames([...other])] as const;
  return {
    codes,
    stateCodes,
    currencySymbols,
    currencyNames,
    names: sortedNames,
    words: sortedWords,
    cores,
    similar,
    generic,
    similarGeneric: indexSimilarNames([...generic]),
    regions: textsOf(countries.flatMap(({ continent, region, subregion }) => [continent, region, subregion])),
    continents: textsOf(countries.map(({ continent }) => continent.split(" ").at(-1) ?? "")),
  };
}

function addCodes(
  country: Country,
  { aliases }: CountryNames,
  codes: Map<string, SearchTerm[]>,
  stateCodes: Map<string, SearchTerm[]>,
): void {
  // Countries have an empty text for a value that does not exist.
  const add = (kind: TermKind, value: string, form = value, state?: State, map = codes) => {
    if (value !== "") {
      append(map, codeKey(form), { country, kind, value, language: "", state });
    }
  };
  add("alpha2", country.code2);
  add("alpha3", country.code3);
  add("numeric", country.numeric);
  add("flag", country.flag);
  for (const code of country.callingCodes) {
    add("callingCode", code);
    add("callingCode", code, code.slice(1));
  }
  for (const prefix of country.search.phonePrefixes) {
    add("callingCode", country.callingCodes.find((code) => prefix.startsWith(code)) ?? prefix, prefix);
  }
  for (const { code } of country.currencies) {
    add("currency", code);
  }
  const addDomain = (domain: string) => {
    for (const form of new Set([domain, `.${domainToASCII(domain.slice(1))}`])) {
      add("topLevelDomain", domain, form);
      add("topLevelDomain", domain, form.slice(1));
    }
  };
  if (country.topLevelDomain !== "") {
    addDomain(country.topLevelDomain);
  }
  for (const zone of country.timeZones) {
    add("timeZone", zone);
    add("timeZone", zone, zoneKey(zone));
  }
  for (const state of country.states) {
    add("subdivisionCode", state.code, state.code, state);
    if (/-[A-Z]{2,3}$/.test(state.code)) {
      add("subdivisionCode", state.code, state.code.slice(3), state, stateCodes);
    }
  }
  for (const { names, kind } of aliases.get(country.code2) ?? []) {
    for (const name of CODE_KINDS.some((each) => each === kind) ? names : []) {
      if (kind === "domain") {
        addDomain(name);
      } else {
        add(KIND_OF_ALIAS[kind], name);
      }
    }
  }
}

/** The compact forms of some names. */
function textsOf(names: readonly string[]): ReadonlySet<string> {
  return new Set([...new Set(names)].map((name) => searchText(name).compact));
}

/** A symbol with a sign, such as `R$`, is a code. One of a single letter, such as `M`, is not indexed: it is the beginning of a name. */
function addCurrencySymbols(
  country: Country,
  codes: Map<string, SearchTerm[]>,
  currencySymbols: Map<string, SearchTerm[]>,
): void {
  for (const { symbol } of country.currencies) {
    const term: SearchTerm = { country, kind: "currencyName", value: symbol, language: "", state: undefined };
    if (/\p{Sc}/u.test(symbol)) {
      append(codes, codeKey(symbol), term);
    } else if (symbolKey(symbol).length > 1) {
      append(currencySymbols, symbolKey(symbol), term);
    }
  }
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
