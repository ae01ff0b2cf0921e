import type { Country, CountrySearchData } from "../../../src/tools/countries/country.js";
import { searchText } from "../../../src/tools/countries/search/search-text.js";
import { buildDemonyms } from "./facts/build-facts.js";
import { ALTERNATIVE_NAMES, FORMER_COUNTRIES, FORMER_NAMES } from "./search-names.js";
import type { Sources } from "./sources.js";

/** The names that a country has without the search. */
type Named = Pick<Country, "code2" | "name" | "officialName" | "nativeName" | "languages">;

/**
 * Collects the names by which a country is only searched. Each name is there once: the search does not distinguish
 * `St. Lucia` and `Saint Lucia`. Throws an Error for an entry of our tables that is there twice.
 */
export function buildSearchData(
  country: Named,
  phonePrefixes: readonly string[],
  sources: Sources,
): CountrySearchData {
  const { code2 } = country;
  const known = new Set([country.name, country.officialName, country.nativeName].map(compact));
  const onlyNew = (names: readonly string[]) =>
    names
      .map((name) => name.replace(/[\u200e\u200f]/g, "").normalize("NFC"))
      .filter((name) => {
        const isNew = !known.has(compact(name));
        known.add(compact(name));
        return isNew;
      });
  const ours = (names: readonly string[]) => {
    if (onlyNew(names).length < names.length) {
      throw new Error(`${code2} already has one of the names ${names.join(", ")}`);
    }
    return names;
  };

  const { ofEnglish, ofLanguages } = cldrNames(country, sources);
  const ofFormerCountries = FORMER_COUNTRIES.filter(({ codes }) => codes.includes(code2));
  const formerNames = ours([
    ...(FORMER_NAMES[code2] ?? []),
    ...ofFormerCountries.flatMap(({ names }) => names),
  ]);
  const common = ours(ALTERNATIVE_NAMES[code2] ?? []);
  const isoName = sources.isoCountries.find(({ alpha2 }) => alpha2 === code2)?.name ?? [];
  return {
    alternativeNames: [
      ...common,
      ...onlyNew([...ofEnglish, sources.listed[code2]?.name ?? [], isoName].flat()),
    ],
    localNames: onlyNew(ofLanguages),
    formerNames,
    demonyms: buildDemonyms(code2, sources),
    phonePrefixes,
    population: sources.database.get(code2)?.population ?? 0,
  };
}

function compact(name: string): string {
  return searchText(name).compact;
}

/**
 * The names of a country in CLDR: in English, and in the other official languages, in all their scripts and as written in the
 * country itself.
 */
function cldrNames({ code2, languages }: Named, { territoryNames }: Sources) {
  const spoken = new Set(languages.map(({ code }) => code).filter((code) => code !== "en"));
  return {
    ofEnglish: territoryNames.get("en")?.get(code2) ?? [],
    ofLanguages: [...territoryNames].flatMap(([locale, names]) => {
      const [language = "", ...parts] = locale.split("-");
      const isLocal = parts.every((part) => part === code2 || /^[A-Z][a-z]{3}$/.test(part));
      return spoken.has(language) && isLocal ? (names.get(code2) ?? []) : [];
    }),
  };
}
