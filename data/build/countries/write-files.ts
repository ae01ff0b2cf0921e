import type { Country } from "../../../src/tools/countries/country.js";
import type { CountryNames } from "../../../src/tools/countries/country-names.js";
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

/** The license notice in the file of names. No part of it is under the Open Database License: single words are no substantial part of one. */
const NAMES_NOTICE =
  "Names of countries, currencies, cities and time zones from Unicode CLDR (Unicode-3.0), of cities from GeoNames (CC-BY-4.0), of " +
  "nationalities from i18n-nationality (MIT), of currencies from currency-codes (MIT), and aliases and codes of this project (Apache-2.0); " +
  "see README.md and SOURCES.json.";

/** Writes `country-names.json`: one line per language, per country with aliases and per currency. */
export function namesText({ codes, languages, aliases, currencies, genericWords }: CountryNames): string {
  const nameLines = [...languages].map(([language, names]) => {
    // Most countries have one name in a language.
    const short = names.map((all) => (all.length < 2 ? (all[0] ?? "") : all));
    return `${JSON.stringify(language)}:${JSON.stringify(short)}`;
  });
  const aliasLines = [...aliases]
    .filter(([, all]) => all.length > 0)
    .map(([code, all]) => {
      const rows = all.map(({ kind, language, names }) => [kind, language, ...names]);
      return `${JSON.stringify(code)}:${JSON.stringify(rows)}`;
    });
  const currencyLines = [...currencies].map(
    ([code, names]) =>
      `${JSON.stringify(code)}:${JSON.stringify(names.map(({ name, language }) => [name, language]))}`,
  );
  return (
    `{"license":${JSON.stringify(NAMES_NOTICE)},\n"codes":${JSON.stringify(codes)},\n` +
    `"genericWords":${JSON.stringify([...genericWords])},\n"languages":{\n${nameLines.join(",\n")}\n},\n` +
    `"aliases":{\n${aliasLines.join(",\n")}\n},\n"currencies":{\n${currencyLines.join(",\n")}\n}}\n`
  );
}

/** Writes `SOURCES.json`: its current text with other records of `countries.json`. */
export function sourcesText(current: string, records: readonly PackageRecord[]): string {
  return `${JSON.stringify({ ...JSON.parse(current), "countries.json": records }, null, 2)}\n`;
}
