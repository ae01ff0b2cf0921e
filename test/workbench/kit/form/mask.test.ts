import { expect, test } from "vitest";
import { editedText, maskOf } from "../../../../src/workbench/kit/form/mask.js";

test("dots keep the lines and the length of a text", () => {
  expect(maskOf("ab c\n\n😀")).toBe("••••\n\n••");
});

test.each([
  ["typing into an empty field", "", "a", 0, 1, "a"],
  ["typing at the end", "ab", "••c", 2, 3, "abc"],
  ["typing in the middle", "ad", "•b•", 1, 2, "abd"],
  ["pasting over a selection", "abcd", "•x\ny•", 1, 4, "ax\nyd"],
  ["replacing everything", "abcd", "xy", 0, 2, "xy"],
  ["a backspace", "abcd", "•••", 2, 1, "acd"],
  ["deleting forward", "abcd", "•••", 2, 2, "abd"],
  ["removing a selection", "abcd", "••", 1, 1, "ad"],
  ["removing everything", "abcd", "", 0, 0, ""],
  ["typing a dot", "ab", "•••", 1, 2, "a•b"],
])("an edit by %s", (_name, text, shown, before, caret, edited) => {
  expect(editedText(text, shown, before, caret)).toBe(edited);
});
