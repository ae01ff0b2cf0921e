import { correctAsnName } from "./asn-names.js";
import { findReservedAsn, readAsn } from "./asn-numbers.js";

/** The location of a network, in the parts of a response. Responses share the objects. */
export interface Location {
  readonly location: Readonly<{
    /** ISO 3166-1 alpha-2 code, or `XK`. */
    country: string;
    /** Whether the country is in the European Union. */
    eu: boolean;
  }>;
  readonly coords: Readonly<{
    /** Degrees, north positive, with at most four decimals. */
    lat: number;
    /** Degrees, east positive, with at most four decimals. */
    lon: number;
  }>;
}

/** The location of a network without a record. Unknown values are empty, false and zero. */
export const NOWHERE: Location = locationOf("", false, 0, 0);

/** Reads a record of a location database. Returns undefined for a record without a country and coordinates. */
export function readLocation(record: unknown): Location | undefined {
  const city = readCityRecord(record);
  if (city === undefined) {
    return undefined;
  }
  const { country = "", latitude = 0, longitude = 0 } = city;
  return locationOf(country, isInEuropeanUnion(country), fourDecimals(latitude), fourDecimals(longitude));
}

function locationOf(country: string, eu: boolean, lat: number, lon: number): Location {
  return { location: Object.freeze({ country, eu }), coords: Object.freeze({ lat, lon }) };
}

/** Four decimals are about 11 m. Sources of 32-bit floats have meaningless digits after these. Never -0. */
function fourDecimals(degrees: number): number {
  return Math.round(degrees * 10_000) / 10_000 + 0;
}

/** A record of a location database. Unknown values are undefined. */
export interface CityRecord {
  /** ISO 3166-1 alpha-2 code, or `XK`, in upper case. */
  readonly country: string | undefined;
  /** Degrees, north positive. Undefined if the longitude is. */
  readonly latitude: number | undefined;
  /** Degrees, east positive. Undefined if the latitude is. */
  readonly longitude: number | undefined;
}

/** MaxMind's nested shape first, then the flat shapes of DB-IP and IPinfo. */
const COUNTRY: readonly RecordPath[] = [["country", "iso_code"], ["country_code"], ["country"]];
const LATITUDE: readonly RecordPath[] = [["location", "latitude"], ["latitude"], ["lat"]];
const LONGITUDE: readonly RecordPath[] = [["location", "longitude"], ["longitude"], ["lng"]];

/**
 * Reads a record of a location database, in MaxMind's nested shape
 * (https://dev.maxmind.com/geoip/docs/databases/city-and-country) or a flat one. Missing and invalid fields are unknown;
 * returns undefined if everything is. Does not use MaxMind's `registered_country`: it is the country of the network's
 * owner, not of the network. Nor `is_in_european_union`: publishers disagree about Réunion and others.
 */
export function readCityRecord(record: unknown): CityRecord | undefined {
  const country = readRecordField(record, COUNTRY, readCountryCode);
  const latitude = readRecordField(record, LATITUDE, (value) => readDegrees(value, 90));
  const longitude = readRecordField(record, LONGITUDE, (value) => readDegrees(value, 180));
  const hasCoordinates = latitude !== undefined && longitude !== undefined;
  if (country === undefined && !hasCoordinates) {
    return undefined;
  }
  return {
    country,
    latitude: hasCoordinates ? latitude : undefined,
    longitude: hasCoordinates ? longitude : undefined,
  };
}

/** The country of an address in one table. */
export interface CountrySource {
  readonly source: string;
  /** ISO 3166-1 alpha-2 code, or `XK`, in upper case. */
  readonly country: string;
}

/** Reads a record of `country-sources.columns`. Returns undefined for one of another kind. */
export function readCountrySources(record: unknown): readonly CountrySource[] | undefined {
  const [ipToAsn, user] = ["country_code", "state1"].map((name) =>
    readRecordField(record, [[name]], readCountryCode),
  );
  return ipToAsn === undefined || user === undefined
    ? undefined
    : [
        { source: "IPtoASN", country: ipToAsn },
        { source: "user-country", country: user },
      ];
}

/** Some databases use `ZZ` for an unknown country. */
function readCountryCode(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^[A-Za-z]{2}$/.test(value)) {
    return undefined;
  }
  const code = value.toUpperCase();
  return code === "ZZ" ? undefined : code;
}

/** Reads a number, or a decimal number as text. */
function readDegrees(value: unknown, limit: number): number | undefined {
  const degrees = typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof degrees === "number" && Math.abs(degrees) <= limit ? degrees : undefined;
}

/**
 * The European Union by ISO 3166-1 alpha-2 code: the 27 member states, and those of their territories with a code of
 * their own to which the Union's treaties apply: Åland (AX) and the outermost regions French Guiana (GF), Guadeloupe
 * (GP), Saint Martin (MF), Martinique (MQ), Réunion (RE), Mayotte (YT).
 * Treaty on the Functioning of the European Union, articles 349 and 355:
 * http://data.europa.eu/eli/treaty/tfeu_2016/oj
 */
const EU_TERRITORIES: ReadonlySet<string> = new Set(
  (
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK " +
    "AX GF GP MF MQ RE YT"
  ).split(" "),
);

/** Whether a territory, by its ISO 3166-1 alpha-2 code, is in the European Union. */
export function isInEuropeanUnion(country: string): boolean {
  return EU_TERRITORIES.has(country);
}

/** A record of an ASN database. */
export interface AsnRecord {
  /** The number of the autonomous system, which is not a reserved one. */
  readonly number: number;
  /** Its name, of at most 256 characters; undefined if unknown. */
  readonly name: string | undefined;
}

/** MaxMind's shape, flat and inside an Enterprise record, then those of IPinfo's databases. */
const ASN: readonly RecordPath[] = [
  ["autonomous_system_number"],
  ["traits", "autonomous_system_number"],
  ["asn"],
];
const ASN_NAME: readonly RecordPath[] = [
  ["autonomous_system_organization"],
  ["traits", "autonomous_system_organization"],
  ["as_name"],
  ["name"],
];

/** Many records are cached, so a name must not be large. The longest in the installed file has 167 characters. */
const MAX_NAME_LENGTH = 256;

/**
 * Reads a record of an ASN database, in MaxMind's shape (https://dev.maxmind.com/geoip/docs/databases/asn) or with `asn`
 * and `as_name` or `name`. Missing and invalid fields are unknown; returns undefined without a number, and for a reserved
 * one: some networks announce it by mistake. Names are corrected.
 */
export function readAsnRecord(record: unknown): AsnRecord | undefined {
  const number = readRecordField(record, ASN, readAsn);
  if (number === undefined || findReservedAsn(number) !== undefined) {
    return undefined;
  }
  return {
    number,
    name: correctAsnName(number, readRecordField(record, ASN_NAME, readName) ?? "") || undefined,
  };
}

/** Reads a text of 1 to 256 characters. */
export function readName(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= MAX_NAME_LENGTH ? value : undefined;
}

/** A possible place of a field in a record: the names of the enclosing maps, then the name of the field. */
export type RecordPath = readonly string[];

/** Returns the first field that `read` accepts; undefined if it accepts none. Never throws. */
export function readRecordField<T>(
  record: unknown,
  paths: readonly RecordPath[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const path of paths) {
    const value = read(path.reduce<unknown>(member, record));
    if (value !== undefined) {
      return value;
    }
  }
  return undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
