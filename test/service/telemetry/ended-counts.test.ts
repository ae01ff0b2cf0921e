import { expect, test } from "vitest";
import { addEnded } from "../../../src/service/telemetry/ended-counts.js";
import { mergeSnapshots } from "../../../src/service/telemetry/merge-snapshots.js";
import { createMetrics, type MetricsSnapshot } from "../../../src/service/telemetry/metrics.js";
import { METHODS, requestRecord } from "./request-record.js";
import { samplesOf } from "./scraped.js";

/** The snapshot of a process that has answered so many requests, as it comes from there. */
async function snapshotAfter(requests: number, method = METHODS.first): Promise<MetricsSnapshot> {
  const metrics = createMetrics({ version: "1.2.3", dataBuilds: () => [], connections: () => 3 });
  for (let count = 0; count < requests; count++) {
    metrics.observer.onStart?.();
    metrics.observer.onEnd(requestRecord({ method, duration: 0.01 }));
    metrics.rateLimitDecided("allowed");
  }
  metrics.stop();
  return JSON.parse(JSON.stringify(await metrics.snapshot()));
}

test("keeps counters and histograms of processes that have ended, and no gauges", async () => {
  const [first, second, third] = [await snapshotAfter(1), await snapshotAfter(2), await snapshotAfter(3)];
  const ended = addEnded(addEnded(undefined, first), second);
  const { body } = await mergeSnapshots([third, ended]);
  const samples = samplesOf(body);
  const method = 'method="library.v1.LibraryService.GetBook"';
  const duration = "utility_tools_request_duration_seconds";
  const expected = {
    [`utility_tools_requests_total{${method},protocol="rest",code="OK"}`]: 6,
    [`${duration}_bucket{le="0.000025",${method},protocol="rest"}`]: 6,
    [`${duration}_bucket{le="+Inf",${method},protocol="rest"}`]: 6,
    [`${duration}_count{${method},protocol="rest"}`]: 6,
    'utility_tools_rate_limit_decisions_total{decision="allowed"}': 6,
    'utility_tools_rate_limit_decisions_total{decision="refused"}': 0,
    utility_tools_connections: 3,
  };
  expect(Object.fromEntries(Object.keys(expected).map((key) => [key, samples.get(key)]))).toEqual(expected);
  expect(samples.get(`${duration}_sum{${method},protocol="rest"}`)).toBeCloseTo(0.000_06, 9);
});

test("keeps what only one of them has counted, and changes no snapshot", async () => {
  const first = await snapshotAfter(1);
  const second = await snapshotAfter(1, METHODS.second);
  const before = JSON.stringify([first, second]);
  const { body } = await mergeSnapshots([addEnded(addEnded(undefined, first), second)]);
  const counts = [...samplesOf(body)].filter(([name]) => name.startsWith("utility_tools_requests_total"));
  expect(Object.fromEntries(counts)).toEqual({
    'utility_tools_requests_total{method="library.v1.LibraryService.GetBook",protocol="rest",code="OK"}': 1,
    'utility_tools_requests_total{method="library.v1.LibraryService.CreateBook",protocol="rest",code="OK"}': 1,
  });
  expect(JSON.stringify([first, second])).toBe(before);
});

test("comes to no more than there are series, however many processes end", async () => {
  const snapshot = await snapshotAfter(1);
  let onEnd: MetricsSnapshot | undefined;
  for (let count = 0; count < 100; count++) {
    ended = addEnded(ended, snapshot);
  }
  const once = addEnded(undefined, snapshot);
  expect(JSON.stringify(ended).length).toBeLessThan(JSON.stringify(once).length * 1.5);
});
