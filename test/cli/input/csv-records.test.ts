import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CsvRecord, createCsvReader } from "../../../src/cli/input/csv-records.js";
import { formatCsvRow } from "../../../src/text/csv.js";

function read(chunks: readonly (string | Uint8Array)[], maxBytes = 100): CsvRecord[] {
  const reader = createCsvReader(maxBytes);
  return [...chunks.flatMap((chunk) => reader.push(Buffer.from(chunk as string))), ...reader.end()];
}

const cellsOf = (records: readonly CsvRecord[]) =>
  records.map((record) => (record.kind === "record" ? record.cells : record.kind));

describe("records", () => {
  // The first five are the examples of RFC 4180, section 2.
  test.each<[string, string, string[][]]>([
    [
      "with a final line break",
      "aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n",
      [
        ["aaa", "bbb", "ccc"],
        ["zzz", "yyy", "xxx"],
      ],
    ],
    [
      "without one",
      "aaa,bbb,ccc\r\nzzz,yyy,xxx",
      [
        ["aaa", "bbb", "ccc"],
        ["zzz", "yyy", "xxx"],
      ],
    ],
    [
      "in quotation marks",
      '"aaa","bbb","ccc"\r\nzzz,yyy,xxx',
      [
        ["aaa", "bbb", "ccc"],
        ["zzz", "yyy", "xxx"],
      ],
    ],
    [
      "with a line break",
      '"aaa","b\r\nbb","ccc"\r\nzzz,yyy,xxx',
      [
        ["aaa", "b\r\nbb", "ccc"],
        ["zzz", "yyy", "xxx"],
      ],
    ],
    ["with quotation marks", '"aaa","b""bb","ccc"', [["aaa", 'b"bb', "ccc"]]],
    [
      "with blank lines",
      "a,b\n\n \nc,d\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["with blank lines in a value", 'a,"\n\n"\n', [["a", "\n\n"]]],
    [
      "with empty values",
      ',,\n"",a,""',
      [
        ["", "", ""],
        ["", "a", ""],
      ],
    ],
    ["with a quotation mark in a value without them", '5" pipe,a', [['5" pipe', "a"]]],
    ["with text after a quotation mark", '"a"b,c', [["ab", "c"]]],
    ["with a byte order mark", "\ufeffip,a", [["ip", "a"]]],
  ])("%s", (_name, text, cells) => {
    expect(cellsOf(read([text]))).toEqual(cells);
  });

  test("have their text and line break", () => {
    expect(read(['"a", b\r\nc\n'])).toEqual([
      { kind: "record", text: '"a", b', cells: ["a", " b"], lineBreak: "\r\n" },
      { kind: "record", text: "c", cells: ["c"], lineBreak: "\n" },
    ]);
  });

  test("that are not usable are reported in their place", () => {
    const latin = Buffer.from('caf\xe9,a\nb,"c', "latin1");
    expect(read(["a,b\n", latin])).toEqual([
      expect.objectContaining({ cells: ["a", "b"] }),
      { kind: "not_utf8", start: "caf\ufffd,a" },
      { kind: "unclosed", start: 'b,"c…' },
    ]);
    expect(cellsOf(read([`${"a".repeat(101)}\nb`]))).toEqual(["too_long", ["b"]]);
  });

  test("with a quotation mark that is not closed end at the limit, and reading continues", () => {
    const lines = `"a\n${"b\n".repeat(60)}c,d\n`;
    expect(cellsOf(read([lines])).slice(0, 2)).toEqual(["unclosed", ["b"]]);
    expect(cellsOf(read([lines])).at(-1)).toEqual(["c", "d"]);
  });
});

const value = fc.string({ unit: fc.constantFrom("a", "é", '"', ",", "\n", "\r\n", " ", "😀") });

test("records that are written are read, in chunks of any length", () => {
  const records = fc.array(fc.array(value, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
  fc.assert(
    fc.property(records, fc.array(fc.nat()), (given, cuts) => {
      const written = given.filter((cells) => cells.join("").trim() !== "" || cells.length > 1);
      const input = Buffer.from(written.map((cells) => `${formatCsvRow(cells)}\n`).join(""));
      const ends = [...cuts.map((cut) => cut % (input.length + 1)).toSorted((a, b) => a - b), input.length];
      const chunks = ends.map((end, index) => input.subarray(ends[index - 1] ?? 0, end));
      expect(cellsOf(read(chunks, 10_000))).toEqual(written);
    }),
  );
});
