import { searchText } from "../../../../src/tools/countries/search/search-text.js";
import type { Sources } from "../sources.js";
import { LANGUAGES } from "./languages.js";

/** The fewest official names that share a word which their short names lack. */
const MIN_OFFICIAL_NAMES = 3;
/** The fewest names of groups of islands that share a word. */
const MIN_ISLANDS = 4;
/** The fewest countries that have a type of subdivisions. */
const MIN_TYPES = 3;

/** Words in the types of subdivisions that are in the names of cities as well: Benin City is not in Benin. */
const TYPES_OF_CITIES: ReadonlySet<string> = new Set(["city", "town", "capital"]);

/**
 * Finds the words that say what a country is, and not which one, such as `republic`, in the form of the search: words that the official
 * names of several countries have in a language and their short ones lack, the words for islands and republics in the short names,
 * and the types of subdivisions. In languages without spaces, they are endings or beginnings of names.
 */
export function buildGenericWords(
  sources: Sources,
  types: readonly (readonly string[])[],
): readonly string[] {
  return [
    ...new Set([
      ...ofOfficialNames(sources),
      ...ofShortNames(sources),
      ...shared(
        types.map((all) => all.flatMap((type) => searchText(type).words)),
        MIN_TYPES,
      ).filter((word) => !TYPES_OF_CITIES.has(word)),
    ]),
  ].sort();
}

/** Without countries whose official names have the name or the inhabitants of another one, such as `French Southern Territories`. */
function ofOfficialNames({ facts }: Sources): readonly string[] {
  const all = [...facts.values()];
  const own = all.filter(({ cca2, name: { official } }) => {
    const { words } = searchText(official);
    return !all.some(
      (other) =>
        other.cca2 !== cca2 &&
        [other.name.common, other.demonyms.eng.m].some((each) => words.includes(each.toLowerCase())),
    );
  });
  const languages = new Set(all.flatMap(({ translations }) => Object.keys(translations)));
  const lists = [
    own.map(({ name }) => name),
    ...[...languages].map((language) => own.flatMap(({ translations }) => translations[language] ?? [])),
  ];
  return lists.flatMap((names) =>
    shared(
      names.map(({ common, official }) => {
        const known = searchText(common).words;
        return searchText(official)
          .words.map((word) => withoutBeginning(word, known[0] ?? ""))
          .filter((word) => !known.includes(word));
      }),
      MIN_OFFICIAL_NAMES,
    ),
  );
}

/** Removes what a word without spaces has in common with a name: `法兰西共和国` of `法国` is not generic, `阿根廷共和国` of `阿根廷` is. */
function withoutBeginning(word: string, name: string): string {
  return isWithoutSpaces(word) && word.startsWith(name) ? word.slice(name.length) : word;
}

function isWithoutSpaces(word: string): boolean {
  return word.charCodeAt(0) >= 0x0e00;
}

/** Words for islands: only groups of islands have them. Words for a republic: of several countries, only two have them. */
function ofShortNames({ territoryNames }: Sources): readonly string[] {
  const english = territoryNames.get("en") ?? new Map<string, readonly string[]>();
  const islands = [...english].flatMap(([code, [name = ""]]) => (name.endsWith(" Islands") ? [code] : []));
  return LANGUAGES.flatMap((language) => {
    const names = territoryNames.get(language) ?? new Map<string, readonly string[]>();
    const wordsOf = (code: string) => (names.get(code) ?? []).flatMap((name) => searchText(name).words);
    const others = new Set([...names.keys()].filter((code) => !islands.includes(code)).flatMap(wordsOf));
    const ofIslands = shared(islands.map(wordsOf), MIN_ISLANDS).filter((word) => !others.has(word));
    const [first = "", second = ""] = ["CF", "DO"].map((code) => names.get(code)?.[0] ?? "");
    const elsewhere = new Set(
      [...names.keys()].filter((code) => code !== "CF" && code !== "DO").flatMap(wordsOf),
    );
    const republic = shared(
      [first, second].map((name) => searchText(name).words),
      2,
    );
    return [...ofIslands, ...republic.filter((word) => !elsewhere.has(word))];
  });
}

/** The words that so many of some lists have. A single character of a script without spaces has too many meanings. */
function shared(lists: readonly (readonly string[])[], least: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const word of lists.flatMap((list) => [...new Set(list)])) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .filter(([word, count]) => word.length >= (isWithoutSpaces(word) ? 2 : 1) && count >= least)
    .map(([word]) => word);
}
