import { describe, expect, test } from "vitest";
import { parseH2load, parseWrk, wrkScript } from "./load.js";
import { printCase, reportCase } from "./report.js";
import type { ContestantRun } from "./run-case.js";
import { parseCpuList, pinned } from "./server-process.js";
import { median, percentile, slope } from "./statistics.js";

const wrkOutput = (summary: string) => `Running 1s test @ http://127.0.0.1:37097
  1 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.64ms    2.12ms  25.33ms   88.74%
    Req/Sec     9.16k     5.41k   15.26k    50.00%
  9098 requests in 1.00s, 3.05MB read
Requests/sec:   9081.87
Transfer/sec:      3.04MB
${summary}`;

describe("parseWrk", () => {
  test("reads only the line of the script", () => {
    const summary =
      '{"requests":9098,"microseconds":1001776,"p50":668,"p99":10128,"connect":0,"read":0,"write":0,"timeout":0,"status":0}\n';
    const { requestsPerSecond, ...rest } = parseWrk(wrkOutput(summary));
    expect(rest).toEqual({ requests: 9098, p50: 0.668, p99: 10.128, problems: [] });
    expect(requestsPerSecond).toBeCloseTo(9081.87, 2);
  });

  test("reports every kind of error", () => {
    const summary =
      '{"requests":5,"microseconds":1000000,"p50":1,"p99":1,"connect":1,"read":2,"write":3,"timeout":4,"status":5}';
    expect(parseWrk(wrkOutput(summary)).problems).toEqual([
      "1 connect errors",
      "2 read errors",
      "3 write errors",
      "4 timeout errors",
      "5 status errors",
    ]);
  });

  test("reports a missing response as a problem", () => {
    const summary =
      '{"requests":0,"microseconds":1000000,"p50":0,"p99":0,"connect":0,"read":0,"write":0,"timeout":0,"status":0}';
    expect(parseWrk(wrkOutput(summary)).problems).toEqual(["there were no responses"]);
  });

  test("throws for output without the line", () => {
    expect(() => parseWrk(wrkOutput(""))).toThrow("wrk printed no summary");
  });
});

describe("wrkScript", () => {
  test("contains each request as sent", () => {
    const script = wrkScript([
      { method: "GET", path: "/a?b=1", headers: { host: "x.test" }, body: "" },
      { method: "POST", path: "/c", headers: { host: "x.test" }, body: '{"d":"e"}' },
    ]);
    expect(script).toContain(`local requests = {
  "GET /a?b=1 HTTP/1.1\\r\\nhost: x.test\\r\\n\\r\\n",
  "POST /c HTTP/1.1\\r\\nhost: x.test\\r\\ncontent-length: 9\\r\\n\\r\\n{\\"d\\":\\"e\\"}",
}`);
  });

  test.each(["ü", "\t", "\u2028"])("throws for %j, which Lua reads differently", (body) => {
    expect(() => wrkScript([{ method: "POST", path: "/", headers: {}, body }])).toThrow("printable ASCII");
  });
});

interface Figures {
  readonly total?: number;
  readonly succeeded?: number;
  readonly bytes?: number;
}

const h2loadOutput = ({ total = 1776, succeeded = 1776, bytes = 177800 }: Figures) => `starting benchmark...
Application protocol: h2c
Main benchmark duration is over for thread #0. Stopping all clients.
Stopped all clients for thread #0

finished in 1.00s, 1776.50 req/s, 227.62KB/s
requests: ${total} total, 1780 started, ${total} done, ${succeeded} succeeded, 0 failed, 0 errored, 0 timeout
status codes: 1778 2xx, 0 3xx, 0 4xx, 0 5xx
traffic: 227.62KB (233082) total, 5.33KB (5460) headers (space savings 96.01%), 173.63KB (${bytes}) data
                     min         max         mean         sd        +/- sd
time for request:      326us     47.99ms      2.23ms      3.28ms    90.15%
req/s           :     881.25      893.21      887.23        8.45   100.00%
`;

const LOG = [
  "1795268529199588\t200\t15930",
  "1795268529199589\t200\t966",
  "1795268529199549\t200\t18100",
  "1795268529199553\t200\t5322",
  "",
].join("\n");

describe("parseH2load", () => {
  test("reads rate and counts from the output, and latencies from the log", () => {
    expect(parseH2load(h2loadOutput({}), LOG, 100)).toEqual({
      requests: 1776,
      requestsPerSecond: 1776.5,
      p50: 5.322,
      p99: 18.1,
      problems: [],
    });
  });

  test.each([
    ["a call that failed", { succeeded: 1775 }, ["1 of 1776 calls failed"]],
    ["responses without a message", { bytes: 0 }, ["0 bytes of responses are not 1776 times 100"]],
    [
      "responses that are too short",
      { bytes: 177_599 },
      ["177599 bytes of responses are not 1776 times 100"],
    ],
    ["responses that are too long", { bytes: 178_001 }, ["178001 bytes of responses are not 1776 times 100"]],
    ["missing responses", { total: 0, succeeded: 0, bytes: 0 }, ["there were no responses"]],
  ] satisfies [string, Figures, string[]][])("reports %s", (_, figures, problems) => {
    expect(parseH2load(h2loadOutput(figures), LOG, 100).problems).toEqual(problems);
  });

  test.each([177_600, 178_000])(
    "accepts %i bytes: calls in progress at the end may be counted or not",
    (bytes) => {
      expect(parseH2load(h2loadOutput({ bytes }), LOG, 100).problems).toEqual([]);
    },
  );

  test("throws for output without a summary", () => {
    expect(() => parseH2load("starting benchmark...", LOG, 100)).toThrow("h2load did not print");
  });
});

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
