import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldText } from "../../src/text/fold-text.js";

describe("foldText", () => {
  test.each([
    ["Côte d’Ivoire", "cote d ivoire"],
    ["Türkiye", "turkiye"],
    ["İstanbul", "istanbul"],
    ["Færøerne", "faeroerne"],
    ["Österreich", "osterreich"],
    ["Azərbaycan", "azerbaycan"],
    ["Guinea-Bissau", "guinea bissau"],
    ["Haʻapai", "ha apai"],
    ["  St.  John’s ", "st john s"],
    ["New  Zealand", "new zealand"],
    ["NEW ZEALAND", "new zealand"],
    ["Łódź", "lodz"],
    ["Ελλάδα", "ελλαδα"],
    ["日本", "日本"],
    ["ミャンマー", "ミャンマー"],
    ["…", ""],
    ["", ""],
  ])("folds %s to %s", (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });

  test("is idempotent", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
      }),
      { numRuns: 1000 },
    );
  });

  test("ignores case", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => {
        expect(foldText(text.toUpperCase())).toBe(foldText(text.toLowerCase()));
      }),
    );
  });
});
