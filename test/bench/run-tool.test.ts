import { expect, test } from "vitest";
import { parseCpuList, pinned } from "./run-tool.js";

test.each([
  ["", []],
  ["3", [3]],
  ["0-2", [0, 1, 2]],
  ["0-1,4,6-7", [0, 1, 4, 6, 7]],
])("the processors of %j are %j", (list, expected) => {
  expect(parseCpuList(list)).toEqual(expected);
});

test("a program is pinned only where there is a processor for it", () => {
  expect(pinned(1, "wrk", ["-v"])).toEqual(["taskset", "--cpu-list", "1", "wrk", "-v"]);
  expect(pinned(undefined, "wrk", ["-v"])).toEqual(["wrk", "-v"]);
});
