import { describe, expect, test } from "vitest";
import { abbreviate } from "../../src/errors/http-error.js";

describe("abbreviate", () => {
  test.each([
    ["64 letters", "a".repeat(64)],
    ["64 characters of two code units", "😀".repeat(64)],
  ])("keeps %s", (_what, name) => {
    expect(abbreviate(name)).toBe(name);
  });

  test.each([
    ["65 letters", "a".repeat(65), "a".repeat(64)],
    ["65 characters of two code units", "😀".repeat(65), "😀".repeat(64)],
    ["a letter and 64 of these", `a${"😀".repeat(64)}`, `a${"😀".repeat(63)}`],
    ["1,000 of these", "😀".repeat(1000), "😀".repeat(64)],
  ])("cuts %s after 64 characters", (_what, name, kept) => {
    expect(abbreviate(name)).toBe(`${kept}…`);
  });
});
