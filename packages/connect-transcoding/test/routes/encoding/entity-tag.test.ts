import { expect, test } from "vitest";
import { entityTagOf, matchesEntityTag } from "../../../src/routes/encoding/content-negotiation.js";

const LONG = "a".repeat(1025);

test("an entity tag is weak, opaque and specific to the body", () => {
  expect(entityTagOf("a")).toMatch(/^W\/"-?\d{1,10}\.-?\d{1,10}"$/);
  expect(entityTagOf("a")).toBe(entityTagOf("a"));
  expect(entityTagOf("a")).not.toBe(entityTagOf("b"));
  expect(entityTagOf(LONG)).toMatch(/^W\/"[A-Za-z0-9_-]{27}"$/);
  expect(entityTagOf(LONG)).toBe(entityTagOf(new TextEncoder().encode(LONG)));
  expect(entityTagOf(LONG)).not.toBe(entityTagOf(`${LONG}a`));
});

test("many similar texts have different tags", () => {
  const texts = Array.from(
    { length: 100_000 },
    (_, index) => `{"ip":"8.8.${index >> 8}.${index & 255}","asn":${index}}`,
  );
  expect(new Set(texts.map(entityTagOf)).size).toBe(texts.length);
  // Single-bit differences, and another order of code units.
  const zeros = Array.from({ length: 1025 }, (_, length) => "\0".repeat(length));
  expect(new Set(zeros.map(entityTagOf)).size).toBe(zeros.length);
  expect(entityTagOf("ab")).not.toBe(entityTagOf("ba"));
});

test("each half of a short tag changes with every byte of the text", () => {
  const halves = [new Set<unknown>(), new Set<unknown>()];
  for (let unit = 0; unit < 5000; unit++) {
    const tag = entityTagOf(`${"x".repeat(unit % 7)}${String.fromCharCode(unit + 0x100)}y`);
    for (const [index, half] of (tag ?? "").slice(3, -1).split(".").entries()) {
      halves[index]?.add(half);
    }
  }
  expect(halves.map(({ size }) => size)).toEqual([5000, 5000]);
});

test("the tag of a short text does not depend on a longer text before it", () => {
  const tag = entityTagOf("abcde");
  entityTagOf("x".repeat(1024));
  expect(entityTagOf("abcde")).toBe(tag);
  entityTagOf("€".repeat(1024));
  expect(entityTagOf("abcde")).toBe(tag);
});

// RFC 9110, sections 8.8.3.2 and 13.1.2.
test.each([
  ['W/"a"', true],
  ['"a"', true],
  ['"b", W/"a"', true],
  ['"b","c" , "a"', true],
  ["*", true],
  [" * ", true],
  ['"b"', false],
  ['"A"', false],
  ["a", false],
  ["", false],
  ['"a', false],
  ['W/"b", "c"', false],
])("If-None-Match: %s matches: %s", (header, matches) => {
  expect(matchesEntityTag(header, 'W/"a"')).toBe(matches);
});
