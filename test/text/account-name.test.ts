import { describe, expect, it } from "vitest";
import { checkName, MAX_NAME_LENGTH } from "../../src/text/account-name.js";

const TOO_LONG = { reason: "TOO_LONG", description: `must have at most ${MAX_NAME_LENGTH} characters` };
const COLON = {
  reason: "COLON",
  description: "must not contain a colon, which separates issuer and label in otp_url",
};
const CONTROL_CHARACTER = {
  reason: "CONTROL_CHARACTER",
  description: "must not contain control characters (U+0000 to U+001F, U+007F to U+009F)",
};
const DIRECTION = {
  reason: "CONTROL_CHARACTER",
  description:
    "must not contain characters that control the direction of text " +
    "(U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069)",
};
const LONE_SURROGATE = {
  reason: "LONE_SURROGATE",
  description: "must be well-formed Unicode, contains half of a surrogate pair",
};

describe("checkName", () => {
  it.each([
    ["nothing", ""],
    ["an e-mail address", "john.doe@example.com"],
    ["128 characters", "a".repeat(128)],
    ["128 characters of two units each", "😀".repeat(128)],
    ["spaces, slashes and signs", " a/b?c#d%20e&f=g+h "],
    ["a full-width colon", "a\uff1ab"],
    ["the neighbors of the control characters", "\u0020\u007e\u00a0"],
    ["separators and joiners, which are no control characters", "\u2028\u2029\u200b\u200d"],
    ["the neighbors of the characters for directions", "\u061b\u061d\u2010\u202f\u2065\u206a"],
    ["text from right to left", "\u05e9\u05dc\u05d5\u05dd"],
  ])("accepts %s", (_, name) => {
    expect(checkName(name)).toEqual([]);
  });

  it.each([
    ["129 characters", "a".repeat(129), [TOO_LONG]],
    ["129 characters of two units each", "😀".repeat(129), [TOO_LONG]],
    ["a megabyte", "a".repeat(1 << 20), [TOO_LONG]],
    ["a colon", "a:b", [COLON]],
    ["a colon alone", ":", [COLON]],
    ["NUL", "a\u0000b", [CONTROL_CHARACTER]],
    ["a line feed at the end", "a\n", [CONTROL_CHARACTER]],
    ["U+001F", "\u001f", [CONTROL_CHARACTER]],
    ["U+007F", "\u007f", [CONTROL_CHARACTER]],
    ["U+009F", "\u009f", [CONTROL_CHARACTER]],
    ["a right-to-left override", "Bank\u202eknaB", [DIRECTION]],
    ["a left-to-right mark at the end", "a\u200e", [DIRECTION]],
    ["an isolate", "\u2066a", [DIRECTION]],
    ["the Arabic letter mark and a line feed", "\u061c\n", [CONTROL_CHARACTER, DIRECTION]],
    ["the first half of a pair", "a\ud83d", [LONE_SURROGATE]],
    ["the second half of a pair", "\ude00a", [LONE_SURROGATE]],
    ["halves in the wrong order", "\ude00\ud83d", [LONE_SURROGATE]],
    ["everything at once", `\t\ud83d${"a".repeat(128)}`, [TOO_LONG, CONTROL_CHARACTER, LONE_SURROGATE]],
  ])("rejects %s", (_, name, failures) => {
    expect(checkName(name)).toEqual(failures);
  });
});
