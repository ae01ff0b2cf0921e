import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Country } from "../../src/tools/countries/country.js";
import { type CountryNames, parseNames } from "../../src/tools/countries/country-names.js";
import { parseCountries } from "../../src/tools/countries/parse-countries.js";

const { resolve } = createRequire(import.meta.url);

/** Reads a file in data/. */
export function dataText(name: string): string {
  return readFileSync(resolve(`#data/${name}`), "utf8");
}

/** Returns the countries of the committed file. */
export function loadCountries(): readonly Country[] {
  const parsed = parseCountries(JSON.parse(dataText("countries.json")));
  if (!parsed.ok) {
    throw new Error(parsed.failure.description);
  }
  return parsed.value;
}

/** Returns the names of the committed file. */
export function loadNames(): CountryNames {
  const parsed = parseNames(JSON.parse(dataText("country-names.json")));
  if (!parsed.ok) {
    throw new Error(parsed.failure.description);
  }
  return parsed.value;
}
