import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { EXIT_MEANINGS } from "../../src/failures/exit-status.js";
import { useServer } from "../contract/serve.js";
import { MAIN } from "../programs.js";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/reference/command-line.md"), "utf8");
const server = useServer();

/** The working directory of the examples. */
const folder = mkdtempSync(join(tmpdir(), "utility-tools-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The commands of the page with their output. */
const EXAMPLES = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```\n\n```(?:json|text)\n([\s\S]*?)^```/gm)].map(
  ([, command = "", output = ""]) => ({ command, output }),
);

describe.skipIf(spawnSync("bash", ["-c", "true"]).status !== 0)("docs/reference/command-line.md", () => {
  test("has examples", () => {
    expect(EXAMPLES.length).toBeGreaterThanOrEqual(8);
    expect(EXAMPLES).toHaveLength([...PAGE.matchAll(/^```sh$/gm)].length);
  });

  test.each(EXAMPLES)("$command", async ({ command, output }) => {
    const program = `utility-tools() { "${process.execPath}" "${MAIN}" "$@"; }\n`;
    const local = command.replaceAll("http://127.0.0.1:8080", server.url);
    const env = { PATH: process.env.PATH };
    const args = ["--noprofile", "--norc", "-c", program + local];
    // An example may have invalid inputs, which exit with 1.
    const { stdout } = await promisify(execFile)("bash", args, { cwd: folder, env }).catch(
      (failed) => failed,
    );
    expect(stdout).toBe(output);
  });

  test("lists every exit status", () => {
    const statuses = EXIT_MEANINGS.map(([status, meaning]) => `| ${status} | ${meaning} |`);
    const missing = statuses.filter((row) => !PAGE.includes(`\n${row}\n`));
    expect(
      missing,
      `docs/reference/command-line.md: add to the table of exit statuses:\n${missing.join("\n")}\n`,
    ).toEqual([]);
  });
});
