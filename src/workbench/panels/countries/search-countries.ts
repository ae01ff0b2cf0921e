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
  /** The name, the country's own name and the capital, folded and each with a space in front of every word. */
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
    names: [country.name, nativeNames[country.code2] ?? "", country.capital].map(
      (name) => ` ${foldText(name)}`,
    ),
  }));
}

/**
 * The countries that fit a text, best first and otherwise in their order: one of its codes is the text; its
 * English name begins with it; its own name or its capital does; each word of the text begins a word of one of these. Case, diacritics and punctuation do
 * not count. An empty text fits all.
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

/** The lower, the better; undefined for what does not fit. */
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
