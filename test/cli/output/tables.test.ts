import { describe, expect, test } from "vitest";
import { fieldList, layOut, pathList, table, tableRow } from "../../../src/cli/output/tables.js";
import { createStyle } from "../../../src/cli/output/terminal.js";

const PLAIN = createStyle(false);

describe("tables", () => {
  const HEADER = ["code", "name", "again", "capital"];
  const ROWS = [
    ["FR", "France", "FR", "Paris"],
    ["BQ", "Bonaire, Sint Eustatius and Saba", "BQ", "Kralendijk"],
  ];

  test("are as wide as their texts", () => {
    expect(table(HEADER, ROWS, 80, PLAIN)).toEqual([
      "code  name                              again  capital",
      "FR    France                            FR     Paris",
      "BQ    Bonaire, Sint Eustatius and Saba  BQ     Kralendijk",
    ]);
  });

  test("narrow their widest columns first, and wrap their texts", () => {
    expect(table(HEADER, ROWS, 44, PLAIN)).toEqual([
      "code  name                 again  capital",
      "FR    France               FR     Paris",
      "BQ    Bonaire, Sint        BQ     Kralendijk",
      "      Eustatius and Saba",
    ]);
  });

  test("name the columns on the right that do not fit", () => {
    expect(layOut(HEADER, ROWS, 25)).toEqual({ widths: [4, 19], hidden: ["again", "capital"] });
    expect(layOut(HEADER, ROWS, 3)).toEqual({ widths: [3], hidden: ["name", "again", "capital"] });
    expect(table(HEADER, ROWS, 25, PLAIN).at(-1)).toBe(
      "Columns that do not fit: again, capital (see --fields, --json, or a wider terminal)",
    );
  });

  test("keep the first column as wide as half of the terminal", () => {
    const address = "2001:db8:1111:2222:3333:4444:5555:6666";
    const layout = layOut(["input", "name"], [[address, "a ".repeat(40)]], 80);
    expect(layout.widths).toEqual([38, 40]);
    expect(tableRow(layout, [`${address}${address}`, "a"])).toEqual([`${address}  a`, address]);
  });

  test("without rows have a header only", () => {
    expect(table(HEADER, [], 80, PLAIN)).toEqual(["code  name  again  capital"]);
  });
});

describe("one response", () => {
  const RESPONSE = {
    ip: "8.8.8.8",
    metadata: { asn: 1, eu: false },
    tags: ["a", "b"],
    rows: [{ a: "x", b: "y" }],
    none: [],
  };

  test("for people is indented", () => {
    expect(fieldList(RESPONSE, 80, PLAIN)).toEqual([
      ...["ip        8.8.8.8", "metadata", "  asn  1", "  eu   false", "tags      a, b"],
      ...["rows", "  a  b", "  x  y", "none"],
    ]);
  });

  test("for people has objects that are too wide for a table as lists", () => {
    const rows = [
      { name: "a".repeat(20), url: "b".repeat(40) },
      { name: "c", url: "" },
    ];
    expect(fieldList({ rows }, 30, PLAIN)).toEqual([
      "rows",
      `  - name  ${"a".repeat(20)}`,
      `    url   ${"b".repeat(40)}`,
      "  - name  c",
      "    url",
    ]);
  });

  test("for programs has a path and a tab on each line", () => {
    const lines =
      "ip\t8.8.8.8|metadata.asn\t1|metadata.eu\tfalse|tags.0\ta|tags.1\tb|rows.0.a\tx|rows.0.b\ty";
    expect(pathList(RESPONSE).join("|")).toBe(lines);
  });
});
