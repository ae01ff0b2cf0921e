import { describe, expect, test } from "vitest";
import { filterRows, type RowFilter, sortRows } from "../../../../src/workbench/list/work/select-rows.js";
import { SAMPLE_LIST } from "./sample-list.js";

describe("sortRows", () => {
  test.each<[string, number | undefined, boolean, number[]]>([
    ["keeps the order of the list", undefined, false, [0, 1, 2]],
    ["sorts by a field", 0, false, [0, 1, 2]],
    ["sorts by a field, descending", 0, true, [2, 1, 0]],
    ["sorts addresses by their numbers", 1, false, [0, 1, 2]],
    ["sorts numbers, with unknown values last", 4, false, [0, 2, 1]],
    ["sorts numbers, descending, with unknown values last", 4, true, [2, 0, 1]],
    ["sorts booleans", 5, true, [2, 0, 1]],
    ["sorts errors, and keeps the order of equal values", 6, false, [1, 0, 2]],
  ])("%s", (_, sortBy, isDescending, rows) => {
    expect(sortRows(SAMPLE_LIST, { sortBy, isDescending })).toEqual(rows);
  });

  test("compares texts without case and accents, and numbers in them by their value", () => {
    const texts = [
      "2a00::1",
      "9.9.9.9",
      "10.0.0.1",
      "Item 9",
      "item 10",
      "Norway",
      "Österreich",
      "Zoa",
      "zoë",
      "",
    ];
    const records = texts.map((text) => [text]).reverse();
    const list = { ...SAMPLE_LIST, header: ["text"], records, answers: [] };
    const sorted = sortRows(list, { sortBy: 0, isDescending: false }).map((row) => records[row]?.[0]);
    expect(sorted).toEqual(texts);
  });

  test("sorts rows without answers", () => {
    expect(sortRows({ ...SAMPLE_LIST, answers: [] }, { sortBy: 4, isDescending: false })).toEqual([0, 1, 2]);
  });
});

test.each<[string, RowFilter, number[]]>([
  ["nothing", { text: " ", kind: "" }, [2, 1, 0]],
  ["a kind", { text: "", kind: "found" }, [2, 0]],
  ["a text in a field", { text: " JOE ", kind: "" }, [1]],
  ["a text in a value", { text: "mountain", kind: "" }, [0]],
  ["a text in an error", { text: "private", kind: "" }, [1]],
  ["characters of patterns", { text: "3.0.6.1", kind: "" }, [2]],
  ["characters of patterns that do not match", { text: "8.8.8.8|", kind: "" }, []],
  ["a text and a kind", { text: "193", kind: "reserved" }, []],
])("filterRows filters by %s, and keeps the order", (_, filter, rows) => {
  expect(filterRows(SAMPLE_LIST, [2, 1, 0], filter)).toEqual(rows);
});
