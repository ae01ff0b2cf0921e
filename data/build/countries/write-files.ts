import type { Country } from "../../../src/tools/countries/country.js";
import type { PackageRecord } from "./read-packages.js";

/** The license notice in the country file, in case it is copied without the other files. */
const LICENSE_NOTICE =
  "Made from the packages in SOURCES.json; see README.md for their licenses. The states, coordinates and " +
  "top-level domains are from a database under the Open Database License 1.0.";

/** Writes `countries.json`: one line per country and per state, so that changes are readable. */
export function countriesText(countries: readonly Country[]): string {
  const lines = countries.map(({ states, ...country }) => {
    const head = JSON.stringify(country).slice(0, -1);
    const rows = states.map((state) => `\n${JSON.stringify(state)}`).join(",");
    return `${head},"states":[${rows}]}`;
  });
  return `{"license":${JSON.stringify(LICENSE_NOTICE)},\n"countries":[\n${lines.join(",\n")}\n]}\n`;
}

/** Writes `SOURCES.json`: its current text with other records of `countries.json`. */
export function sourcesText(current: string, records: readonly PackageRecord[]): string {
  return `${JSON.stringify({ ...JSON.parse(current), "countries.json": records }, null, 2)}\n`;
}
