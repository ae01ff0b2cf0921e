import { foldText } from "./fold-text.js";

/** What of a country is searched. */
interface SearchedCountry {
  readonly code2: string;
  readonly code3: string;
  readonly name: string;
  readonly capital: string;
}

/** A country, prepared for being searched. */
export interface IndexedCountry<T extends SearchedCountry> {
  readonly country: T;
  readonly codes: readonly string[];
  /** The folded names, each with a space in front, so that a word begins where a space is. */
  readonly names: readonly string[];
}

/** Prepares countries for {@link searchCountries}; `nativeNames` are their own names by alpha-2 code. */
export function indexCountries<T extends SearchedCountry>(
  countries: readonly T[],
  nativeNames: Readonly<Record<string, string>>,
): IndexedCountry<T>[] {
  return countries.map((country) => ({
    country,
    codes: [country.code2, country.code3].map(foldText),
    names: [country.name, nativeNames[country.code2] ?? "", country.capital]
      .map(foldText)
      .filter((name) => name !== "")
      .map((name) => ` ${name}`),
  }));
}

/**
 * The countries that fit a text, best first and otherwise in their order: one of its codes is the text; a name (English or
 * its own) or the capital begins with it; each word of the text begins a word of one of these. Case, diacritics and punctuation do
 * not count. An empty text fits all.
 */
export function searchCountries<T extends SearchedCountry>(
  index: readonly IndexedCountry<T>[],
  text: string,
): T[] {
  const query = foldText(text);
  const ranked = index.map((one) => ({ country: one.country, rank: rankOf(one, query) }));
  return [0, 1, 2].flatMap((rank) => ranked.filter((one) => one.rank === rank).map(({ country }) => country));
}

/** The lower, the better; undefined for what does not fit. */
function rankOf(
  { codes, names }: Pick<IndexedCountry<SearchedCountry>, "codes" | "names">,
  query: string,
): number | undefined {
  if (codes.includes(query)) {
    return 0;
  }
  if (names.some((name) => name.startsWith(` ${query}`))) {
    return 1;
  }
  const words = query.split(" ");
  return words.every((word) => names.some((name) => name.includes(` ${word}`))) ? 2 : undefined;
}
