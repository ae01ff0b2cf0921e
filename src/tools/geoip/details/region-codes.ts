import regionCities from "./region-cities.json" with { type: "json" };
import regionMap from "./region-map.json" with { type: "json" };
import regionNames from "./region-names.json" with { type: "json" };

/**
 * The ISO 3166-2 codes of regions by country and by the name in location files, for names that are not those of the country
 * data. The places in DB-IP's file tell which subdivision is meant: nine names belong to two. `Rhone-Alpes`, `Provence`,
 * `Bourgogne` and the regions of Madagascar are names for parts of larger subdivisions. Disputed regions are left out.
 */
export const REGION_CODES: Readonly<Record<string, Readonly<Record<string, string>>>> = regionMap;

/**
 * The cities, separated by commas, that are in another subdivision than the name of their region says, or whose region has several
 * subdivisions: by country, by the name of the region in location files, and by ISO 3166-2 code.
 */
export const REGION_CITIES: Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>
> = regionCities;

/**
 * Names of regions in location files that are neither the name nor the native name in the country data, by ISO 3166-2 code:
 * the most frequent ones of DB-IP and MaxMind. Not regions that have been abolished or are not in ISO 3166-2.
 */
export const OTHER_REGION_NAMES: Readonly<Record<string, readonly string[]>> = regionNames;

/** A subdivision of ISO 3166-2. */
export interface Subdivision {
  /** The code, for example `US-CA`. */
  readonly code: string;
  readonly name: string;
  /** Empty if it equals `name` or is unknown. */
  readonly nativeName: string;
  /** The kind of subdivision in lower case, for example `state`. */
  readonly type: string;
  /** The code of the parent; empty at the first level. */
  readonly parent: string;
}

/** Words for a kind of subdivision, which publishers add to a name or omit. */
const KINDS: ReadonlySet<string> = new Set(
  (
    "of the autonomous atoll canton city community county department district division emirate estado " +
    "governorate krai kraj kray oblast oblisi oblysy okrug parish prefecture province region republic respublika state " +
    "municipality territory voblasc voblasts voivodeship"
  ).split(" "),
);

/** Words for a city. A city and the region around it often have the same name. */
const CITY = /\b(?:city|municipality)\b/;

/** A subdivision with its names in the form in which they are compared. */
interface Candidate {
  readonly code: string;
  readonly isFirstLevel: boolean;
  readonly type: string;
  /** All names. */
  readonly names: ReadonlySet<string>;
  /** All names without the words for a kind. */
  readonly bareNames: ReadonlySet<string>;
}

/**
 * Returns a function that finds the code of a region in {@link REGION_CITIES} by its name and that of a city, without the district
 * after it in parentheses; undefined if they are not there.
 */
export function cityFinder(
  regions: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): (region: string, city: string) => string | undefined {
  const codes = new Map(
    Object.entries(regions).flatMap(([region, cities]) =>
      Object.entries(cities).flatMap(([code, names]) =>
        names.split(", ").map((city) => [`${region}, ${fold(city)}`, code] as const),
      ),
    ),
  );
  return (region, city) =>
    Object.hasOwn(regions, region) ? codes.get(`${region}, ${fold(city.replace(/ \(.*/, ""))}`) : undefined;
}

/**
 * Returns a function that finds the ISO 3166-2 code of a region of one country by its name; undefined if the name is not
 * that of exactly one subdivision. Case, accents and punctuation do not matter.
 *
 * A name in `known` has the code there. Otherwise the first level is searched before lower levels. If it does not have the name, names are compared without words such as
 * `Province`; then a city is found only by a name with a word for a city, and a subdivision of a lower level only by a name
 * with the word for its kind.
 */
export function regionFinder(
  subdivisions: readonly Subdivision[],
  known: Readonly<Record<string, string>> = {},
): (name: string) => string | undefined {
  const candidates = subdivisions.map(candidateOf);
  const codes = new Map(Object.entries(known).map(([name, code]) => [fold(name), code]));
  return (name) => {
    const folded = fold(name);
    const code = codes.get(folded);
    if (code !== undefined) {
      return code;
    }
    const named = candidates.filter(({ names }) => names.has(folded));
    const first = named.filter(({ isFirstLevel }) => isFirstLevel);
    const bare = first.length > 0 ? [] : findBare(candidates, folded);
    const found = [first, bare, named].find(({ length }) => length > 0);
    return found?.length === 1 ? found[0]?.code : undefined;
  };
}

function findBare(candidates: readonly Candidate[], folded: string): readonly Candidate[] {
  const bare = bareName(folded);
  const kinds = folded.split(" ").filter((word) => KINDS.has(word));
  return candidates.filter(
    ({ bareNames, type, isFirstLevel }) =>
      bareNames.has(bare) &&
      CITY.test(type) === CITY.test(folded) &&
      (isFirstLevel || kinds.some((kind) => type.split(" ").includes(kind))),
  );
}

function candidateOf({ code, name, nativeName, type, parent }: Subdivision): Candidate {
  const names = [name, nativeName, ...(OTHER_REGION_NAMES[code] ?? [])].map(fold).filter(Boolean);
  return {
    code,
    isFirstLevel: parent === "",
    type,
    names: new Set(names),
    bareNames: new Set(names.map(bareName).filter(Boolean)),
  };
}

/** Letters that have no decomposition into a Latin letter and accents. */
const LETTERS: Readonly<Record<string, string>> = {
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ħ: "h",
  ə: "a",
  ǝ: "a",
  ı: "i",
  ł: "l",
  ß: "ss",
  þ: "th",
};

/** Returns a name in lower case, without accents and apostrophes, and with single spaces between its words. */
function fold(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/[\p{M}'’‘ʻʼ\u02bf\u02be\u0060]/gu, "")
    .toLowerCase()
    .replace(/[æœøđðħəǝıłßþ]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function bareName(folded: string): string {
  return folded
    .split(" ")
    .filter((word) => !KINDS.has(word))
    .join(" ");
}
