import { describe, expect, test } from "vitest";
import { findCommand } from "../../src/cli/find-command.js";
import { nearest } from "../../src/cli/nearest.js";

const named = (name: string) => ({ name });
const COMMANDS = ["email", "email explain", "geoip", "otp generate", "otp verify"].map(named);

test.each<[string[], string, string[]]>([
  [["geoip"], "geoip", []],
  [["geoip", "8.8.8.8"], "geoip", ["8.8.8.8"]],
  [["email", "a@b.example"], "email", ["a@b.example"]],
  [["email", "explain", "a@b.example"], "email explain", ["a@b.example"]],
  [["email", "--json", "explain"], "email", ["--json", "explain"]],
  [["otp", "verify", "verify"], "otp verify", ["verify"]],
])("%j is %s", (args, name, rest) => {
  expect(findCommand(args, COMMANDS)).toEqual({ kind: "command", command: named(name), rest });
});

test.each([[["otp"]], [["otp", "--help"]]])("%j is a group", (args) => {
  expect(findCommand(args, COMMANDS)).toEqual({
    kind: "group",
    commands: [named("otp generate"), named("otp verify")],
    rest: args.slice(1),
  });
});

test.each<[string[], string | undefined]>([
  [["geopi"], "geoip"],
  [["geoip8"], "geoip"],
  [["otp", "verfiy"], "otp verify"],
  [["OTP"], undefined],
  [["hunter2"], undefined],
  [[""], undefined],
])("%j is none, and likely %s was meant", (args, meant) => {
  expect(findCommand(args, COMMANDS)).toEqual({ kind: "unknown", meant });
});

describe("the nearest name", () => {
  test.each([
    ["same", "same", true],
    ["sam", "same", true],
    ["saem", "same", true],
    ["samee", "same", true],
    ["some", "same", true],
    ["soon", "same", false],
    ["", "ab", false],
    ["completoin", "completion", true],
    ["kitten", "sitting", false],
    ["kittin", "sitting", true],
  ])("%s for %s: %s", (word, name, isNear) => {
    expect(nearest(word, [name])).toBe(isNear ? name : undefined);
  });

  test("is the one with the fewest slips", () => {
    expect(nearest("--jsom", ["--jobs", "--json"])).toBe("--json");
  });
});
