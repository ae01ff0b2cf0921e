import { readCityRecord } from "./city-record.js";
import { isInEuropeanUnion } from "./eu-territories.js";

/** Where a network is, as answers say it; what is not known is empty, false or zero. */
export interface Location {
  /** ISO 3166-1 alpha-2 code, or `XK`. */
  readonly country: string;
  /** Whether the country is in the European Union. */
  readonly eu: boolean;
  /** Degrees, north positive, with at most four decimals. */
  readonly latitude: number;
  /** Degrees, east positive, with at most four decimals. */
  readonly longitude: number;
}

/** Reads a record of a location database; undefined where nothing is known. */
export function readLocation(record: unknown): Location | undefined {
  const city = readCityRecord(record);
  if (city === undefined) {
    return undefined;
  }
  const country = city.country ?? "";
  return {
    country,
    eu: city.isInEuropeanUnion ?? isInEuropeanUnion(country),
    latitude: fourDecimals(city.latitude ?? 0),
    longitude: fourDecimals(city.longitude ?? 0),
  };
}

/** About 11 m at most; sources of 32-bit floats give digits that mean nothing behind these. Never -0. */
function fourDecimals(degrees: number): number {
  return Math.round(degrees * 10_000) / 10_000 + 0;
}
