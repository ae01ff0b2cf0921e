import type { JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText } from "../../../src/workbench/snippet/json-text.js";

test.each<[JsonValue, string]>([
  ["it's", '"it\'s"'],
  ["a\nb\t\u0000", '"a\\nb\\t\\u0000"'],
  // A terminal would act on DEL and on controls of C1; RIGHT-TO-LEFT OVERRIDE would turn what follows around.
  ["\u007f\u009b\u202e", '"\\u007f\\u009b\\u202e"'],
  ["\u2028\ufeff\u200d", '"\\u2028\\ufeff\\u200d"'],
  ["\ud800", '"\\ud800"'],
  ["😀 é 中", '"😀 é 中"'],
  ["\u{e0001}", '"\\udb40\\udc01"'],
  [null, "null"],
  [{}, "{}"],
  [{ a: 1, b: [true, "x"] }, '{"a": 1, "b": [true, "x"]}'],
  [{ long: "x".repeat(60), b: { c: [] } }, `{\n  "long": "${"x".repeat(60)}",\n  "b": {"c": []}\n}`],
  [[["x".repeat(60)]], `[\n  [\n    "${"x".repeat(60)}"\n  ]\n]`],
])("%j", (value, text) => {
  expect(jsonText(value)).toBe(text);
});

test("is the same value, and nothing in it is invisible", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      const text = jsonText(value as JsonValue);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(text.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
    }),
  );
});
