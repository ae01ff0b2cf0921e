import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Flag } from "../../src/cli/flag.js";
import { parseArguments } from "../../src/cli/parse-arguments.js";

const DIGITS: Flag = { name: "--digits", placeholder: "DIGITS", meaning: "" };
const TAG: Flag = { name: "--tag", placeholder: "TAG", meaning: "", isRepeated: true };
const JSON_FLAG: Flag = { name: "--json", placeholder: undefined, meaning: "" };
const HELP: Flag = { name: "--help", short: "-h", placeholder: undefined, meaning: "" };
const FLAGS = [DIGITS, TAG, JSON_FLAG, HELP];

function parse(...args: string[]) {
  const { operands, values, problems } = parseArguments(args, FLAGS);
  return {
    operands,
    values: Object.fromEntries([...values].map(([{ name }, all]) => [name, all])),
    problems,
  };
}

describe("flags and operands", () => {
  test.each<[string[], string[], Record<string, string[]>]>([
    [[], [], {}],
    [["a", "b"], ["a", "b"], {}],
    [["--digits", "8", "a"], ["a"], { "--digits": ["8"] }],
    [["a", "--digits=8"], ["a"], { "--digits": ["8"] }],
    [["--digits=-8"], [], { "--digits": ["-8"] }],
    [["--digits="], [], { "--digits": [""] }],
    [["--digits=a=b"], [], { "--digits": ["a=b"] }],
    [["--digits", "-"], [], { "--digits": ["-"] }],
    [["--json", "a"], ["a"], { "--json": [""] }],
    [["--json", "--json"], [], { "--json": ["", ""] }],
    [["-h"], [], { "--help": [""] }],
    [["--tag", "a", "--tag=b"], [], { "--tag": ["a", "b"] }],
    [["-", "a"], ["-", "a"], {}],
    [["--json", "--", "--digits", "-h"], ["--digits", "-h"], { "--json": [""] }],
    [["", "--json"], [""], { "--json": [""] }],
  ])("%j", (args, operands, values) => {
    expect(parse(...args)).toEqual({ operands, values, problems: [] });
  });
});

describe("what is wrong", () => {
  test.each<[string[], string[]]>([
    [["--digits"], ["--digits needs a value: --digits=DIGITS"]],
    [["--digits", "--json"], ["--digits needs a value: --digits=DIGITS"]],
    [["--json=yes"], ["--json takes no value"]],
    [["--digits", "6", "--digits", "8"], ["--digits must not be given more than once"]],
    [["--digit", "6"], ["--digit is not known; did you mean --digits?"]],
    [["--jsno"], ["--jsno is not known; did you mean --json?"]],
    [["-x"], ["-x is not known"]],
    [["--hunter2=secret"], ["--hunter2 is not known"]],
    [["--=secret"], ["a flag is not known"]],
    [["-psecret word"], ["a flag is not known"]],
  ])("%j", (args, problems) => {
    expect(parse(...args).problems).toEqual(problems);
  });
});

const ANY_ARGUMENT = fc.oneof(
  fc.constantFrom("--digits", "--digits=6", "--tag", "--json", "-h", "--", "-", "--digit"),
  fc.string(),
);

test("all behind -- are operands, whatever they are", () => {
  fc.assert(
    fc.property(fc.array(ANY_ARGUMENT), (args) => {
      expect(parse("--", ...args)).toEqual({ operands: args, values: {}, problems: [] });
    }),
  );
});

test("what was written comes back: an operand, a value, or a problem", () => {
  fc.assert(
    fc.property(fc.array(ANY_ARGUMENT), (args) => {
      const { operands, values, problems } = parse(...args);
      const texts = Object.values(values).flat().length;
      expect(operands.length + texts).toBeLessThanOrEqual(args.length);
      expect(operands.length + texts + problems.length > 0).toBe(
        args.some((arg) => arg !== "--") || args.length > 1,
      );
    }),
  );
});
