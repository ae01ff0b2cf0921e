import { expect, test } from "vitest";
import { shortText } from "../../../src/workbench/list/short-text.js";

test("a long input is shown in part", () => {
  expect(shortText("x".repeat(80))).toBe("x".repeat(80));
  expect(shortText("x".repeat(81))).toBe(`${"x".repeat(79)}…`);
});
