import { type FieldPath, readField } from "./record-field.js";

/** What a location database knows of a network; what it does not know is undefined. */
export interface CityRecord {
  /** ISO 3166-1 alpha-2 code, or `XK`, in upper case. */
  readonly country: string | undefined;
  /** Whether the database says that the country is in the European Union. */
  readonly isInEuropeanUnion: boolean | undefined;
  /** Degrees, north positive. Known together with the longitude or not at all. */
  readonly latitude: number | undefined;
  /** Degrees, east positive. */
  readonly longitude: number | undefined;
}

/** MaxMind's nested shape first, then the flat shapes of DB-IP and IPinfo. */
const COUNTRY: readonly FieldPath[] = [["country", "iso_code"], ["country_code"], ["country"]];
const EU_FLAG: readonly FieldPath[] = [["country", "is_in_european_union"]];
const LATITUDE: readonly FieldPath[] = [["location", "latitude"], ["latitude"], ["lat"]];
const LONGITUDE: readonly FieldPath[] = [["location", "longitude"], ["longitude"], ["lng"]];

/**
 * Reads a record of a location database, in MaxMind's nested shape
 * (https://dev.maxmind.com/geoip/docs/databases/city-and-country) or a flat one. A field that is not there or
 * makes no sense reads as not known; a record of which nothing is known reads as undefined. MaxMind's
 * `registered_country` is no substitute for a missing `country`: it says where the network's owner is, not
 * where the network is.
 */
export function readCityRecord(record: unknown): CityRecord | undefined {
  const country = readField(record, COUNTRY, readCountryCode);
  const isInEuropeanUnion = readField(record, EU_FLAG, readBoolean);
  const latitude = readField(record, LATITUDE, (value) => readDegrees(value, 90));
  const longitude = readField(record, LONGITUDE, (value) => readDegrees(value, 180));
  const hasCoordinates = latitude !== undefined && longitude !== undefined;
  if (country === undefined && !hasCoordinates) {
    return undefined;
  }
  return {
    country,
    isInEuropeanUnion,
    latitude: hasCoordinates ? latitude : undefined,
    longitude: hasCoordinates ? longitude : undefined,
  };
}

/** `ZZ` is a code that some databases use for "unknown". */
function readCountryCode(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^[A-Za-z]{2}$/.test(value)) {
    return undefined;
  }
  const code = value.toUpperCase();
  return code === "ZZ" ? undefined : code;
}

function readBoolean(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** A number, or a decimal number as text. */
function readDegrees(value: unknown, limit: number): number | undefined {
  const degrees = typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof degrees === "number" && Math.abs(degrees) <= limit ? degrees : undefined;
}
