import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldText } from "../../../../src/workbench/panels/countries/fold-text.js";

describe("foldText", () => {
  test.each([
    ["Côte d’Ivoire", "cote d ivoire"],
    ["Türkiye", "turkiye"],
    ["İstanbul", "istanbul"],
    ["Færøerne", "faeroerne"],
    ["Österreich", "osterreich"],
    ["Guinea-Bissau", "guinea bissau"],
    ["  St.  John’s ", "st john s"],
    ["Łódź", "lodz"],
    ["Ελλάδα", "ελλαδα"],
    ["日本", "日本"],
    ["…", ""],
  ])("%s is compared as %s", (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });

  test("twice is the same as once", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
      }),
      { numRuns: 1000 },
    );
  });

  test("does not mind capitals", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => {
        expect(foldText(text.toUpperCase())).toBe(foldText(text.toLowerCase()));
      }),
    );
  });
});
