import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildCountries } from "./countries/build-countries-data.js";
import { readSources } from "./countries/sources.js";
import { worldMapText } from "./world-map/write-world-map.js";

// Run manually after an update of world-atlas or of the countries: builds data/world-map.json.
const folder = join(import.meta.dirname, "..");
try {
  writeFileSync(join(folder, "world-map.json"), worldMapText(buildCountries(readSources())));
  console.log("data/world-map.json was built.");
} catch (error) {
  console.error(
    `data/world-map.json could not be built: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
}
