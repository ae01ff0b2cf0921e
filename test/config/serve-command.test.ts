import { CommanderError } from "commander";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createServeCommand, usageProblem } from "../../src/config/serve-command.js";
import { GROUPS, SETTINGS, settingFlag } from "../../src/config/settings.js";

/** Parses arguments. Returns the flags, the help or the error. */
function parse(args: readonly string[]): { flags?: Record<string, string>; out: string; problem?: string } {
  const result: ReturnType<typeof parse> = { out: "" };
  const command = createServeCommand("1.2.3", (flags) => {
    result.flags = Object.fromEntries(flags);
  });
  command.exitOverride().configureOutput({
    writeOut: (text) => {
      result.out += text;
    },
    outputError: (text) => {
      result.problem = usageProblem(text, command.options);
    },
    getOutHelpWidth: () => 100,
  });
  try {
    command.parse(args, { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) {
      throw thrown;
    }
  }
  return result;
}

describe("flags", () => {
  test.each<[string[], Record<string, string>]>([
    [[], {}],
    [["--port", "80"], { "--port": "80" }],
    [["--port=80"], { "--port": "80" }],
    [["--port="], { "--port": "" }],
    [["--host=a=b"], { "--host": "a=b" }],
    [["--api-keys-file=-"], { "--api-keys-file": "-" }],
    [["--api-keys-file=--port"], { "--api-keys-file": "--port" }],
    [
      ["--port", "80", "--otel-exporter-otlp-endpoint", "http://a"],
      { "--port": "80", "--otel-exporter-otlp-endpoint": "http://a" },
    ],
  ])("%j are read", (args, flags) => {
    expect(parse(args)).toEqual({ out: "", flags });
  });

  const unknown = (flag: string) => `unknown option '${flag}'`;

  test.each<[string[], string]>([
    [["--port"], "option '--port <NUMBER>' argument missing"],
    [["--port", "1", "--port=1"], "--port must not be given more than once"],
    [["--check=x"], "--check takes no value"],
    [["--prot"], `${unknown("--prot")} (Did you mean --port?)`],
    [["--PORT=1"], unknown("--PORT")],
    [["--no-port"], `${unknown("--no-port")} (Did you mean --port?)`],
    [["--rateLimit=1"], unknown("--rateLimit")],
    [["--__proto__=1"], unknown("--__proto__")],
    [["--constructor"], unknown("--constructor")],
    [["-p", "80"], unknown("-p")],
    [["-port", "80"], unknown("-p")],
    [["hunter2"], "too many arguments. Expected 0 arguments but got 1."],
    [["--", "--port"], "too many arguments. Expected 0 arguments but got 1."],
  ])("%j are rejected", (args, problem) => {
    expect(parse(args)).toEqual({ out: "", problem });
  });

  test.each([
    ["--store=hunter2", "--store"],
    ["-phunter2", "-p"],
    ["--redis://:hunter2@localhost", ""],
    [`--${"hunter2".repeat(20)}`, ""],
    ["--store=hunter2'hunter2\n'", "--store"],
  ])("the error about %j does not repeat a value", (arg, shown) => {
    expect(parse([arg]).problem).toBe(unknown(shown));
  });

  test("of any kind are read or rejected", () => {
    const arg = fc.oneof(
      fc.string(),
      fc.constantFrom("--port", "--host", "--help", "--", "-", "-h", "--port=1", "serve", "--prot"),
      fc.string().map((text) => `--${text}`),
    );
    fc.assert(
      fc.property(fc.array(arg), (args) => {
        const { flags, out, problem } = parse(args);
        expect([flags, out || undefined, problem].filter((each) => each !== undefined)).toHaveLength(1);
        expect(problem ?? "").not.toContain("\n");
      }),
      { numRuns: 1000 },
    );
  });
});

describe("help", () => {
  const HELP = parse(["--prot", "-h"]).out;
  const LINES = HELP.split("\n");

  /** Joins lines, which may break between any two words. */
  const inOneLine = (text: string) => text.replaceAll(/\s+/g, " ");

  test("fits in the width of the terminal", () => {
    expect(LINES.length).toBeGreaterThan(50);
    expect(LINES.filter((line) => line.length > 100 || /\s$/.test(line))).toEqual([]);
  });

  test("has the groups of settings in their order", () => {
    const titles = LINES.filter((line) => /^[A-Z].*:$/.test(line));
    expect(titles).toEqual(["Examples:", "Options:", ...GROUPS.map((group) => `${group}:`)]);
  });

  test.each(Object.values(SETTINGS))(
    "lists $name in its group, with its default and allowed values",
    (setting) => {
      const [, group = ""] = HELP.split(`\n${setting.group}:\n`);
      const [entries = ""] = group.split("\n\n");
      const text = "text" in setting.default ? setting.default.text : setting.default.words;
      expect(inOneLine(entries)).toContain(
        `${settingFlag(setting)} <${setting.value.placeholder}> ${setting.meaning.replaceAll("`", "")}. ` +
          `Default: ${text}. Allowed: ${setting.value.allowed}`,
      );
    },
  );
});

test.each([[["--version"]], [["--prot", "-v"]]])("%j shows the version", (args) => {
  expect(parse(args).out).toBe("utility-tools 1.2.3\n");
});
