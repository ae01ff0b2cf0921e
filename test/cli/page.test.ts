import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXIT_MEANINGS } from "../../src/failures/exit-status.js";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/reference/command-line.md"), "utf8");

test("docs/reference/command-line.md lists every exit status", () => {
  const statuses = EXIT_MEANINGS.map(([status, meaning]) => `| ${status} | ${meaning} |`);
  const missing = statuses.filter((row) => !PAGE.includes(`\n${row}\n`));
  expect(
    missing,
    `docs/reference/command-line.md: add to the table of exit statuses:\n${missing.join("\n")}\n`,
  ).toEqual([]);
});
