import { readCityRecord } from "./city-record.js";
import { isInEuropeanUnion } from "./eu-territories.js";

/** Where a network is, in the parts of which answers are made. The same parts are given to every answer. */
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

/** Where a network is of which nothing is known: empty, false and zero, as each part is that is not known. */
export const NOWHERE: Location = locationOf("", false, 0, 0);

/** Reads a record of a location database; undefined where nothing is known. */
export function readLocation(record: unknown): Location | undefined {
  const city = readCityRecord(record);
  if (city === undefined) {
    return undefined;
  }
  const country = city.country ?? "";
  const eu = city.isInEuropeanUnion ?? isInEuropeanUnion(country);
  return locationOf(country, eu, fourDecimals(city.latitude ?? 0), fourDecimals(city.longitude ?? 0));
}

function locationOf(country: string, eu: boolean, lat: number, lon: number): Location {
  return { location: Object.freeze({ country, eu }), coords: Object.freeze({ lat, lon }) };
}

/** About 11 m at most; sources of 32-bit floats give digits that mean nothing behind these. Never -0. */
function fourDecimals(degrees: number): number {
  return Math.round(degrees * 10_000) / 10_000 + 0;
}
