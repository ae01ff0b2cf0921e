import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildDisposableDomains } from "./email/build-disposable-domains.js";

// Run manually after an update of the package: builds data/email/disposable-domains.txt and its record in
// data/SOURCES.json. The other lists in data/email are edited by hand.
const folder = join(import.meta.dirname, "..");
try {
  const { text, record } = buildDisposableDomains();
  writeFileSync(join(folder, "email", "disposable-domains.txt"), text);
  const sourcesFile = join(folder, "SOURCES.json");
  const sources = JSON.parse(readFileSync(sourcesFile, "utf8")) as object;
  const all = { ...sources, "email/disposable-domains.txt": [record] };
  writeFileSync(sourcesFile, `${JSON.stringify(all, null, 2)}\n`);
  console.log("data/email/disposable-domains.txt was built.");
} catch (error) {
  console.error(
    `data/email/disposable-domains.txt could not be built: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
}
