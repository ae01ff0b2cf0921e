import { describe, expect, test } from "vitest";
import { parseH2load } from "./h2load.js";

interface Figures {
  readonly total?: number;
  readonly succeeded?: number;
  readonly octets?: number;
}

const output = ({ total = 1776, succeeded = 1776, octets = 177800 }: Figures) => `starting benchmark...
Application protocol: h2c
Main benchmark duration is over for thread #0. Stopping all clients.
Stopped all clients for thread #0

finished in 1.00s, 1776.50 req/s, 227.62KB/s
requests: ${total} total, 1780 started, ${total} done, ${succeeded} succeeded, 0 failed, 0 errored, 0 timeout
status codes: 1778 2xx, 0 3xx, 0 4xx, 0 5xx
traffic: 227.62KB (233082) total, 5.33KB (5460) headers (space savings 96.01%), 173.63KB (${octets}) data
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
    expect(parseH2load(output({}), LOG, 100)).toEqual({
      requests: 1776,
      requestsPerSecond: 1776.5,
      p50: 5.322,
      p99: 18.1,
      problems: [],
    });
  });

  test.each([
    ["a call that failed", { succeeded: 1775 }, ["1 of 1776 calls failed"]],
    ["answers without a message", { octets: 0 }, ["0 octets of answers are not 1776 times 100"]],
    ["answers that are too short", { octets: 177_599 }, ["177599 octets of answers are not 1776 times 100"]],
    ["answers that are too long", { octets: 178_001 }, ["178001 octets of answers are not 1776 times 100"]],
    ["no answer", { total: 0, succeeded: 0, octets: 0 }, ["no call was answered"]],
  ] satisfies [string, Figures, string[]][])("reports %s", (_, figures, problems) => {
    expect(parseH2load(output(figures), LOG, 100).problems).toEqual(problems);
  });

  test.each([177_600, 178_000])("lets calls under way at the end count or not: %i octets", (octets) => {
    expect(parseH2load(output({ octets }), LOG, 100).problems).toEqual([]);
  });

  test("refuses output without a summary", () => {
    expect(() => parseH2load("starting benchmark...", LOG, 100)).toThrow("h2load did not print");
  });
});
