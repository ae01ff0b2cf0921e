import type { Country } from "../../src/tools/countries/country.js";
import type { PackageRecord } from "./read-packages.js";

/** Whose data the country file is made of, for whoever finds the file alone. */
const LICENCE =
  "Made from the packages in SOURCES.json; see README.md for their licences. The states, coordinates, " +
  "top-level domains and time zones are from a database under the Open Database License 1.0.";

/** The text of `countries.json`: one line a country, and one a state, so that changes can be read. */
export function countriesText(countries: readonly Country[]): string {
  const lines = countries.map(({ states, ...country }) => {
    const head = JSON.stringify(country).slice(0, -1);
    const rows = states.map((state) => `\n${JSON.stringify(state)}`).join(",");
    return `${head},"states":[${rows}]}`;
  });
  return `{"licence":${JSON.stringify(LICENCE)},\n"countries":[\n${lines.join(",\n")}\n]}\n`;
}

/** The text of `SOURCES.json`. */
export function sourcesText(records: readonly PackageRecord[]): string {
  return `${JSON.stringify({ "countries.json": records }, null, 2)}\n`;
}

/**
 * The text of `native-names.json`: what each country calls itself, by alpha-2 code, where that is not its English name. It is
 * for pages that search without asking for each country in detail.
 */
export function nativeNamesText(countries: readonly Country[]): string {
  const lines = countries
    .filter(({ name, nativeName }) => nativeName !== name)
    .map(({ code2, nativeName }) => `${JSON.stringify(code2)}:${JSON.stringify(nativeName)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}
