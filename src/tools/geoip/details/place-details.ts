import timeZoneAt from "@photostructure/tz-lookup";
import { boundedCache } from "../databases/bounded-cache.js";
import { type RecordPath, readCityRecord, readName, readRecordField } from "../databases/records.js";
import { cityFinder, REGION_CITIES, REGION_CODES, regionFinder, type Subdivision } from "./region-codes.js";

/** The values of a location record besides the country and the coordinates, and of its country. Unknown values are undefined. */
export interface PlaceDetails {
  /** Short English name. */
  readonly countryName: string | undefined;
  /** English name. */
  readonly continent: string | undefined;
  /** The name of the region of the first level. */
  readonly region: string | undefined;
  /** ISO 3166-2 code of the region. */
  readonly regionCode: string | undefined;
  readonly city: string | undefined;
  readonly postalCode: string | undefined;
  /** IANA time zone. */
  readonly timeZone: string | undefined;
  /** Kilometers. */
  readonly accuracyRadiusKm: number | undefined;
  /** The calling code of the country, with a plus sign: if it has several, what they share, or that of the region. */
  readonly callingCode: string | undefined;
  /** All calling codes of the country. */
  readonly callingCodes: string[] | undefined;
  /** The ISO 4217 code of the country's first currency. */
  readonly currency: string | undefined;
}

/** The data about a country that location databases lack. */
export interface CountryOfPlace {
  /** ISO 3166-1 alpha-2 code, or `XK`. */
  readonly code2: string;
  /** Short English name. */
  readonly name: string;
  /** English name. */
  readonly continent: string;
  /** IANA time zones. */
  readonly timeZones: readonly string[];
  /** Subdivisions of all levels. */
  readonly states: readonly Subdivision[];
  readonly callingCodes: readonly string[];
  readonly currencies: readonly { readonly code: string }[];
}

/** MaxMind's nested shape first, which DB-IP's own files have as well, then the flat shapes of ip-location-db and IPinfo. */
const COUNTRY_NAME: readonly RecordPath[] = [["country", "names", "en"], ["country_name"]];
const CONTINENT: readonly RecordPath[] = [["continent", "code"], ["continent_code"]];
const REGION: readonly RecordPath[] = [["subdivisions", "0", "names", "en"], ["state1"], ["region"]];
const REGION_CODE: readonly RecordPath[] = [["subdivisions", "0", "iso_code"], ["region_code"]];
const CITY: readonly RecordPath[] = [["city", "names", "en"], ["city"]];
const POSTAL_CODE: readonly RecordPath[] = [["postal", "code"], ["postcode"], ["postal_code"], ["postal"]];
const TIME_ZONE: readonly RecordPath[] = [["location", "time_zone"], ["timezone"], ["time_zone"]];
const ACCURACY_RADIUS: readonly RecordPath[] = [
  ["location", "accuracy_radius"],
  ["accuracy_radius"],
  ["radius"],
];

/** The continents by the codes of all publishers. */
const CONTINENTS: Readonly<Record<string, string>> = {
  AF: "Africa",
  AN: "Antarctica",
  AS: "Asia",
  EU: "Europe",
  NA: "North America",
  OC: "Oceania",
  SA: "South America",
};

/** The number of regions whose codes are cached, about 100 bytes each. */
const CACHED_REGIONS = 8_192;

/** Half the circumference of the Earth, in kilometers. */
const MAX_RADIUS = 20_038;

/**
 * Returns a function that reads the details in a record of a location database. Missing and invalid fields are unknown; it
 * returns undefined if everything is, and never throws. The details are frozen.
 *
 * The name and the continent of a country are those of `countries`, so that all databases have the same ones. The time zone
 * is that of the record, or else the only one of the country, or else that of the coordinates if it is one of the country:
 * the boundaries of the library are approximate.
 */
export function placeDetailsReader(
  countries: readonly CountryOfPlace[],
): (record: unknown) => PlaceDetails | undefined {
  const byCode = new Map(countries.map((country) => [country.code2, country]));
  const regionFinders = new Map<string, (name: string) => string | undefined>();
  const cityFinders = new Map(
    Object.entries(REGION_CITIES).map(([code, regions]) => [code, cityFinder(regions)]),
  );
  /** The codes of regions by country and name, empty for an unknown one. A name occurs in many records. */
  const regionCodes = boundedCache<string, string>(CACHED_REGIONS);

  function findRegion({ code2, states }: CountryOfPlace, name: string): string | undefined {
    const key = `${code2} ${name}`;
    const known = regionCodes.get(key);
    if (known !== undefined) {
      return known || undefined;
    }
    const find = regionFinders.get(code2) ?? regionFinder(states, REGION_CODES[code2]);
    regionFinders.set(code2, find);
    const code = find(name) ?? "";
    regionCodes.set(key, code);
    return code || undefined;
  }

  return (record) => {
    const place = readCityRecord(record);
    const country = byCode.get(place?.country ?? "");
    const region = readRecordField(record, REGION, readName);
    const city = readRecordField(record, CITY, readName);
    const regionCode =
      country &&
      (readRecordField(record, REGION_CODE, (value) => readRegionCode(value, country)) ??
        (region === undefined
          ? undefined
          : (cityFinders.get(country.code2)?.(region, city ?? "") ?? findRegion(country, region))));
    const details: PlaceDetails = {
      countryName: country?.name ?? readRecordField(record, COUNTRY_NAME, readName),
      continent: country?.continent ?? readRecordField(record, CONTINENT, readContinent),
      region,
      regionCode,
      city,
      postalCode: readRecordField(record, POSTAL_CODE, readName),
      timeZone: readRecordField(record, TIME_ZONE, readTimeZone) ?? timeZoneOf(country, place),
      accuracyRadiusKm: readRecordField(record, ACCURACY_RADIUS, readRadius),
      callingCode: country && callingCodeOf(country.callingCodes, regionCode),
      callingCodes: country && [...country.callingCodes],
      currency: country?.currencies[0]?.code,
    };
    return Object.values(details).some((value) => value !== undefined) ? Object.freeze(details) : undefined;
  };
}

function readContinent(value: unknown): string | undefined {
  return typeof value === "string" && Object.hasOwn(CONTINENTS, value) ? CONTINENTS[value] : undefined;
}

/** The country codes of ITU-T E.164 at the start of a calling code. */
const COUNTRY_CODE = /^\+(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** Calling codes of regions whose country has several without a common country code, by ISO 3166-2 code. */
const CALLING_CODE_OF_REGION: Readonly<Record<string, string>> = { "SH-AC": "+247" };

function callingCodeOf(codes: readonly string[], regionCode = ""): string | undefined {
  const countryCodes = new Set(codes.map((code) => COUNTRY_CODE.exec(code)?.[0]));
  return codes.length > 1 && countryCodes.size === 1
    ? [...countryCodes][0]
    : (CALLING_CODE_OF_REGION[regionCode] ?? codes[0]);
}

/** Reads the part of an ISO 3166-2 code after the country, or a whole code. */
function readRegionCode(value: unknown, { code2, states }: CountryOfPlace): string | undefined {
  return typeof value === "string"
    ? states.find(({ code }) => code === value || code === `${code2}-${value}`)?.code
    : undefined;
}

/** Reads an IANA time zone with an area. Some files have an offset such as `+09:00` instead. */
function readTimeZone(value: unknown): string | undefined {
  return typeof value === "string" &&
    value.length <= 64 &&
    /^[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+){1,2}$/.test(value)
    ? value
    : undefined;
}

function timeZoneOf(
  country: CountryOfPlace | undefined,
  place: ReturnType<typeof readCityRecord>,
): string | undefined {
  const zones = country?.timeZones ?? [];
  if (zones.length < 2 || place?.latitude === undefined || place.longitude === undefined) {
    return zones.length === 1 ? zones[0] : undefined;
  }
  const zone = timeZoneAt(place.latitude, place.longitude);
  return zones.includes(zone) ? zone : undefined;
}

function readRadius(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_RADIUS
    ? value
    : undefined;
}
