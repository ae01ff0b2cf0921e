import { describe, expect, test } from "vitest";
import { parseH2load, parseWrk, wrkScript } from "./load.js";

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
