import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keepRepeated } from "../../../src/tools/geoip/repeat-cache.js";

/** Returns the function under test, and the calls of its `create`. */
function counted() {
  const calls: [text: string, isKept: boolean][] = [];
  const lookUp = keepRepeated((text, isKept) => {
    calls.push([text, isKept]);
    return { text };
  });
  return { calls, lookUp };
}

describe("keepRepeated", () => {
  it("keeps the result of a text from its second occurrence on", () => {
    const { calls, lookUp } = counted();
    const [first, second, third] = ["8.8.8.8", "8.8.8.8", "8.8.8.8"].map(lookUp);
    expect(calls).toEqual([
      ["8.8.8.8", false],
      ["8.8.8.8", true],
    ]);
    expect(second).not.toBe(first);
    expect(third).toBe(second);
  });

  it("keeps nothing if the text is longer than any address", () => {
    const { calls, lookUp } = counted();
    const [longest, longer] = ["f".repeat(45), "f".repeat(46)];
    for (const text of [longest, longest, longest, longer, longer, longer]) {
      expect(lookUp(text)).toEqual({ text });
    }
    expect(calls.map(([text, isKept]) => [text.length, isKept])).toEqual([
      [45, false],
      [45, true],
      [46, false],
      [46, false],
      [46, false],
    ]);
  });

  it("keeps nothing if `create` throws", () => {
    let calls = 0;
    const lookUp = keepRepeated(() => {
      calls += 1;
      throw new Error("no result");
    });
    for (let count = 0; count < 4; count++) {
      expect(() => lookUp("8.8.8.8")).toThrow("no result");
    }
    expect(calls).toBe(4);
  });

  it("keeps at most 4096 results", () => {
    const { calls, lookUp } = counted();
    const texts = Array.from({ length: 20_000 }, (_, index) => `2001:db8::${index.toString(16)}`);
    for (const text of texts) {
      lookUp(text);
      lookUp(text);
    }
    calls.length = 0;
    const found = texts.filter((text) => {
      const before = calls.length;
      lookUp(text);
      return calls.length === before;
    });
    expect(found.length).toBeLessThanOrEqual(4096);
    // Evenly spread: almost every slot has a text.
    expect(found.length).toBeGreaterThan(3900);
  });

  it("never returns the result of another text", () => {
    const { lookUp } = counted();
    // FNV-1a ends with one multiplication, so texts that differ in the last unit by a multiple of 4096 share a slot.
    const text = fc
      .tuple(fc.constantFrom("a", "b", ""), fc.constantFrom(0x61, 0x1061, 0x2061, 0x62))
      .map(([head, last]) => head + String.fromCharCode(last));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 50 }), (texts) => {
        expect(texts.map((each) => lookUp(each).text)).toEqual(texts);
      }),
    );
  });
});
