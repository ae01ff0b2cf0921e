import { expect, test } from "vitest";
import { fieldParts, transferCodingsOf, trimField } from "../../src/core/field-values.js";

test("optional white space is SP and HTAB alone (RFC 9110, section 5.6.3)", () => {
  const characters = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));
  const removed = [...characters, "\u2003", "\ufeff"].filter((each) => trimField(`${each}a${each}`) === "a");
  expect(removed).toEqual(["\t", " "]);
});

test.each([
  ["", ""],
  [" \t", ""],
  ["\t a \t b\t ", "a \t b"],
])("%j without white space is %j", (text, trimmed) => {
  expect(trimField(text)).toBe(trimmed);
});

test.each<[string, "," | ";", string[]]>([
  ["", ",", [""]],
  ["a ,\tb,, c;d", ",", ["a", "b", "", "c;d"]],
  ["a ;q=1;\xa0b", ";", ["a", "q=1", "\xa0b"]],
])("the parts of %j between %j", (value, separator, parts) => {
  expect(fieldParts(value, separator)).toEqual(parts);
});

test.each([
  ["chunked", "supported"],
  ["CHUNKED", "supported"],
  ["gzip, chunked", "unsupported"],
  ["gzip,chunked", "unsupported"],
  ["gzip;q=1 ,\tdeflate, Chunked", "unsupported"],
  ["identity, chunked", "unsupported"],
  ["chunked, chunked", "invalid"],
  ["", "invalid"],
  ["gzip", "invalid"],
  ["chunked, gzip", "invalid"],
  ["xchunked", "invalid"],
  ["x chunked", "invalid"],
  ["gzip, xchunked", "invalid"],
  ["chunked;a=b", "invalid"],
  [", chunked", "invalid"],
  ["gzip, , chunked", "invalid"],
  ["chunked, ", "invalid"],
  ["chunked\xa0", "invalid"],
  ["gzip,\xa0chunked", "invalid"],
  ["\xa0gzip, chunked", "invalid"],
  ["gzip x, chunked", "invalid"],
])("the transfer codings %j are %s", (codings, expected) => {
  expect(transferCodingsOf(codings, "1.1")).toBe(expected);
  expect(transferCodingsOf(codings, "1.0")).toBe("invalid");
});
