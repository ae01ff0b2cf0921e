import type { JsonValue } from "@bufbuild/protobuf";
import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLiteral, jsonTokens } from "../../../src/workbench/snippet/json.js";

test.each<[JsonValue, string]>([
  ["it's", '"it\'s"'],
  ["a\nb\t\u0000", '"a\\nb\\t\\u0000"'],
  // Terminals interpret DEL and C1 controls; RIGHT-TO-LEFT OVERRIDE reverses the text after it.
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
  expect(jsonLiteral(value)).toBe(text);
});

test("jsonLiteral writes the same value without invisible characters", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: ANY_CHARACTER }), (value) => {
      const text = jsonLiteral(value as JsonValue);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(text.replaceAll("\n", "")).not.toMatch(/\p{C}/u);
    }),
  );
});

const shown = (json: string) =>
  jsonTokens(json)
    .filter(({ kind }) => kind !== "other")
    .map(({ kind, text }) => `${kind} ${text}`);

test.each([
  ['{"a": "b"}', ['name "a"', 'string "b"']],
  [
    '{"a\\"": -1.5e+3, "b": [true, false, null]}',
    ['name "a\\""', "number -1.5e+3", 'name "b"', "word true", "word false", "word null"],
  ],
  ['["true", "1", "a:b", "\\\\"]', ['string "true"', 'string "1"', 'string "a:b"', 'string "\\\\"']],
  ["[0, -0, 12.25]", ["number 0", "number -0", "number 12.25"]],
  ["{}", []],
])("%s", (json, expected) => {
  expect(shown(json)).toEqual(expected);
});

test("jsonTokens preserves any text and finds the strings of any JSON", () => {
  const joined = (text: string) => jsonTokens(text).reduce((all, token) => all + token.text, "");
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER }), fc.jsonValue(), (text, value) => {
      expect(joined(text)).toBe(text);
      const json = JSON.stringify(value, null, 2);
      expect(joined(json)).toBe(json);
      const strings = jsonTokens(json).filter(({ kind }) => kind === "string" || kind === "name");
      expect(strings.every((token) => typeof JSON.parse(token.text) === "string")).toBe(true);
    }),
  );
});
