import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildEmailLists } from "./email/build-email-lists.js";

// Run manually after an update of a package: builds the lists in data/email and their records in data/SOURCES.json. What no package
// has is in build/email.
const folder = join(import.meta.dirname, "..");
try {
  const sourcesFile = join(folder, "SOURCES.json");
  const sources = JSON.parse(readFileSync(sourcesFile, "utf8")) as Record<string, unknown>;
  for (const [file, { text, records }] of Object.entries(buildEmailLists())) {
    writeFileSync(join(folder, "email", file), text);
    sources[`email/${file}`] = records;
  }
  writeFileSync(sourcesFile, `${JSON.stringify(sources, null, 2)}\n`);
  console.log("The lists in data/email were built.");
} catch (error) {
  console.error(
    `The lists in data/email could not be built: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
}
