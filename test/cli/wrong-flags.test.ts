import { ScalarType } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { fieldDocsOf } from "connect-transcoding/openapi";
import { describe, expect, test } from "vitest";
import { deriveCommands, flagName } from "../../src/cli/commands.js";
import { defineProgram } from "../../src/cli/program.js";
import { flagsOf, fullName, placeholderIn } from "../../src/cli/root.js";
import { runHere } from "./run-tools.js";

const TOOLS = deriveCommands(Object.values(SERVICES));

/** The placeholders of flags for which only an empty value is always wrong: any text can be the name of a file. */
const ANY_VALUE: readonly string[] = ["FILE", "FOLDER"];

/** The flags that are only valid beside others. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  "--api-key": ["--url", "http://127.0.0.1:1"],
  "--column": ["--csv", "-f", "-"],
  "--max-age": ["--check"],
  "--timeout": ["--url", "http://127.0.0.1:1"],
};

/** Values that a flag does not allow: a text that is no name, value or label, and numbers that are too large, too small, or not whole. */
function wrongValues(name: string, flag: string): readonly string[] {
  const fields = TOOLS.find((each) => each.name === name)?.fields ?? [];
  const field = fields.find((each) => flagName(each.name) === flag);
  const isNumber = field?.fieldKind === "scalar" && field.scalar !== ScalarType.STRING;
  return [`\u0001${"~".repeat(3_000)}`, ...(isNumber ? ["-1", "1.5", "", "2147483648", "99999999999"] : [])];
}

/** A valid request of a command, without the flag that is wrong. */
function argumentsOf(name: string, flag: string): readonly string[] {
  const { operand } = TOOLS.find((each) => each.name === name) ?? {};
  const beside = name === "update-data" && flag === "--timeout" ? [] : (BESIDE[flag] ?? []);
  const example = operand === undefined || beside.includes("-f") ? [] : [fieldDocsOf(operand).example];
  const needsName = name === "make-key" ? ["alice"] : [];
  return [...name.split(" "), ...example, ...needsName, ...beside];
}

const { commands } = await defineProgram();
// The settings of serve have tests of their own.
const flags = commands
  .filter((each) => fullName(each) !== "serve")
  .flatMap((each) => flagsOf(each).map((flag) => [fullName(each), flag] as const))
  .flatMap(([name, flag]) => {
    const placeholder = placeholderIn(flag);
    return placeholder === undefined ? [] : [[name, flag.long ?? "", placeholder] as const];
  });

describe("a wrong value of a flag is a wrong argument, which is named", () => {
  test.each(flags)("%s %s", async (name, flag, placeholder) => {
    const results = [];
    const values = ANY_VALUE.includes(placeholder) ? [""] : wrongValues(name, flag);
    for (const value of values) {
      results.push(await runHere([...argumentsOf(name, flag), `${flag}=${value}`], { input: "a,b\n" }));
    }
    for (const { status, out, err } of results) {
      expect([status, out, err]).toEqual([2, "", expect.stringContaining(flag)]);
      expect(err).toMatch(new RegExp(`^utility-tools ${name}: `));
    }
  });
});
