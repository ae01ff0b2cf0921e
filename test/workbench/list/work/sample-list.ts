import type { AnsweredList } from "../../../../src/workbench/list/work/answers.js";

/** A table of three rows: with values, with other values, and with an error. */
export const SAMPLE_LIST: AnsweredList = {
  header: ["name", "ip", "city"],
  column: 1,
  records: [
    ["=Jane", "8.8.8.8", "home"],
    ["Joe", "10.0.0.1"],
    ['Zoë, "Z"', "193.0.6.139", ""],
  ],
  columns: ["city", "lat", "eu"],
  answers: [
    { kind: "found", values: ["Mountain View", -37.4, false], error: "" },
    { kind: "reserved", values: [], error: "private" },
    { kind: "found", values: ["", 52.4, true], error: "" },
  ],
};
