import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_FOLDER } from "../../installed-package.js";
import { defineProgram, summariesOf } from "../program.js";
import { manPage } from "./man-page.js";
import { SUMMARIES_FILE } from "./overview.js";

const CHANGELOG = join(PACKAGE_FOLDER, "CHANGELOG.md");

/** The day of the release, which is the same in each build of a version; undefined: it is not released. */
function releaseDate(): string | undefined {
  const changelog = existsSync(CHANGELOG) ? readFileSync(CHANGELOG, "utf8") : "";
  const date = changelog.match(/^## \[.+\] - (\d{4}-\d{2}-\d{2})$/m)?.[1];
  return date && new Date(date).toLocaleDateString("en-US", { dateStyle: "long", timeZone: "UTC" });
}

/** Writes what a build makes of the commands: the summaries for the help, and the manual page. */
async function main(folder: string): Promise<void> {
  const program = await defineProgram();
  writeFileSync(join(folder, SUMMARIES_FILE), JSON.stringify(summariesOf(program)));
  mkdirSync(join(folder, "man"), { recursive: true });
  writeFileSync(
    join(folder, "man", "utility-tools.1"),
    manPage(program.root, program.commands, releaseDate()),
  );
}

await main(join(import.meta.dirname, ".."));
