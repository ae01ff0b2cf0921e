import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import { Code } from "@connectrpc/connect";
import fc from "fast-check";
import { AggregatorRegistry, Counter, Histogram, Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { METHODS, requestRecord } from "../../../packages/operations/test/telemetry/request-record.js";
import { metricsOf, samplesOf } from "../../../packages/operations/test/telemetry/scraped.js";
import { createMetrics, type Metrics, type MetricsOptions } from "../../../src/service/telemetry/metrics.js";

function testMetrics(options: Partial<MetricsOptions> = {}): Metrics {
  return createMetrics({
    version: "1.2.3",
    dataBuilds: () => [],
    connections: () => 3,
    readiness: () => [],
    certificateExpiry: () => undefined,
    ...options,
  });
}

const scraped = async ({ registry }: Metrics) => samplesOf(await registry.metrics());

/** Returns the samples whose name and labels begin with `start`. */
const startingWith = (samples: Map<string, number>, start: string) =>
  Object.fromEntries([...samples].filter(([name]) => name.startsWith(start)));

describe("requests", () => {
  test("are counted by method, protocol and code", async () => {
    const metrics = testMetrics();
    const { onEnd } = metrics.observer;
    onEnd(requestRecord());
    onEnd(requestRecord());
    onEnd(requestRecord({ protocol: "grpc" }));
    onEnd(requestRecord({ code: Code.InvalidArgument, status: 400 }));
    onEnd(requestRecord({ method: METHODS.second, code: Code.Internal }));
    onEnd(requestRecord({ method: undefined, code: Code.NotFound, status: 404 }));
    onEnd(requestRecord({ method: undefined, protocol: "page", status: 404 }));
    expect(startingWith(await scraped(metrics), "utility_tools_requests_total")).toEqual({
      'utility_tools_requests_total{method="library.v1.LibraryService.GetBook",protocol="rest",code="OK"}': 2,
      'utility_tools_requests_total{method="library.v1.LibraryService.GetBook",protocol="grpc",code="OK"}': 1,
      'utility_tools_requests_total{method="library.v1.LibraryService.GetBook",protocol="rest",code="INVALID_ARGUMENT"}': 1,
      'utility_tools_requests_total{method="library.v1.LibraryService.CreateBook",protocol="rest",code="INTERNAL"}': 1,
      'utility_tools_requests_total{method="none",protocol="rest",code="NOT_FOUND"}': 1,
      'utility_tools_requests_total{method="none",protocol="page",code="UNKNOWN"}': 1,
    });
  });

  test("are counted with every code", async () => {
    const metrics = testMetrics();
    for (let code = Code.Canceled; code <= Code.Unauthenticated; code++) {
      metrics.observer.onEnd(requestRecord({ code }));
    }
    const counts = startingWith(await scraped(metrics), "utility_tools_requests_total");
    expect(Object.values(counts)).toEqual(Array(16).fill(1));
  });

  test("have their durations in seconds", async () => {
    const metrics = testMetrics();
    for (const duration of [0.02, 0.025, 0.026, 1, 9_999, 10_001]) {
      metrics.observer.onEnd(requestRecord({ duration }));
    }
    const name = "utility_tools_request_duration_seconds";
    const labels = 'method="library.v1.LibraryService.GetBook",protocol="rest"';
    const samples = await scraped(metrics);
    const bucket = (bound: string) => samples.get(`${name}_bucket{le="${bound}",${labels}}`);
    expect([bucket("0.000025"), bucket("0.00005"), bucket("0.001"), bucket("10"), bucket("+Inf")]).toEqual([
      2, 3, 4, 5, 6,
    ]);
    expect(samples.get(`${name}_count{${labels}}`)).toBe(6);
    expect(samples.get(`${name}_sum{${labels}}`)).toBeCloseTo(20.001_071, 9);
  });

  test("are in flight from start to end", async () => {
    const metrics = testMetrics();
    const inFlight = async () => (await scraped(metrics)).get("utility_tools_requests_in_flight");
    expect(await inFlight()).toBe(0);
    metrics.observer.onStart?.();
    metrics.observer.onStart?.();
    expect(await inFlight()).toBe(2);
    metrics.observer.onEnd(requestRecord());
    expect(await inFlight()).toBe(1);
  });

  test("have the samples that the library's own metrics have", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            method: fc.constantFrom(METHODS.first, METHODS.second),
            protocol: fc.constantFrom("rest", "grpc", "connect"),
            duration: fc.double({ min: 0, max: 20_000, noNaN: true }),
          }),
          { minLength: 1, maxLength: 30 },
        ),
        async (requests) => {
          const metrics = testMetrics();
          for (const request of requests) {
            metrics.observer.onEnd(requestRecord(request));
          }
          const ours = await scraped(metrics);
          const buckets = [
            ...new Set(
              [...ours.keys()]
                .map((key) => /^utility_tools_request_duration_seconds_bucket\{le="([^"+]+)"/.exec(key)?.[1])
                .filter((bound) => bound !== undefined)
                .map(Number),
            ),
          ];
          const registry = new Registry();
          const total = new Counter({
            name: "utility_tools_requests_total",
            help: "-",
            labelNames: ["method", "protocol", "code"],
            registers: [registry],
          });
          const durations = new Histogram({
            name: "utility_tools_request_duration_seconds",
            help: "-",
            labelNames: ["method", "protocol"],
            buckets,
            registers: [registry],
          });
          for (const { method, protocol, duration } of requests) {
            const labels = { method: `${method.parent.typeName}.${method.name}`, protocol };
            total.inc({ ...labels, code: "OK" });
            durations.observe(labels, duration / 1000);
          }
          const theirs = samplesOf(await registry.metrics());
          expect(theirs.size).toBeGreaterThan(buckets.length);
          for (const [key, value] of theirs) {
            expect(ours.get(key)).toBe(value);
          }
        },
      ),
      { numRuns: 8 },
    );
  });
});

describe("any other event", () => {
  test("is 0 before it first happens", async () => {
    const metrics = testMetrics();
    const decisions = async () =>
      Object.values(startingWith(await scraped(metrics), "utility_tools_rate_limit_decisions_total"));
    const checks = async () =>
      Object.values(startingWith(await scraped(metrics), "utility_tools_api_key_checks_total"));
    expect([await decisions(), await checks()]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    metrics.rateLimitDecided("allowed");
    metrics.rateLimitDecided("allowed");
    metrics.rateLimitDecided("store_unavailable");
    metrics.apiKeyChecked("missing");
    expect(startingWith(await scraped(metrics), "utility_tools_rate_limit_decisions_total")).toEqual({
      'utility_tools_rate_limit_decisions_total{decision="allowed"}': 2,
      'utility_tools_rate_limit_decisions_total{decision="refused"}': 0,
      'utility_tools_rate_limit_decisions_total{decision="store_unavailable"}': 1,
    });
    expect(startingWith(await scraped(metrics), "utility_tools_api_key_checks_total")).toEqual({
      'utility_tools_api_key_checks_total{outcome="accepted"}': 0,
      'utility_tools_api_key_checks_total{outcome="missing"}': 1,
      'utility_tools_api_key_checks_total{outcome="refused"}': 0,
    });
  });

  test("counts accepted keys by name if that is turned on, up to 1,000 names", async () => {
    const metrics = testMetrics({ countsKeys: true });
    for (let index = 0; index < 1_002; index++) {
      metrics.apiKeyChecked("accepted", `n${index}`);
    }
    metrics.apiKeyChecked("accepted", "n0");
    metrics.apiKeyChecked("refused");
    const name = "utility_tools_api_key_requests_total";
    const samples = startingWith(await scraped(metrics), name);
    expect(Object.keys(samples)).toHaveLength(1_001);
    expect([samples[`${name}{name="n0"}`], samples[`${name}{name=""}`]]).toEqual([2, 2]);
    const off = testMetrics();
    off.apiKeyChecked("accepted", "a");
    expect(startingWith(await scraped(off), name)).toEqual({});
  });

  test("has the state of the keys file, the warnings about settings, outdated files and ignored headers", async () => {
    const metrics = testMetrics({ warnings: ["WORKERS is 9", "TLS_CA: a", "TLS_CA: b"] });
    const valid = async () => (await scraped(metrics)).get("utility_tools_api_keys_file_valid");
    expect(await valid()).toBeUndefined();
    metrics.apiKeysLoaded(true);
    expect(await valid()).toBe(1);
    metrics.apiKeysLoaded(false);
    metrics.filesOutdated("city", 2);
    const samples = await scraped(metrics);
    expect(Object.fromEntries(samples)).toMatchObject({
      utility_tools_api_keys_file_valid: 0,
      'utility_tools_setting_warnings{setting="WORKERS"}': 1,
      'utility_tools_setting_warnings{setting="TLS_CA"}': 2,
      'utility_tools_data_files_outdated{service="city"}': 2,
      utility_tools_forwarding_headers_ignored: 0,
    });
    metrics.forwardingIgnored();
    expect((await scraped(metrics)).get("utility_tools_forwarding_headers_ignored")).toBe(1);
  });

  test("counts open and dropped connections", async () => {
    const metrics = testMetrics({ connections: () => 17 });
    metrics.connectionDropped("idle");
    metrics.connectionDropped("idle");
    metrics.connectionDropped("new");
    metrics.connectionDropped("in_use");
    expect(startingWith(await scraped(metrics), "utility_tools_connections")).toEqual({
      utility_tools_connections: 17,
      'utility_tools_connections_dropped_total{which="idle"}': 2,
      'utility_tools_connections_dropped_total{which="in_use"}': 1,
      'utility_tools_connections_dropped_total{which="new"}': 1,
    });
  });

  test("counts rejected requests", async () => {
    const metrics = testMetrics();
    metrics.requestUnread(431);
    metrics.requestUnread(431);
    expect(startingWith(await scraped(metrics), "utility_tools_unread_requests_total")).toEqual({
      'utility_tools_unread_requests_total{status="400"}': 0,
      'utility_tools_unread_requests_total{status="408"}': 0,
      'utility_tools_unread_requests_total{status="413"}': 0,
      'utility_tools_unread_requests_total{status="414"}': 0,
      'utility_tools_unread_requests_total{status="417"}': 0,
      'utility_tools_unread_requests_total{status="421"}': 0,
      'utility_tools_unread_requests_total{status="431"}': 2,
      'utility_tools_unread_requests_total{status="501"}': 0,
      'utility_tools_unread_requests_total{status="505"}': 0,
    });
  });

  test("has the build dates of the data in use", async () => {
    let builds = [
      { source: "city", builtAt: new Date(1_780_000_000_000) },
      { source: "asn", builtAt: new Date(1_781_000_000_500) },
    ];
    const metrics = testMetrics({ dataBuilds: () => builds });
    const name = "utility_tools_data_build_timestamp_seconds";
    expect(startingWith(await scraped(metrics), name)).toEqual({
      [`${name}{source="city"}`]: 1_780_000_000,
      [`${name}{source="asn"}`]: 1_781_000_000.5,
    });
    builds = [{ source: "city", builtAt: new Date(1_790_000_000_000) }];
    expect(startingWith(await scraped(metrics), name)).toEqual({ [`${name}{source="city"}`]: 1_790_000_000 });
  });

  test("counts loads of data", async () => {
    const metrics = testMetrics({ dataBuilds: () => [{ source: "city", builtAt: new Date() }] });
    metrics.dataLoaded("city", "refused");
    const name = "utility_tools_data_loads_total";
    expect(startingWith(await scraped(metrics), name)).toEqual({
      [`${name}{service="city",outcome="loaded"}`]: 0,
      [`${name}{service="city",outcome="refused"}`]: 1,
    });
    metrics.dataLoaded("city", "loaded");
    metrics.dataLoaded("city", "loaded");
    expect((await scraped(metrics)).get(`${name}{service="city",outcome="loaded"}`)).toBe(2);
  });

  test("has the services that are ready", async () => {
    let isReady = true;
    const metrics = testMetrics({ readiness: () => [{ service: "library.v1.LibraryService", isReady }] });
    const name = 'utility_tools_service_ready{service="library.v1.LibraryService"}';
    expect((await scraped(metrics)).get(name)).toBe(1);
    isReady = false;
    expect((await scraped(metrics)).get(name)).toBe(0);
  });

  test("has the state of the shared store, once there is one", async () => {
    const metrics = testMetrics();
    const state = async () => (await scraped(metrics)).get("utility_tools_rate_limit_store_up");
    expect(await state()).toBeUndefined();
    metrics.storeStateChanged("up");
    expect(await state()).toBe(1);
    metrics.storeStateChanged("down");
    expect(await state()).toBe(0);
  });

  test("has the expiry of the certificate, if there is one", async () => {
    let expiry: Date | undefined;
    const metrics = testMetrics({ certificateExpiry: () => expiry });
    const name = "utility_tools_certificate_expiry_timestamp_seconds";
    expect((await scraped(metrics)).get(name)).toBeUndefined();
    expiry = new Date(1_800_000_000_000);
    expect((await scraped(metrics)).get(name)).toBe(1_800_000_000);
  });

  test("counts bugs", async () => {
    const metrics = testMetrics();
    expect((await scraped(metrics)).get("utility_tools_bugs_total")).toBe(0);
    metrics.bugCaught();
    expect((await scraped(metrics)).get("utility_tools_bugs_total")).toBe(1);
  });

  test("has the limits of memory", async () => {
    const samples = await scraped(testMetrics());
    const limit = samples.get("utility_tools_memory_limit_bytes") ?? 0;
    expect(limit).toBeLessThanOrEqual(totalmem());
    expect(limit).toBeGreaterThan(process.memoryUsage().rss);
    expect(samples.get("utility_tools_heap_limit_bytes")).toBe(getHeapStatistics().heap_size_limit);
  });

  test("counts shared pages of memory once", async () => {
    const samples = await scraped(testMetrics());
    const memory = samples.get("utility_tools_memory_bytes") ?? 0;
    expect(memory).toBeGreaterThan(10_000_000);
    expect(memory).toBeLessThanOrEqual(samples.get("process_resident_memory_bytes") ?? 0);
  });

  test("has the version", async () => {
    expect(
      (await scraped(testMetrics())).get(
        `utility_tools_build_info{version="1.2.3",node_version="${process.version}"}`,
      ),
    ).toBe(1);
  });
});

describe("a scrape", () => {
  test("is in the text format of Prometheus, with names that follow its rules", async () => {
    const { registry } = testMetrics();
    expect(registry.contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
    const metrics = metricsOf(await registry.metrics());
    expect(metrics.length).toBeGreaterThan(15);
    for (const { name, type, help } of metrics.filter((each) => each.name.startsWith("utility_tools_"))) {
      expect(name).toMatch(/^[a-z0-9_]+$/);
      expect(name.endsWith("_total")).toBe(type === "counter");
      expect(name).not.toMatch(/_(ms|milliseconds|mb|kb)$/);
      expect(help).toMatch(/^\S.*\.$/);
    }
  });

  test("changes nothing", async () => {
    const metrics = testMetrics();
    metrics.observer.onEnd(requestRecord());
    metrics.rateLimitDecided("allowed");
    const ours = async () => ({
      ...startingWith(await scraped(metrics), "utility_tools_"),
      utility_tools_memory_bytes: 0,
    });
    expect(await ours()).toEqual(await ours());
  });

  test("has no other metrics of the process", async () => {
    const first = testMetrics();
    const second = testMetrics();
    first.rateLimitDecided("refused");
    expect((await scraped(second)).get('utility_tools_rate_limit_decisions_total{decision="refused"}')).toBe(
      0,
    );
  });
});

describe("the metrics of several processes", () => {
  test("are summed, except for common values", async () => {
    const workers = [1_790_000_000_000, 1_780_000_000_000].map((time) =>
      testMetrics({
        dataBuilds: () => [{ source: "city", builtAt: new Date(time) }],
        readiness: () => [{ service: "library.v1.LibraryService", isReady: time === 1_790_000_000_000 }],
        certificateExpiry: () => new Date(time),
      }),
    );
    for (const [index, { observer, rateLimitDecided, dataLoaded, storeStateChanged }] of workers.entries()) {
      storeStateChanged(index === 0 ? "up" : "down");
      observer.onStart?.();
      observer.onEnd(requestRecord({ duration: 2 }));
      observer.onEnd(requestRecord({ duration: 0.01, protocol: index === 0 ? "rest" : "grpc" }));
      observer.onStart?.();
      observer.onStart?.();
      observer.onStart?.();
      rateLimitDecided("allowed");
      dataLoaded("city", "loaded");
    }
    // As sent by another process.
    const snapshots = await Promise.all(
      workers.map(async ({ registry }) => JSON.parse(JSON.stringify(await registry.getMetricsAsJSON()))),
    );
    const samples = samplesOf(await AggregatorRegistry.aggregate(snapshots).metrics());
    const method = 'method="library.v1.LibraryService.GetBook"';
    const duration = "utility_tools_request_duration_seconds";
    const expected = {
      [`utility_tools_requests_total{${method},protocol="rest",code="OK"}`]: 3,
      [`utility_tools_requests_total{${method},protocol="grpc",code="OK"}`]: 1,
      [`${duration}_bucket{le="0.000025",${method},protocol="rest"}`]: 1,
      [`${duration}_bucket{le="0.0025",${method},protocol="rest"}`]: 3,
      [`${duration}_bucket{le="+Inf",${method},protocol="rest"}`]: 3,
      [`${duration}_count{${method},protocol="grpc"}`]: 1,
      utility_tools_requests_in_flight: 4,
      'utility_tools_rate_limit_decisions_total{decision="allowed"}': 2,
      'utility_tools_data_loads_total{service="city",outcome="loaded"}': 2,
      // The oldest data in use.
      'utility_tools_data_build_timestamp_seconds{source="city"}': 1_780_000_000,
      [`utility_tools_build_info{version="1.2.3",node_version="${process.version}"}`]: 1,
      // One process that is not ready or has lost the store is enough.
      'utility_tools_service_ready{service="library.v1.LibraryService"}': 0,
      utility_tools_rate_limit_store_up: 0,
      utility_tools_certificate_expiry_timestamp_seconds: 1_780_000_000,
      utility_tools_heap_limit_bytes: 2 * getHeapStatistics().heap_size_limit,
    };
    expect(Object.fromEntries(Object.keys(expected).map((key) => [key, samples.get(key)]))).toEqual(expected);
    expect([...samples.values()].every((value) => Number.isFinite(value))).toBe(true);
  });
});
