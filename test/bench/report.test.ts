import { expect, test } from "vitest";
import { printCase, reportCase } from "./report.js";
import type { ContestantRun } from "./run-case.js";

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

test("contestants are summed up by the medians of their rounds", () => {
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

test("peers are compared round by round and held against the target", () => {
  expect(REPORT.comparisons).toEqual([
    { peer: "Fastify", ratio: 1.25, byProcessorTime: 1.25, target: 1.1, met: true },
    { peer: "node:http", ratio: 1, byProcessorTime: 1, target: 1.05, met: false },
    { peer: "connect-node", ratio: 2, byProcessorTime: 2, target: undefined, met: undefined },
  ]);
});

test("a case is printed with a line for each contestant and each comparison", () => {
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
