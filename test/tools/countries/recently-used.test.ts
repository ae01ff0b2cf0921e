import { describe, expect, it } from "vitest";
import { recentlyUsed } from "../../../src/tools/countries/recently-used.js";

/** Asks for keys one after the other, and tells for which a value was made. */
function madeFor(limit: number, keys: string): string {
  let made = "";
  const upper = recentlyUsed(limit, (key: string) => {
    made += key;
    return key.toUpperCase();
  });
  expect([...keys].map(upper).join("")).toBe(keys.toUpperCase());
  return made;
}

describe("a value", () => {
  it.each([
    ["is made once while its key is among the last ones", 2, "aababbab", "ab"],
    ["is made again when it was forgotten", 2, "abca", "abca"],
    ["is kept when its key was asked for since", 2, "abaca", "abc"],
    ["is kept alone where the limit is one", 1, "aabba", "aba"],
  ])("%s", (_, limit, keys, expected) => {
    expect(madeFor(limit, keys)).toBe(expected);
  });

  it("may be undefined", () => {
    let made = 0;
    const nothing = recentlyUsed(2, () => {
      made++;
      return undefined;
    });
    for (const key of ["a", "b", "a"]) {
      expect(nothing(key)).toBeUndefined();
    }
    expect(made).toBe(2);
  });
});
