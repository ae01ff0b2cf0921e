import fc from "fast-check";
import { expect, test } from "vitest";
import { integerOf, parseExactIntegers } from "../../src/codec/exact-integers.js";
import type { JsonData } from "../../src/codec/json/data.js";

test.each<[json: string, value: JsonData]>([
  ["9007199254740991", 9007199254740991],
  ["9007199254740992", 9007199254740992n],
  ["9007199254740993", 9007199254740993n],
  ["-9007199254740993", -9007199254740993n],
  ["18446744073709551615", 18446744073709551615n],
  ["18446744073709551616", 18446744073709551616n],
  ["1e19", 10000000000000000000n],
  ["1.8446744073709551615E+19", 18446744073709551615n],
  ["9007199254740993.0", 9007199254740993n],
  ["9007199254740993.5", 9007199254740994],
  ["1e300", 1e300],
  ["-1e400", Number.NEGATIVE_INFINITY],
  ['"9007199254740993"', "9007199254740993"],
  ["[1,9007199254740993 , 2]", [1, 9007199254740993n, 2]],
  [' { "a" : 9007199254740993 }\n', { a: 9007199254740993n }],
  ['{"a":{"b":[{"c":9007199254740993}]},"d":true}', { a: { b: [{ c: 9007199254740993n }] }, d: true }],
  ['{"":9007199254740993,"\\"]}":"\\\\"}', { "": 9007199254740993n, '"]}': "\\" }],
  ["null", null],
])("%s", (json, value) => {
  expect(parseExactIntegers(json)).toEqual(value);
});

test("equals JSON.parse where numbers are exact", () => {
  const anyText = fc.tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, "\t"));
  fc.assert(
    fc.property(anyText, ([value, indent]) => {
      const json = JSON.stringify(value, undefined, indent);
      expect(rounded(parseExactIntegers(json))).toStrictEqual(JSON.parse(json));
    }),
    { numRuns: 1000 },
  );
});

/** A value with numbers in place of bigints. */
function rounded(value: JsonData): unknown {
  return JSON.parse(JSON.stringify(value, (_, each) => (typeof each === "bigint" ? Number(each) : each)));
}

test("a member __proto__ is an own property", () => {
  const value = parseExactIntegers('{"__proto__":{"a":9007199254740993}}') as object;
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.entries(value)).toEqual([["__proto__", { a: 9007199254740993n }]]);
});

test("any nesting", () => {
  const depth = 100_000;
  let value = parseExactIntegers(`${"[".repeat(depth)}9007199254740993${"]".repeat(depth)}`);
  for (let left = depth; left > 0; left--) {
    value = (value as JsonData[])[0] ?? null;
  }
  expect(value).toBe(9007199254740993n);
});

test.each([
  ["0", 0n],
  ["-0.0e5", 0n],
  ["1e2", 100n],
  ["1200e-2", 12n],
  ["1.5", undefined],
  ["1e-1", undefined],
  ["x", undefined],
  ["", undefined],
])("the integer of %s is %s", (text, value) => {
  expect(integerOf(text)).toBe(value);
});
