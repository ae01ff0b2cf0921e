import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonTokens } from "../../../src/workbench/kit/json-tokens.js";

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

test("loses nothing of any text, and finds every value of any JSON", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(
        jsonTokens(text)
          .map((token) => token.text)
          .join(""),
      ).toBe(text);
    }),
  );
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value, null, 2);
      expect(
        jsonTokens(json)
          .map((token) => token.text)
          .join(""),
      ).toBe(json);
      const strings = jsonTokens(json).filter(({ kind }) => kind === "string" || kind === "name");
      expect(strings.every(({ text }) => typeof JSON.parse(text) === "string")).toBe(true);
    }),
  );
});
