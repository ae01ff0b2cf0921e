import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CASES } from "./cases.js";
import { buildLoadProgram, hasGo } from "./go-programs.js";
import { createLoad, fetchResponses, type LoadOptions, parseResponses, type Workload, writeWorkload } from "./load.js";
import { listenOnLoopback } from "./peers/listen.js";
import { formatReport, reportCase } from "./report.js";
import { type ContestantRun, findDifference, problemOf } from "./run-case.js";
import { parseCpuList, pinned } from "./server-process.js";
import { median, percentile, slope } from "./statistics.js";

test.each([
  [[], Number.NaN],
  [[7], 7],
  [[9, 1, 2], 2],
  [[10, 9, 1, 2], 5.5],
])("the median of %j is %d", (values, expected) => {
  expect(median(values)).toBe(expected);
});

test.each([
  [[], 0.5, Number.NaN],
  [[7], 0.99, 7],
  [[1, 2], 0.5, 1],
  [[1, 2, 3], 0.5, 2],
  [Array.from({ length: 200 }, (_, index) => index + 1), 0.99, 198],
])("of %j, the part %d does not exceed %d", (sorted, part, expected) => {
  expect(percentile(sorted, part)).toBe(expected);
});

test.each<[(readonly [number, number])[], number]>([
  [
    [
      [0, 5],
      [10, 5],
      [20, 5],
    ],
    0,
  ],
  [
    [
      [0, 0],
      [1, 3],
      [2, 3],
      [3, 6],
    ],
    1.8,
  ],
])("the slope of %j is %d", (points, expected) => {
  expect(slope(points)).toBeCloseTo(expected, 12);
});

test("the slope of one point is NaN", () => {
  expect(slope([[0, 1]])).toBe(Number.NaN);
});

test.each([
  ["", []],
  ["3", [3]],
  ["0-2", [0, 1, 2]],
  ["0-1,4,6-7", [0, 1, 4, 6, 7]],
])("the processors of %j are %j", (list, expected) => {
  expect(parseCpuList(list)).toEqual(expected);
});

test("pins a program only if a processor is given", () => {
  expect(pinned(1, "wrk", ["-v"])).toEqual(["taskset", "--cpu-list", "1", "wrk", "-v"]);
  expect(pinned(undefined, "wrk", ["-v"])).toEqual(["wrk", "-v"]);
});
