import { expect, test } from "vitest";
import { formatCsvRow, readQuotedText, uniqueNames } from "../../src/text/csv.js";

test("formatCsvRow quotes only fields that need it", () => {
  expect(formatCsvRow(["a b", 'c"d', "e,f", "g\nh", ""])).toBe('a b,"c""d","e,f","g\nh",');
  expect(formatCsvRow(["e,f", "g;h"], ";")).toBe('e,f;"g;h"');
});

test.each([
  ["no quote", "ab", 0, { value: "", next: 0, isClosed: true }],
  ["a quoted text", 'x,"a,b",y', 2, { value: "a,b", next: 7, isClosed: true }],
  ["two quotes in it", '"a""b"', 0, { value: 'a"b', next: 6, isClosed: true }],
  ["nothing in quotes", '"",', 0, { value: "", next: 2, isClosed: true }],
  ["no closing quote", '"a""b', 0, { value: 'a"b', next: 5, isClosed: false }],
  ["two quotes at the end", '"a""', 0, { value: 'a"', next: 4, isClosed: false }],
])("readQuotedText reads %s", (_, text, start, quoted) => {
  expect(readQuotedText(text, start)).toEqual(quoted);
});

test.each([
  [["city", "city_2", "city"], [], ["city", "city_2", "city_3"]],
  [
    ["country", "asn"],
    ["id", "country"],
    ["country_2", "asn"],
  ],
  [[], ["a", "a"], []],
])("uniqueNames of %j beside %j", (names, taken, unique) => {
  expect(uniqueNames(names, taken)).toEqual(unique);
});
