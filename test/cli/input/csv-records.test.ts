import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CsvRecord, createCsvReader } from "../../../src/cli/input/csv-records.js";
import { formatCsvRow } from "../../../src/text/csv.js";

function read(chunks: readonly (string | Uint8Array)[], maxBytes = 100): CsvRecord[] {
  const reader = createCsvReader(maxBytes);
  return [...chunks.flatMap((chunk) => reader.push(Buffer.from(chunk as string))), ...reader.end()];
}

/** The values of each record, or why it is not usable. */
const cellsOf = (records: readonly CsvRecord[]) =>
  records.map(({ cells, rejected }) => rejected?.reason ?? cells.join("|"));

describe("records", () => {
  // The first five are the examples of RFC 4180, section 2.
  test.each<[string, string, string[]]>([
    ["with a final line break", "aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n", ["aaa|bbb|ccc", "zzz|yyy|xxx"]],
    ["without one", "aaa,bbb,ccc\r\nzzz,yyy,xxx", ["aaa|bbb|ccc", "zzz|yyy|xxx"]],
    ["in quotation marks", '"aaa","bbb","ccc"\r\nzzz,yyy,xxx', ["aaa|bbb|ccc", "zzz|yyy|xxx"]],
    ["with a line break", '"aaa","b\r\nbb","ccc"\r\nzzz,yyy,xxx', ["aaa|b\r\nbb|ccc", "zzz|yyy|xxx"]],
    ["with quotation marks", '"aaa","b""bb","ccc"', ['aaa|b"bb|ccc']],
    ["with blank lines", "a,b\n\n \nc,d\n", ["a|b", "c|d"]],
    ["with blank lines in a value", 'a,"\n\n"\n', ["a|\n\n"]],
    ["with empty values", ',,\n"",a,""', ["||", "|a|"]],
    ["with a quotation mark in a value without them", '5" pipe,a', ['5" pipe|a']],
    ["with text after a quotation mark", '"a"b,c', ["ab|c"]],
    ["with a byte order mark", "\ufeffip,a", ["ip|a"]],
    ["that are too long", `${"a".repeat(101)}\nb`, ["LINE_TOO_LONG", "b"]],
    ["with an open quotation mark", `"a\n${"b\n".repeat(51)}c`, ["MALFORMED_RECORD", "b", "c"]],
  ])("%s", (_name, text, cells) => {
    expect(cellsOf(read([text]))).toEqual(cells);
  });

  test("have their text and line break, or why they are not usable", () => {
    expect(read(['"a", b\r\n', Buffer.from('caf\xe9,a\nb,"c', "latin1")])).toEqual([
      { text: '"a", b', cells: ["a", " b"], lineBreak: "\r\n" },
      {
        text: "caf\ufffd,a",
        cells: ["caf\ufffd,a"],
        lineBreak: "\n",
        rejected: expect.objectContaining({ message: "is not UTF-8" }),
      },
      {
        text: 'b,"c…',
        cells: ['b,"c…'],
        lineBreak: "\n",
        rejected: expect.objectContaining({ message: "a quotation mark is not closed" }),
      },
    ]);
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
      expect(cellsOf(read(chunks, 10_000))).toEqual(written.map((cells) => cells.join("|")));
    }),
  );
});
