import { PerformanceObserver } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Registry } from "prom-client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addProcessMetrics } from "../../../src/service/telemetry/process-metrics.js";
import { samplesOf } from "./scraped.js";

let registry: Registry;
let stop: () => void;
beforeEach(() => {
  registry = new Registry();
  stop = addProcessMetrics(registry);
});
afterEach(() => stop());

const scrape = async () => samplesOf(await registry.metrics());

/** Keeps the event loop busy for some milliseconds. */
function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {}
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 50));

describe("the metrics of the process", () => {
  test("tell time, memory and files as the system does", async () => {
    const before = process.cpuUsage();
    const samples = await scrape();
    expect(samples.get("process_cpu_seconds_total")).toBeGreaterThanOrEqual(
      (before.user + before.system) / 1e6,
    );
    expect(samples.get("process_start_time_seconds")).toBeCloseTo(performance.timeOrigin / 1000, 2);
    expect(samples.get("process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
    const heapUsed = samples.get("nodejs_heap_size_used_bytes") ?? 0;
    expect(heapUsed).toBeGreaterThan(1_000_000);
    expect(samples.get("nodejs_heap_size_total_bytes")).toBeGreaterThan(heapUsed * 0.5);
    expect(samples.get("nodejs_external_memory_bytes")).toBeGreaterThan(0);
  });

  test.runIf(process.platform === "linux")("tell file descriptors", async () => {
    const samples = await scrape();
    const open = samples.get("process_open_fds") ?? 0;
    expect(open).toBeGreaterThan(2);
    expect(samples.get("process_max_fds")).toBeGreaterThan(open);
  });

  test("tell how long the event loop was held up, since the scrape before", async () => {
    await turn();
    block(300);
    await turn();
    const samples = await scrape();
    expect(samples.get("nodejs_eventloop_lag_max_seconds")).toBeGreaterThan(0.2);
    expect(samples.get("nodejs_eventloop_lag_max_seconds")).toBeLessThan(30);
    expect(samples.get("nodejs_eventloop_lag_p50_seconds")).toBeLessThan(
      samples.get("nodejs_eventloop_lag_max_seconds") ?? 0,
    );
    // The next scrape has nothing of it.
    expect((await scrape()).get("nodejs_eventloop_lag_max_seconds")).toBeLessThan(0.2);
  });

  test("tell garbage collections by kind", async () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const seen = new Promise((resolve) => {
      const observer = new PerformanceObserver(() => {
        observer.disconnect();
        resolve(undefined);
      });
      observer.observe({ entryTypes: ["gc"] });
    });
    collect();
    await seen;
    const samples = await scrape();
    expect(samples.get('nodejs_gc_duration_seconds_count{kind="major"}')).toBeGreaterThanOrEqual(1);
  });
});
