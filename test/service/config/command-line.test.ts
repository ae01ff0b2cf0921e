import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCommandLine } from "../../../src/service/config/command-line.js";

const NOTHING = { asksFor: undefined, operands: [], flags: new Map(), problems: [] };

describe("a command line", () => {
  test.each<[string[], object]>([
    [[], {}],
    [["--port", "80"], { flags: new Map([["--port", "80"]]) }],
    [["--port=80"], { flags: new Map([["--port", "80"]]) }],
    [["--host=a=b"], { flags: new Map([["--host", "a=b"]]) }],
    [["--api-keys-file=-"], { flags: new Map([["--api-keys-file", "-"]]) }],
    [["--api-keys-file=--port"], { flags: new Map([["--api-keys-file", "--port"]]) }],
    [
      ["--port", "80", "serve", "--otel-exporter-otlp-endpoint", "http://a"],
      {
        operands: ["serve"],
        flags: new Map([
          ["--port", "80"],
          ["--otel-exporter-otlp-endpoint", "http://a"],
        ]),
      },
    ],
    [["make-key", "name"], { operands: ["make-key", "name"] }],
    [["--", "--port", "--prot"], { operands: ["--port", "--prot"] }],
    [["--help"], { asksFor: "help" }],
    [["-h"], { asksFor: "help" }],
    [["--version"], { asksFor: "version" }],
    [["-v"], { asksFor: "version" }],
    [["-vh"], { asksFor: "version" }],
    [["serve", "--version", "--help"], { asksFor: "help", operands: ["serve"] }],
  ])("%j", (args, line) => {
    expect(readCommandLine(args)).toEqual({ ...NOTHING, ...line });
  });
});

const unknown = (flag: string) => `${flag} is not known: serve --help lists all flags`;

describe("what is wrong with flags", () => {
  test.each<[string[], string[], string[]?]>([
    [["--port"], ["--port needs a value"]],
    [["--port="], ["--port needs a value"]],
    [["--port", ""], ["--port needs a value"]],
    [["--port", "--"], ["--port needs a value"]],
    [
      ["--port", "-1"],
      ["--port needs a value", unknown("-1")],
    ],
    [
      ["--port", "--host"],
      ["--port needs a value", "--host needs a value"],
    ],
    [["--port", "1", "--port", "1"], ["--port must not be given more than once"]],
    [["--prot"], [unknown("--prot")]],
    [["--PORT=1"], [unknown("--PORT")]],
    [["--no-port"], [unknown("--no-port")]],
    [["--rateLimit=1"], [unknown("--rateLimit")]],
    [["---port"], [unknown("---port")]],
    [["--__proto__=1"], [unknown("--__proto__")]],
    [
      ["--constructor", "--toString"],
      [unknown("--constructor"), unknown("--toString")],
    ],
    [["-p", "80"], [unknown("-p")]],
    [["-port", "80"], [unknown("-p")]],
    [
      ["-a-b", "--prot"],
      [unknown("-a"), unknown("--prot")],
    ],
    [["--prot", "80", "serve"], [unknown("--prot")], ["serve"]],
    [["--prot=80", "serve"], [unknown("--prot")], ["serve"]],
    [
      ["--prot", "--host", "a/b", "--port"],
      [unknown("--prot"), "--port needs a value"],
    ],
  ])("%j", (args, problems, operands = []) => {
    expect(readCommandLine(args)).toMatchObject({ problems, operands });
  });

  test.each([
    ["--store=hunter2", "--store"],
    ["-phunter2", "-p"],
    ["--redis://:hunter2@localhost", "a flag"],
    [`--${"hunter2".repeat(20)}`, "a flag"],
  ])("of %s no more than its name is shown", (arg, shown) => {
    expect(readCommandLine([arg]).problems).toEqual([unknown(shown)]);
  });
});

test("any arguments are read", () => {
  const arg = fc.oneof(
    fc.string(),
    fc.constantFrom("--port", "--host", "--help", "--", "-", "-h", "--port=1", "serve", "--prot"),
    fc.string().map((text) => `--${text}`),
  );
  fc.assert(
    fc.property(fc.array(arg), (args) => {
      const { operands, flags, problems } = readCommandLine(args);
      expect(operands.every((operand) => args.includes(operand))).toBe(true);
      expect([...flags.values()]).not.toContain("");
      expect(problems.every((problem) => !problem.includes("\n"))).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
