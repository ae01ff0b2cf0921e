import { describe, expect, it } from "vitest";
import { MAX_NAME_LENGTH, nameFailures } from "../../../src/tools/otp/name-failures.js";

const TOO_LONG = { reason: "TOO_LONG", description: `must have at most ${MAX_NAME_LENGTH} characters` };
const CONTROL_CHARACTER = {
  reason: "CONTROL_CHARACTER",
  description: "must not contain control characters (U+0000 to U+001F, U+007F to U+009F)",
};
const LONE_SURROGATE = {
  reason: "LONE_SURROGATE",
  description: "must be well-formed Unicode, contains half of a surrogate pair",
};

describe("nameFailures", () => {
  it.each([
    ["nothing", ""],
    ["an e-mail address", "john.doe@example.com"],
    ["128 characters", "a".repeat(128)],
    ["128 characters of two units each", "😀".repeat(128)],
    ["colons, spaces, slashes and signs", " a:b/c?d#e%20f&g=h+i "],
    ["the neighbours of the control characters", "\u0020\u007e\u00a0"],
    ["separators of lines and directions, which are no control characters", "\u2028\u2029\u202e\u200b"],
  ])("finds nothing wrong with %s", (_, name) => {
    expect(nameFailures(name)).toEqual([]);
  });

  it.each([
    ["129 characters", "a".repeat(129), [TOO_LONG]],
    ["129 characters of two units each", "😀".repeat(129), [TOO_LONG]],
    ["a megabyte", "a".repeat(1 << 20), [TOO_LONG]],
    ["NUL", "a\u0000b", [CONTROL_CHARACTER]],
    ["a line feed at the end", "a\n", [CONTROL_CHARACTER]],
    ["U+001F", "\u001f", [CONTROL_CHARACTER]],
    ["U+007F", "\u007f", [CONTROL_CHARACTER]],
    ["U+009F", "\u009f", [CONTROL_CHARACTER]],
    ["the first half of a pair", "a\ud83d", [LONE_SURROGATE]],
    ["the second half of a pair", "\ude00a", [LONE_SURROGATE]],
    ["halves in the wrong order", "\ude00\ud83d", [LONE_SURROGATE]],
    ["everything at once", `\t\ud83d${"a".repeat(128)}`, [TOO_LONG, CONTROL_CHARACTER, LONE_SURROGATE]],
  ])("refuses %s", (_, name, failures) => {
    expect(nameFailures(name)).toEqual(failures);
  });
});
