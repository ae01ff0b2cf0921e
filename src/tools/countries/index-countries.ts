import { type Failure, fail, ok, type Result } from "../../result.js";
import type { Country } from "./country.js";

/** All countries, for listing and for looking up. */
export interface CountryIndex {
  /** In the order of the data file: by name. */
  readonly countries: readonly Country[];
  /** By alpha-2 and by alpha-3 code, in upper case. */
  readonly byCode: ReadonlyMap<string, Country>;
}

/** Indexes countries by both their codes. */
export function indexCountries(countries: readonly Country[]): CountryIndex {
  const byCode = new Map<string, Country>();
  for (const country of countries) {
    byCode.set(country.code2, country);
    byCode.set(country.code3, country);
  }
  return { countries, byCode };
}

/** Finds a country by its alpha-2 or alpha-3 code in upper case. */
export function findCountry(
  { byCode }: CountryIndex,
  code: string,
): Result<Country, Failure<"COUNTRY_NOT_FOUND">> {
  const country = byCode.get(code);
  return country
    ? ok(country)
    : fail("COUNTRY_NOT_FOUND", `No country has the code ${code} in ISO 3166-1; XK is Kosovo.`, {
        country: code,
      });
}
