import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseFormUrlEncoded } from "../../../src/routes/binding/request-path.js";
import { decodePercent, decodePercentExceptSlash } from "../../../src/routes/rules/percent-encoding.js";

test.each([
  ["", ""],
  ["plain", "plain"],
  ["a+b", "a+b"],
  ["%41", "A"],
  ["%c3%a9", "é"],
  ["%F0%9F%98%80", "😀"],
  ["%25%32%35", "%25"],
  ["%2F", "/"],
  ["%", undefined],
  ["%4", undefined],
  ["%4g", undefined],
  ["%FF", undefined],
  ["%C3", undefined],
  ["%ED%A0%80", undefined],
  ["%C0%AF", undefined],
])("decodes %j to %j", (text, decoded) => {
  expect(decodePercent(text)).toBe(decoded);
});

test.each([
  ["a%2Fb%2fc", "a%2Fb%2fc"],
  ["%41%2F%42", "A%2FB"],
  ["%252F", "%2F"],
  ["%zz%2F", undefined],
])("decodes %j to %j except slashes", (text, decoded) => {
  expect(decodePercentExceptSlash(text)).toBe(decoded);
});

test.each([
  ["", []],
  ["&&", []],
  ["a=1", [["a", "1"]]],
  [
    "a=1&b=2&a=3",
    [
      ["a", "1"],
      ["b", "2"],
      ["a", "3"],
    ],
  ],
  ["a", [["a", ""]]],
  ["a=", [["a", ""]]],
  ["=b", [["", "b"]]],
  ["a=b=c", [["a", "b=c"]]],
  [
    "a=b+c&d+e=f",
    [
      ["a", "b c"],
      ["d e", "f"],
    ],
  ],
  ["a=%2B%26%3D", [["a", "+&="]]],
  ["email=x%2By%40example.com", [["email", "x+y@example.com"]]],
  ["a=%", undefined],
  ["%FF=a", undefined],
])("parses the form %j", (text, pairs) => {
  expect(parseFormUrlEncoded(text)).toEqual(pairs);
});

test("parses the output of URLSearchParams", () => {
  const pair = fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(fc.array(pair), (pairs) => {
      expect(parseFormUrlEncoded(new URLSearchParams(pairs).toString())).toEqual(pairs);
    }),
  );
});

test("never throws", () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
      decodePercent(text);
      decodePercentExceptSlash(text);
      parseFormUrlEncoded(text);
    }),
  );
});
