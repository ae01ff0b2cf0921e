import { expect, test } from "vitest";
import { printCase, reportCase } from "./report.js";
import type { ContestantRun } from "./run-case.js";
import { parseCpuList, pinned } from "./server-process.js";
import { median, percentile, slope } from "./statistics.js";

const run = (name: string, rates: readonly number[], target?: number): ContestantRun => ({
  name,
  target,
  residentMemory: 250.4,
  rounds: rates.map((requestsPerSecond) => ({
    requests: requestsPerSecond * 5,
    requestsPerSecond,
    p50: 1.5,
    p99: 9,
    problems: [],
    processorTime: 1 / requestsPerSecond,
    processorShare: 0.99,
  })),
});

const REPORT = reportCase("geoIp", "GET /v1/geoIp", [
  run("ours", [1000, 900, 4000]),
  run("Fastify", [800, 900, 2000], 1.1),
  run("node:http", [1000, 1000, 4000], 1.05),
  run("connect-node", [500, 450, 2000]),
]);

test("a summary has the medians of the rounds", () => {
  expect(REPORT.contestants[0]).toEqual({
    name: "ours",
    requestsPerSecond: 1000,
    rounds: [1000, 900, 4000],
    p50: 1.5,
    p99: 9,
    processorShare: 0.99,
    processorTime: 1000,
    residentMemory: 250.4,
  });
});

test("compares round by round, and with the target", () => {
  expect(REPORT.comparisons).toEqual([
    { peer: "Fastify", ratio: 1.25, byProcessorTime: 1.25, target: 1.1, met: true },
    { peer: "node:http", ratio: 1, byProcessorTime: 1, target: 1.05, met: false },
    { peer: "connect-node", ratio: 2, byProcessorTime: 2, target: undefined, met: undefined },
  ]);
});

test("prints a line per contestant and per comparison", () => {
  const [, title, , ours, ...lines] = printCase(REPORT).split("\n");
  expect(title).toBe("geoIp: GET /v1/geoIp");
  expect(ours?.trim().split(/ +/)).toEqual([
    "ours",
    "1,000",
    "900",
    "4,000",
    "1.50",
    "9.00",
    "99",
    "%",
    "1000.0",
    "250",
  ]);
  expect(lines.slice(3).map((line) => line.replaceAll(/ +/g, " "))).toEqual([
    "ours: 1.25 times Fastify target 1.1: met by CPU time: 1.25",
    "ours: 1.00 times node:http target 1.05: MISSED by CPU time: 1.00",
    "ours: 2.00 times connect-node no target by CPU time: 2.00",
  ]);
});

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
