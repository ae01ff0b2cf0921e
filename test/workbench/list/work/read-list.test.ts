import { describe, expect, test } from "vitest";
import { createAddressFinder } from "../../../../src/text/find-address.js";
import { entriesOf } from "../../../../src/workbench/list/work/list-entries.js";
import {
  decodeText,
  detectLayout,
  type ItemFormat,
  readList,
} from "../../../../src/workbench/list/work/read-list.js";

const ADDRESSES: ItemFormat = { looksRight: (text) => /^[\d.]{7,}$|^::\d$/.test(text), columnName: /^ip$/i };
const EMAILS: ItemFormat = { looksRight: (text) => /^\S+@\S+$/.test(text), columnName: /^e-?mail$/i };

const LINKS: ItemFormat = {
  looksRight: (text) => /^https:/.test(text),
  columnName: /^(link|text)$/i,
  isWholeLine: true,
};

test.each<[string, string, string[], Partial<ReturnType<typeof detectLayout>>]>([
  ["commas", "Hello, world\nfoo, bar", ["Hello, world", "foo, bar"], { hasHeader: false }],
  ["words", "https://a https://b", ["https://a https://b"], { hasHeader: false }],
  ["links with commas", "https://a?q=1,2\nhttps://b", ["https://a?q=1,2", "https://b"], { hasHeader: false }],
  ["a line with the name of a column", "Link\nHello", ["Link", "Hello"], { hasHeader: false }],
  ["a column with a header", "Link\nhttps://a", ["Link", "https://a"], { hasHeader: true }],
  ["a table of links", "nr,where\n1,https://a", ["nr|where", "1|https://a"], { column: 1, hasHeader: true }],
  ["a table of texts", "nr;Text\n1;a, b", ["nr|Text", "1|a, b"], { column: 1, hasHeader: true }],
  ["an empty column", "a, \nb, ", ["a,", "b,"], { hasHeader: false }],
])("whole lines: %s", (_, text, records, layout) => {
  const list = readList(text, LINKS);
  expect(list.records.map((record) => record.join("|"))).toEqual(records);
  expect(detectLayout(list, LINKS)).toMatchObject(layout);
});

describe("a plain list", () => {
  test.each<[string, string, string[]]>([
    ["no text", "", []],
    ["only blanks", " \n\t\n", []],
    ["one item", "8.8.8.8", ["8.8.8.8"]],
    ["lines with spaces and blank lines", " 8.8.8.8 \r\n\r\n1.1.1.1\n", ["8.8.8.8", "1.1.1.1"]],
    ["a byte order mark", "\uFEFF8.8.8.8\n::1", ["8.8.8.8", "::1"]],
    [
      "commas, semicolons, tabs, spaces",
      "8.8.8.8, 1.1.1.1;9.9.9.9\t::1 ::2",
      ["8.8.8.8", "1.1.1.1", "9.9.9.9", "::1", "::2"],
    ],
    [
      "columns of items only",
      "8.8.8.8,1.1.1.1\n9.9.9.9,8.8.4.4",
      ["8.8.8.8", "1.1.1.1", "9.9.9.9", "8.8.4.4"],
    ],
    ["texts that are no items", "8.8.8.8\nnot an address", ["8.8.8.8", "not an address"]],
    ["quoted lines", '"8.8.8.8"\n"a, ""b"""', ["8.8.8.8", 'a, "b"']],
  ])("%s", (_, text, items) => {
    const list = readList(text, ADDRESSES);
    expect(list).toEqual({ delimiter: undefined, records: items.map((item) => [item]) });
  });

  test.each([
    ["ip\n8.8.8.8", ADDRESSES, true],
    ["nonsense\n8.8.8.8", ADDRESSES, false],
    ["8.8.8.8\n1.1.1.1", ADDRESSES, false],
    ["E-Mail\njane@example.com", EMAILS, true],
  ] as const)("the header of %j", (text, format, hasHeader) => {
    expect(detectLayout(readList(text, format), format)).toEqual({ column: 0, hasHeader });
  });
});

describe("a table", () => {
  test.each([
    ["a header", "name,address\nJane,8.8.8.8\nJoe,1.1.1.1", ",", ADDRESSES, 1, true],
    ["no header", "Jane,8.8.8.8\nJoe,1.1.1.1", ",", ADDRESSES, 1, false],
    [
      "semicolons, and commas in fields",
      "id;email\n1,5;jane@example.com\n2,5;joe@example.com",
      ";",
      EMAILS,
      1,
      true,
    ],
    ["tabs", "when\tip\n10:00\t8.8.8.8", "\t", ADDRESSES, 1, true],
    ["quotes", '"name","e-mail"\r\n"Doe, Jane","jane@example.com"\r\n', ",", EMAILS, 1, true],
    ["a few wrong fields", "n,x\n1,8.8.8.8\n2,nonsense\n3,1.1.1.1", ",", ADDRESSES, 1, true],
    ["a short row", `n,x\n${"1,8.8.8.8\n".repeat(20)}2`, ",", ADDRESSES, 1, true],
    [
      "a named column among several that look right",
      "src,ip,n\n1.1.1.1,8.8.8.8,1\n1.1.1.1,8.8.8.8,2",
      ",",
      ADDRESSES,
      1,
      true,
    ],
    ["only columns of items", "from,to\n1.1.1.1,8.8.8.8\n1.1.1.1,8.8.4.4", ",", ADDRESSES, 0, true],
    ["only a name", "a,b,ip\n1,2,x\n3,4,y", ",", ADDRESSES, 2, true],
    ["nothing that looks right", "a,b\n1,2", ",", ADDRESSES, 0, false],
  ] as const)("with %s", (_, text, delimiter, format, column, hasHeader) => {
    const list = readList(text, format);
    expect(list.delimiter).toBe(delimiter);
    expect(detectLayout(list, format)).toEqual({ column, hasHeader });
  });

  test("keeps its fields, and omits blank rows", () => {
    expect(readList('ip,note\r\n\r\n8.8.8.8," a ""b"""\r\n,\r\n1.1.1.1,\r\n', ADDRESSES).records).toEqual([
      ["ip", "note"],
      ["8.8.8.8", ' a "b"'],
      ["1.1.1.1", ""],
    ]);
  });

  test("is detected from the first lines of a long text", () => {
    const text = `ip,note\n${"8.8.8.8,x\n".repeat(20_000)}`;
    expect(readList(text, ADDRESSES)).toMatchObject({ delimiter: ",", records: { length: 20_001 } });
  });
});

test.each<[string, string, string[], string | undefined]>([
  [
    "nginx",
    '8.8.8.8 - - "GET /" "(KHTML, like Gecko)"\n1.1.1.1 - - "GET /" "(KHTML, like Gecko)"',
    ["8.8.8.8", "1.1.1.1"],
    undefined,
  ],
  [
    "JSON Lines",
    '{"n":1,"client_ip":"8.8.8.8"}\n{"n":2,"client_ip":"1.1.1.1"}',
    ["8.8.8.8", "1.1.1.1"],
    undefined,
  ],
  ["IIS", "#Fields: time s-ip c-ip\n10:00 9.9.9.9 8.8.8.8", ["8.8.8.8"], undefined],
  ["ports", "8.8.8.8:53\n[::1]:443\nno address", ["8.8.8.8", "::1", "no address"], undefined],
  ["a line with the delimiter", "sep=;\nn;ip\n1;8.8.8.8\n2;1.1.1.1:80", ["8.8.8.8", "1.1.1.1"], ";"],
  ["bars", "a|ip\n1|8.8.8.8", ["8.8.8.8"], "|"],
])("the addresses in lines: %s", (_, text, inputs, delimiter) => {
  const format = { ...ADDRESSES, createFinder: () => createAddressFinder("client") };
  const list = readList(text, format);
  expect(list.delimiter).toBe(delimiter);
  expect(entriesOf(list, detectLayout(list, format)).inputs).toEqual(inputs);
});

test.each([
  ["UTF-8", [0x4d, 0xc3, 0xbc], "Mü"],
  ["UTF-8 with a byte order mark", [0xef, 0xbb, 0xbf, 0x41], "A"],
  ["UTF-16, little-endian", [0xff, 0xfe, 0x4d, 0x00, 0xfc, 0x00], "Mü"],
  ["UTF-16, big-endian", [0xfe, 0xff, 0x00, 0x4d, 0x00, 0xfc], "Mü"],
  ["Windows-1252", [0x4d, 0xfc], "Mü"],
  // The first bytes of a ZIP archive, as of a spreadsheet
  ["no text", [0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x06, 0x00], undefined],
])("decodeText %s", (_, bytes, text) => {
  expect(decodeText(new Uint8Array(bytes))).toBe(text);
});
