import { createRequire } from "node:module";
import type { Country } from "../../../../src/tools/countries/country.js";
import { searchText } from "../../../../src/tools/countries/search/search-text.js";
import type { Sources } from "../sources.js";
import type { Alias } from "./find-names.js";
import { LANGUAGES } from "./languages.js";

/** Capitals, cities with so many inhabitants, and cities with so many names have names in several languages. */
const MIN_POPULATION = 1_000_000;
const MIN_NAMES = 42;

/** Cities outside of Europe with fewer names have names in Latin letters that are mostly spellings of one name. */
const MIN_NAMES_IN_LATIN = 80;

/** The scripts of the languages with most speakers. GeoNames has names in others, which are left out, so that the file stays small. */
const SCRIPTS = "Latin Cyrillic Greek Arabic Hebrew Devanagari Bengali Tamil Thai Han Katakana Hangul"
  .split(" ")
  .map((script) => new RegExp(`\\p{Script=${script}}`, "u"));

/**
 * Codes of airports, names with a word for a city, and transcriptions of names in other scripts, which GeoNames writes in lower case or with
 * letters that few languages have in these places.
 */
const NO_NAME = new RegExp(
  [
    "^\\p{Lu}{1,4}$|^[^\\p{Lu}\\p{Lo}]|[*\\[/()]| {2}| - ",
    "^(?:Amphoe|Bandar|Changwat|City|Gemeente|Gorod|Grad|Kota|Lungsod|Mueang|Stad|Thanh|Thành) ",
    "[ -](?:borg|chhi|City|emiraat|hsien|kenti|khot|osh|Province|shaary|shahri|Shehiri|[Ss]hih?|Stad)$",
    "^[ -~]*(?:[DKZdkz]h|[Dd]j|tch|[bcdfghklmnprstvwxz][jy][aeiou]|[aeiou]j[aeiou]|ij|iy|yy|uu|ii|aa|eh[^aeiou]|[Xx][aeiou]|q[^u]|'|-[a-z])[ -~]*$",
  ].join("|"),
  "u",
);

function isCommon(name: string): boolean {
  return SCRIPTS.some((script) => script.test(name));
}

/** The types of the package are wrong for Node. */
const { Converter } = createRequire(import.meta.url)("opencc-js/t2cn") as {
  readonly Converter: (options: { readonly from: "t"; readonly to: "cn" }) => (text: string) => string;
};

/** Most Chinese names in GeoNames have traditional characters. */
const simplified = Converter({ from: "t", to: "cn" });

/** A city and its names, the usual ones first. */
export interface NamedCity {
  readonly code2: string;
  readonly aliases: readonly Alias[];
}

/** Returns capitals and large cities with their names in many languages, the largest city first. */
export function namedCities(
  { cities, zoneCities, languageNames }: Sources,
  countries: readonly Country[],
): readonly NamedCity[] {
  const compact = (name: string) => searchText(name).compact;
  const europe = new Set(
    countries.filter(({ continent }) => continent === "Europe").map(({ code2 }) => code2),
  );
  const capitals = new Map(countries.map(({ code2, capital }) => [code2, compact(capital)]));
  const found = new Set<string>();
  // GeoNames has names of languages in some places. In alphabets of Europe, cities have the same names.
  const languages = new Set(
    [...languageNames.values()]
      .flatMap((all) => LANGUAGES.map((language) => all[language] ?? ""))
      .filter((name) => !/^[\p{Script=Latin}\p{Script=Cyrillic}]/u.test(name))
      .map(compact),
  );
  // A locale lacks the zones of which it has only the name in the zone itself.
  const zones = new Map(
    [...zoneCities.values()]
      .flatMap((locale) => [...locale.keys()])
      .map((zone) => [compact(zoneCities.get("en")?.get(zone) ?? zone.replaceAll("_", " ")), zone]),
  );
  return cities
    .toSorted((a, b) => b.population - a.population)
    .flatMap(({ countrycode: code2, name, alternatenames, population }) => {
      const all = [name, ...alternatenames];
      const isNamed = (each: string) => compact(each) === capitals.get(code2);
      const isCapital = isNamed(name) || (!found.has(code2) && alternatenames.some(isNamed));
      if (isCapital) {
        // Quarters have the name of the capital among their names, too.
        found.add(code2);
      }
      if (!isCapital && population < MIN_POPULATION && alternatenames.length < MIN_NAMES) {
        return [];
      }
      const hasLatin = isCapital || europe.has(code2) || alternatenames.length >= MIN_NAMES_IN_LATIN;
      const kind = isCapital ? ("capital" as const) : ("city" as const);
      const key = all.map(compact).find((each) => zones.has(each)) ?? "";
      const zone = zones.get(key) ?? "";
      zones.delete(key);
      const ofZone = LANGUAGES.flatMap((language) => {
        const value = zoneCities.get(language)?.get(zone);
        return value === undefined || !isCommon(value) ? [] : [{ name: value, language, kind }];
      });
      // GeoNames has names without their diacritics first.
      const isAscii = (value: string) => Number(/^[ -~]*$/.test(value));
      const others = alternatenames
        .toSorted((a, b) => isAscii(a) - isAscii(b))
        .filter(
          (value) =>
            !NO_NAME.test(value) &&
            !languages.has(compact(value)) &&
            isCommon(value) &&
            (hasLatin || !/^\p{Script=Latin}/u.test(value)),
        );
      const ofCity = [name, ...others.flatMap((value) => [value, simplified(value)])].map((value) => ({
        name: value,
        language: "",
        kind,
      }));
      return [{ code2, aliases: [...ofZone, ...ofCity] }];
    });
}
