import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editDistance } from "../../../src/tools/countries/edit-distance.js";

describe("editDistance", () => {
  test.each([
    ["", "", 0],
    ["", "abc", 3],
    ["germany", "germany", 0],
    ["germany", "germny", 1],
    ["iraq", "irak", 1],
    ["brasil", "brazill", 2],
    ["liechtenstein", "liechtenstien", 1],
    ["philippines", "phillipines", 2],
    ["ab", "ba", 1],
    ["ca", "abc", 3],
    ["kitten", "sitting", 3],
  ])("of %j and %j is %i", (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
    expect(editDistance(b, a)).toBe(distance);
  });

  test("is 0 only for equal texts, and at most the longer length", () => {
    const text = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const distance = editDistance(a, b);
        return (distance === 0) === (a === b) && distance <= Math.max(a.length, b.length);
      }),
    );
  });
});
