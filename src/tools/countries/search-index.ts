import { domainToASCII } from "node:url";
import type { Country, State } from "./country.js";
import { type AliasKind, CODE_KINDS, type CountryNames } from "./country-names.js";
import { coreOf } from "./generic-words.js";
import { indexCurrencyName, type NamedCurrency } from "./index-currencies.js";
import { codeKey, type SearchText, searchText } from "./search-text.js";
import { indexSimilarNames, type SimilarNames } from "./similar-names.js";

/** What a value of a country is. Of several values of a country that match equally well, the one of the first kind counts. */
export const TERM_KINDS = [
  "alpha2",
  "alpha3",
  "numeric",
  "flag",
  "name",
  "officialName",
  "alternativeName",
  "localName",
  "translatedName",
  "otherName",
  "part",
  "demonym",
  "formerName",
  "capital",
  "city",
  "callingCode",
  "currency",
  "otherCode",
  "currencyName",
  "topLevelDomain",
  "timeZone",
  "formerCode",
  "formerCurrency",
  "subdivisionCode",
  "subdivisionName",
] as const;

/** A kind of value by which a country is found. */
export type TermKind = (typeof TERM_KINDS)[number];

/** The kinds of names that a country has today. */
export const CURRENT_NAMES: ReadonlySet<TermKind> = new Set([
  "name",
  "officialName",
  "alternativeName",
  "localName",
  "translatedName",
]);

const KIND_OF_ALIAS: Readonly<Record<AliasKind, TermKind>> = {
  name: "otherName",
  part: "part",
  former: "formerName",
  demonym: "demonym",
  capital: "capital",
  city: "city",
  code: "otherCode",
  formerCode: "formerCode",
  formerCurrency: "formerCurrency",
  timeZone: "timeZone",
  domain: "topLevelDomain",
};

/** A value by which a country is found. */
export interface SearchTerm {
  readonly country: Country;
  readonly kind: TermKind;
  /** The value as the data has it, for example `DE-BY` or `Bayern`. */
  readonly value: string;
  /** The language of a name (BCP 47); empty for codes and if it is unknown. If several have the name, one of them. */
  readonly language: string;
  /** The subdivision with this value; undefined for a value of the country itself. */
  readonly state: State | undefined;
}

/** A name by which a country is found. */
export interface NameTerm extends SearchTerm, SearchText {}

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
    const term: SearchTerm = {
      country,
      kind: "currencyName",
      value: symbol,
      language: "",
      state: undefined,
    };
    if (/\p{Sc}/u.test(symbol)) {
      append(codes, codeKey(symbol), term);
    } else if (symbolKey(symbol).length > 1) {
      append(currencySymbols, symbolKey(symbol), term);
    }
  }
}

/** The ends of English demonyms that have no plural with `s`: `Swiss`, `French`, `Polish`, `Chinese`. */
const WITHOUT_PLURAL = /(?:s|x|[cs]h|ese)$/;

/** The names of a country and of its subdivisions. Of equal names of the country, the one of the first kind. */
function nameTerms(country: Country, names: CountryNames): readonly NameTerm[] {
  const terms: NameTerm[] = [];
  const known = new Set<string>();
  const translations = translationsOf(country, names);
  const add = (kind: TermKind, value: string, language: string, text: SearchText) => {
    if (text.compact !== "" && !known.has(text.compact)) {
      known.add(text.compact);
      terms.push({
        country,
        kind,
        value,
        language,
        state: undefined,
        words: text.words,
        compact: text.compact,
      });
    }
  };
  const addName = (kind: TermKind, value: string, language: string) =>
    add(kind, value, language, searchText(value));
  const addLocalName = (value: string) => {
    const text = searchText(value);
    add("localName", value, localLanguage(country, translations, text.compact), text);
  };

  const { alternativeNames, localNames, formerNames, demonyms } = country.search;
  addName("name", country.name, "en");
  addName("officialName", country.officialName, "en");
  addLocalName(country.nativeName);
  alternativeNames.forEach((name) => {
    addName("alternativeName", name, "en");
  });
  localNames.forEach(addLocalName);
  for (const { value, language, words, compact } of translations) {
    add("translatedName", value, language, { words, compact });
  }
  const aliases = names.aliases.get(country.code2) ?? [];
  const addAliases = (wanted: AliasKind) => {
    for (const { names: own, language } of aliases.filter(({ kind }) => kind === wanted)) {
      own.forEach((name) => {
        addName(KIND_OF_ALIAS[wanted], name, language);
      });
    }
  };
  addAliases("name");
  addAliases("part");
  for (const { name, language } of demonyms) {
    addName("demonym", name, language);
    if (language === "en" && !WITHOUT_PLURAL.test(name)) {
      add("demonym", name, language, searchText(`${name}s`));
    }
  }
  addAliases("demonym");
  formerNames.forEach((name) => {
    addName("formerName", name, "en");
  });
  addAliases("former");
  addName("capital", country.capital, "");
  addAliases("capital");
  addAliases("city");

  for (const state of country.states) {
    for (const value of new Set([state.name, state.nativeName])) {
      const { words, compact } = searchText(value);
      if (compact !== "") {
        terms.push({ country, kind: "subdivisionName", value, language: "", state, words, compact });
      }
    }
  }
  return terms;
}

/** The language of a local name: an official one in which the country has this name, or else its only one. Empty if it is unknown. */
function localLanguage(
  { languages }: Country,
  translations: readonly { readonly language: string; readonly compact: string }[],
  compact: string,
): string {
  const found = translations.filter((each) => each.compact === compact);
  for (const { code } of languages) {
    const own = found.find(({ language }) => language.split("-")[0] === code);
    if (own !== undefined) {
      return own.language;
    }
  }
  return languages.length === 1 ? (languages[0]?.code ?? "") : "";
}

/** Abbreviations of CLDR for islands in Russian, Bulgarian and Ukrainian, and the words. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  "о-ва": "острова",
  "о-ви": "острови",
  "о-в": "остров",
};

/** The forms of a name that users type: as it is, German with `ae`, `oe` and `ue`, and without abbreviations. */
function formsOf(name: string, language: string): readonly string[] {
  const other = /^de\b/.test(language)
    ? name.replaceAll(/[äöü]/gi, withE)
    : name.replace(/(?<![^\s])о-(?:ва|ви|в)(?![^\s])/i, (word) => ABBREVIATIONS[word.toLowerCase()] ?? word);
  return other === name ? [name] : [name, other];
}

/** The names of a country in all languages, in all their forms. */
function translationsOf({ code2 }: Country, { codes, languages }: CountryNames) {
  const index = codes.indexOf(code2);
  const texts = new Map<string, SearchText>();
  const prepare = (value: string) => {
    const text = texts.get(value) ?? searchText(value);
    texts.set(value, text);
    return text;
  };
  return [...languages].flatMap(([language, all]) =>
    (all[index] ?? []).flatMap((value) =>
      formsOf(value, language).map((form) => ({ value, language, ...prepare(form) })),
    ),
  );
}

function withE(letter: string): string {
  return `${letter.normalize("NFD").slice(0, 1)}e`;
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
