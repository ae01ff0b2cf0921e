import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { manPage } from "../../../src/cli/definitions/man-page.js";
import { defineProgram } from "../../../src/cli/program.js";
import { headingOf } from "../../../src/cli/root.js";
import { EXIT_MEANINGS } from "../../../src/failures/exit-status.js";

const { root, commands } = await defineProgram();
const page = manPage(root, commands, "January 2, 2026");

/** Runs a program with the page as its input. */
const read = (command: string, args: readonly string[]) =>
  spawnSync(command, args, { input: page, encoding: "utf8", env: { ...process.env, LC_ALL: "C" } });
const isInstalled = (command: string) => spawnSync(command, ["--version"]).error === undefined;

test("has a section for each command, and each of its flags", () => {
  const plain = page.replaceAll("\\-", "-");
  for (const command of commands) {
    expect(plain).toContain(`\n.Ss ${headingOf(command)}\n`);
    for (const { long } of command.options) {
      expect(plain).toContain(`Fl ${long?.slice(1)}`);
    }
  }
  for (const [status] of EXIT_MEANINGS) {
    expect(plain).toContain(`\n.It ${status}\n`);
  }
});

test.skipIf(!isInstalled("groff"))("groff has no warnings", () => {
  const { status, stdout, stderr } = read("groff", ["-mandoc", "-Tutf8", "-ww", "-P-c", "-"]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("January 2, 2026");
});

test("describes flags of many commands once, and has no date before the first release", () => {
  expect(page.match(/^\.It Fl \\-timeout/gm)).toHaveLength(2);
  expect(manPage(root, commands, undefined)).toContain("\n.Dd\n.Dt UTILITY-TOOLS 1\n");
});

// A program without a version flag.
test.skipIf(spawnSync("which", ["mandoc"]).status !== 0)("mandoc has no warnings", () => {
  const { stdout } = read("mandoc", ["-Tlint", "-Wwarning"]);
  expect(stdout).toBe("");
});
