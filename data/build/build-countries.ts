import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildCountries } from "./countries/build-countries-data.js";
import { buildNames } from "./countries/names/build-names.js";
import { readSources } from "./countries/sources.js";
import { countriesText, namesText, sourcesText } from "./countries/write-files.js";

// Run manually after an update of a package: builds data/countries.json, data/country-names.json and data/SOURCES.json.
const folder = join(import.meta.dirname, "..");
try {
  const sources = readSources();
  const countries = buildCountries(sources);
  const names = buildNames(sources, countries);
  writeFileSync(join(folder, "countries.json"), countriesText(countries));
  writeFileSync(join(folder, "country-names.json"), namesText(names));
  const sourcesFile = join(folder, "SOURCES.json");
  writeFileSync(sourcesFile, sourcesText(readFileSync(sourcesFile, "utf8"), sources.records));
  console.log("data/countries.json, data/country-names.json and data/SOURCES.json were built.");
} catch (error) {
  console.error(
    `data/countries.json could not be built: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
}
