import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editDistance } from "../../src/text/edit-distance.js";

/** The same distance without a limit, computed from the definition. */
function plainDistance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  const at = (i: number, j: number) => table[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const edits = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)];
      const row = table[i] ?? [];
      row[j] = Math.min(...edits, isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY);
    }
  }
  return at(a.length, b.length);
}

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
    expect(editDistance(a, b, 4)).toBe(distance);
    expect(editDistance(b, a, 4)).toBe(distance);
  });

  test("is the distance by its definition, up to a limit", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "é"), maxLength: 80 });
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 6 }), (a, b, limit) => {
        expect(editDistance(a, b, limit)).toBe(Math.min(plainDistance(a, b), limit + 1));
      }),
      { numRuns: 1_000 },
    );
  });

  test("of similar texts is the distance by its definition", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 4, maxLength: 12 });
    const change = fc.tuple(fc.nat(11), fc.constantFrom("", "a", "b"));
    fc.assert(
      fc.property(text, fc.array(change, { maxLength: 3 }), (a, changes) => {
        const b = changes.reduce((old, [at, letter]) => old.slice(0, at) + letter + old.slice(at + 1), a);
        expect(editDistance(a, b, 3)).toBe(Math.min(plainDistance(a, b), 4));
      }),
      { numRuns: 1_000 },
    );
  });
});
