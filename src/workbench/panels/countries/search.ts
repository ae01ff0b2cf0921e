import { foldText } from "../../../fold-text.js";

/** The fields of a country that are searched. */
interface SearchedCountry {
  readonly code2: string;
  readonly code3: string;
  readonly name: string;
  readonly capital: string;
}

/** A country, prepared for searching. */
interface IndexedCountry<T extends SearchedCountry> {
  readonly country: T;
  readonly codes: readonly string[];
  /** English name, native name and capital, folded, with a space before every word. */
  readonly names: readonly string[];
}

/** Prepares countries for {@link searchCountries}. `nativeNames` are by alpha-2 code. */
export function createSearchIndex<T extends SearchedCountry>(
  countries: readonly T[],
  nativeNames: Readonly<Record<string, string>>,
): IndexedCountry<T>[] {
  return countries.map((country) => ({
    country,
    codes: [country.code2, country.code3].map(foldText),
    names: [country.name, nativeNames[country.code2] ?? "", country.capital].map(
      (name) => ` ${foldText(name)}`,
    ),
  }));
}

/**
 * Returns the countries that match a text, best first, otherwise in their order. The ranks: a code equals the text; the English
 * name starts with it; the native name or the capital starts with it; each word of the text starts a word of these names. Case,
 * diacritics and punctuation are ignored. An empty text matches all.
 */
export function searchCountries<T extends SearchedCountry>(
  index: readonly IndexedCountry<T>[],
  text: string,
): T[] {
  const query = foldText(text);
  const ranked = index.map((one) => ({ country: one.country, rank: rankOf(one, query) }));
  return [0, 1, 2, 3].flatMap((rank) =>
    ranked.filter((one) => one.rank === rank).map(({ country }) => country),
  );
}

/** Returns the rank of a country, 0 being the best; undefined if it does not match. */
function rankOf(
  { codes, names }: Pick<IndexedCountry<SearchedCountry>, "codes" | "names">,
  query: string,
): number | undefined {
  if (codes.includes(query)) {
    return 0;
  }
  const first = names.findIndex((name) => name.startsWith(` ${query}`));
  if (first !== -1) {
    return first === 0 ? 1 : 2;
  }
  const words = query.split(" ");
  return words.every((word) => names.some((name) => name.includes(` ${word}`))) ? 3 : undefined;
}

/** The fields of a state that are searched. */
interface SearchedState {
  readonly code: string;
  readonly name: string;
  readonly nativeName: string;
  readonly type: string;
  readonly parent: string;
}

/** Returns the states in which each word of a text starts a word, in their order. Ignores case and diacritics. */
export function filterStates<T extends SearchedState>(states: readonly T[], text: string): T[] {
  const words = foldText(text).split(" ");
  return states.filter(({ code, name, nativeName, type, parent }) => {
    const all = ` ${foldText([code, name, nativeName, type, parent].join(" "))}`;
    return words.every((word) => all.includes(` ${word}`));
  });
}
