import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatCsvRow, parseCsv, readQuotedText, uniqueNames, withoutFormula } from "../../src/text/csv.js";

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

describe("parseCsv", () => {
  test.each<[string, string, string[][]]>([
    ["no text", "", []],
    // RFC 4180, section 2, rules 1 to 7
    [
      "rows that end with CRLF",
      "aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n",
      [
        ["aaa", "bbb", "ccc"],
        ["zzz", "yyy", "xxx"],
      ],
    ],
    [
      "a last row without a line break",
      "aaa,bbb\r\nzzz,yyy",
      [
        ["aaa", "bbb"],
        ["zzz", "yyy"],
      ],
    ],
    ["spaces", "aaa , bbb", [["aaa ", " bbb"]]],
    ["quoted fields", '"aaa","b ""b"" b",ccc', [["aaa", 'b "b" b', "ccc"]]],
    [
      "line breaks and commas in quotes",
      '"a\r\na","b,b"\r\nz,y',
      [
        ["a\r\na", "b,b"],
        ["z", "y"],
      ],
    ],
    // beyond RFC 4180
    ["LF and CR", "a\nb\rc", [["a"], ["b"], ["c"]]],
    ["blank lines", "a\n\nb\n", [["a"], [""], ["b"]]],
    [
      "empty fields",
      ",\na,\n",
      [
        ["", ""],
        ["a", ""],
      ],
    ],
    ["an empty last field without a line break", "a,", [["a", ""]]],
    ["a quote inside a field", 'a"b,c', [['a"b', "c"]]],
    ["text after a closing quote", '"a"b,c', [["ab", "c"]]],
    ["a missing closing quote", 'x,"a,b\nc', [["x", "a,b\nc"]]],
  ])("%s", (_, text, rows) => {
    expect(parseCsv(text, ",")).toEqual(rows);
  });

  test.each([";", "\t"])("splits at the delimiter %j only", (delimiter) => {
    expect(parseCsv(`a,b${delimiter}c`, delimiter)).toEqual([["a,b", "c"]]);
  });

  test("reads what formatCsvRow writes", () => {
    const field = fc.oneof(fc.string(), fc.stringMatching(/^[",;\t\r\n a]{0,6}$/));
    const rows = fc.array(fc.array(field, { minLength: 1 }));
    fc.assert(
      fc.property(rows, fc.constantFrom(",", ";", "\t"), (written, delimiter) => {
        const text = written.map((row) => `${formatCsvRow(row, delimiter)}\r\n`).join("");
        expect(parseCsv(text, delimiter)).toEqual(written);
      }),
    );
  });
});

describe("withoutFormula", () => {
  test.each([
    ["=1+1", "'=1+1"],
    ["+49 30 1", "'+49 30 1"],
    ["-x@example.com", "'-x@example.com"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["\r=1", "'\r=1"],
    ["-1+1", "'-1+1"],
    // numbers and ordinary texts
    ["-122.085", "-122.085"],
    ["+1", "+1"],
    ["jane+x@example.com", "jane+x@example.com"],
    ["::1", "::1"],
    ["", ""],
  ])("%j becomes %j", (text, safe) => {
    expect(withoutFormula(text)).toBe(safe);
  });
});
