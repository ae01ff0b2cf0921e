import { type Failure, fail, ok, type Result } from "../../failures/result.js";

/** A currency. */
export interface Currency {
  /** ISO 4217 code, for example `EUR`. */
  readonly code: string;
  /** English name. */
  readonly name: string;
  /** The symbol used where the currency is legal tender; empty if the code is used instead. */
  readonly symbol: string;
  /** The number of decimal places of the minor unit by ISO 4217. */
  readonly minorUnits: number;
}

/** A language. */
export interface Language {
  /** ISO 639-1 code, or ISO 639-3 if there is no shorter one. */
  readonly code: string;
  /** English name. */
  readonly name: string;
  /** The name in the language itself. */
  readonly nativeName: string;
}

/** A point on the globe in degrees (WGS 84), with at most 4 decimals. */
export interface Coordinates {
  /** Latitude, north positive. */
  readonly lat: number;
  /** Longitude, east positive. */
  readonly lon: number;
}

/** A subdivision of a country. */
export interface State {
  /** ISO 3166-2 code, for example `FR-IDF`. */
  readonly code: string;
  /** The name, in English if there is an English one. */
  readonly name: string;
  /** The local name; empty if it equals `name` or is unknown. */
  readonly nativeName: string;
  /** The kind of subdivision, in lower case. */
  readonly type: string;
  /** The ISO 3166-2 code of the parent subdivision; empty at the first level. */
  readonly parent: string;
}

/** What only the search uses. A name that differs from another one only in case, accents or articles is there once. */
export interface CountrySearchData {
  /** Other English names, and abbreviations. */
  readonly alternativeNames: readonly string[];
  /** Names in the official languages, besides the native name. */
  readonly localNames: readonly string[];
  /** Names that the country or its territory had before. */
  readonly formerNames: readonly string[];
  /** What the inhabitants are called, and what belongs to the country. */
  readonly demonyms: readonly Demonym[];
  /** Beginnings of telephone numbers with a calling code that several countries share, for example `+1416`. */
  readonly phonePrefixes: readonly string[];
  /** The approximate number of inhabitants; 0 if unknown. */
  readonly population: number;
}

/** A word for the inhabitants of a country, and for what belongs to it. */
export interface Demonym {
  readonly name: string;
  /** ISO 639-1 code. */
  readonly language: string;
}

/** The sides of a road, and none. */
export const DRIVING_SIDES = ["", "left", "right"] as const;
export type DrivingSide = (typeof DRIVING_SIDES)[number];

/** The days with which weeks start. */
export const WEEK_STARTS = ["friday", "saturday", "sunday", "monday"] as const;
export type WeekStart = (typeof WEEK_STARTS)[number];

/** The measurement systems of CLDR. */
export const MEASUREMENT_SYSTEMS = ["metric", "uk", "us"] as const;
export type MeasurementSystem = (typeof MEASUREMENT_SYSTEMS)[number];

/** A country or territory of ISO 3166-1, or Kosovo. */
export interface Country {
  /** ISO 3166-1 alpha-2 code. */
  readonly code2: string;
  /** ISO 3166-1 alpha-3 code. */
  readonly code3: string;
  /** ISO 3166-1 numeric code, three digits; empty for Kosovo. */
  readonly numeric: string;
  /** Short English name. */
  readonly name: string;
  /** Official English name. */
  readonly officialName: string;
  /** The name in a language of the country. */
  readonly nativeName: string;
  /** The flag: two regional indicator symbols. */
  readonly flag: string;
  /** Capital; empty if there is none. */
  readonly capital: string;
  /** Region by UN M49; empty for Antarctica. */
  readonly region: string;
  /** Narrowest subregion by UN M49; empty for Antarctica. */
  readonly subregion: string;
  /** Continent. */
  readonly continent: string;
  /** A representative point for maps. */
  readonly coordinates: Coordinates;
  /** Currencies that are legal tender, the main one first. */
  readonly currencies: readonly Currency[];
  /** Official languages, the most used one first. */
  readonly languages: readonly Language[];
  /** Calling codes with their plus sign. */
  readonly callingCodes: readonly string[];
  /** Country-code top-level domain with its dot; empty if none is delegated. */
  readonly topLevelDomain: string;
  /** IANA time zones. */
  readonly timeZones: readonly string[];
  /** Whether EU law applies: a member state, or a territory of one with its own code. */
  readonly eu: boolean;
  /** Subdivisions, ordered by code. */
  readonly states: readonly State[];
  /** Alpha-2 codes of the countries with a land border, in order. */
  readonly borders: readonly string[];
  /** Area with inland waters in square kilometers. */
  readonly areaKm2: number;
  /** Whether it has no coast on the sea. */
  readonly landlocked: boolean;
  /** Whether it is a member of the United Nations. */
  readonly unMember: boolean;
  /** The side of the road on which people drive; empty without public roads. */
  readonly drivingSide: DrivingSide;
  /** The day with which a week starts in calendars. */
  readonly weekStart: WeekStart;
  readonly measurementSystem: MeasurementSystem;
  /** English; empty if nobody lives there. */
  readonly demonym: string;
  /** Formats separated by `|`, with `#` for a digit, `@` for a letter and `*` for either; empty if there are none. */
  readonly postalCodeFormat: string;
  readonly search: CountrySearchData;
}

/** All countries, for listing and lookup. */
export interface CountryIndex {
  /** In the order of the data file: by name. */
  readonly countries: readonly Country[];
  /** By alpha-2 and by alpha-3 code, in upper case. */
  readonly byCode: ReadonlyMap<string, Country>;
}

/** Indexes countries by both codes. */
export function indexCountries(countries: readonly Country[]): CountryIndex {
  const byCode = new Map<string, Country>();
  for (const country of countries) {
    byCode.set(country.code2, country);
    byCode.set(country.code3, country);
  }
  return { countries, byCode };
}

/** Codes that ISO 3166-1 reserves for what is no country. */
export const RESERVED_CODES: Readonly<Record<string, string>> = {
  EU: "the European Union",
  EZ: "the euro area",
  UN: "the United Nations",
};

/** Finds a country by its alpha-2 or alpha-3 code in upper case. The failure has the code as metadata `country`. */
export function findCountry(
  { byCode }: CountryIndex,
  code: string,
): Result<Country, Failure<"COUNTRY_NOT_FOUND">> {
  const country = byCode.get(code);
  const owner = RESERVED_CODES[code];
  const reserved = owner === undefined ? "" : `, which reserves it for ${owner}`;
  return country
    ? ok(country)
    : fail("COUNTRY_NOT_FOUND", `no country has the code ${code} in ISO 3166-1${reserved}`, {
        country: code,
      });
}

/** Reads an ISO 3166-1 alpha-2 or alpha-3 code in any case. Returns it in upper case; the country may not exist. */
export function parseCountryCode(text: string): Result<string, Failure<"REQUIRED" | "INVALID_COUNTRY_CODE">> {
  if (text === "") {
    return fail(
      "REQUIRED",
      "must not be empty: a 2- or 3-letter country code, for example FR or FRA; without the parameter, all countries are listed",
    );
  }
  if (!/^[A-Za-z]{2,3}$/.test(text)) {
    return fail("INVALID_COUNTRY_CODE", "must be a 2- or 3-letter country code, for example FR or FRA");
  }
  return ok(text.toUpperCase());
}
