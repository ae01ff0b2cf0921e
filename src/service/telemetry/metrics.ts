import type { DescMethod } from "@bufbuild/protobuf";
import type { Code } from "@connectrpc/connect";
import {
  codeName,
  type DroppedConnection,
  type Protocol,
  type RequestObserver,
  type UnreadStatus,
} from "connect-transcoding";
import { methodName } from "connect-transcoding/rules";
import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from "prom-client";
import type { ApiKeyCheck } from "../access/api-keys.js";
import type { RateLimitDecision } from "../access/rate-limit.js";
import { outcomeCode } from "./outcome.js";

/** The build date of a data source. */
export interface DataBuild {
  /** The name of the source; there are few of them. */
  readonly source: string;
  readonly builtAt: Date;
}

/** Whether new data is in use, or was rejected and older data stays in use. */
export type LoadOutcome = "loaded" | "refused";

/** The options of {@link createMetrics}. */
export interface MetricsOptions {
  /** The version of the service. */
  readonly version: string;
  /** Returns the build dates of the data in use. Called at each scrape. */
  readonly dataBuilds: () => Iterable<DataBuild>;
  /** Returns the number of open connections. Called at each scrape. */
  readonly connections: () => number;
}

/** The metrics of a process. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts requests. */
  readonly observer: RequestObserver;
  connectionDropped(this: void, which: DroppedConnection): void;
  /** Called when input that is not a request got a response with this status. */
  requestUnread(this: void, status: UnreadStatus): void;
  rateLimitDecided(this: void, decision: RateLimitDecision | "store_unavailable"): void;
  apiKeyChecked(this: void, check: ApiKeyCheck): void;
  /** Called when a service has loaded or rejected data. */
  dataLoaded(this: void, service: string, outcome: LoadOutcome): void;
}

/** Creates the metrics of this process, in a registry of their own. */
export function createMetrics({ version, dataBuilds, connections }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: "utility_tools_build_info",
    help: "1, with the version of the service and of Node.",
    labelNames: ["version", "node_version"],
    aggregator: "first",
    registers,
  }).set({ version, node_version: process.version }, 1);
  const observer = createRequestMetrics(registry);
  new Gauge({
    name: "utility_tools_data_build_timestamp_seconds",
    help: "Build dates of the data in use, by source, in seconds since the Unix epoch.",
    labelNames: ["source"],
    // Workers load new data one after the other; the oldest data is still in use.
    aggregator: "min",
    registers,
    collect() {
      this.reset();
      for (const { source, builtAt } of dataBuilds()) {
        this.set({ source }, builtAt.getTime() / 1000);
      }
    },
  });
  const loads = new Counter({
    name: "utility_tools_data_loads_total",
    help: "Data loads of a service, including the first, by outcome.",
    labelNames: ["service", "outcome"],
    registers,
  });
  new Gauge({
    name: "utility_tools_connections",
    help: "Open connections.",
    registers,
    collect() {
      this.set(connections());
    },
  });
  const connectionDropped = createEventCounter<DroppedConnection>(registry, {
    name: "utility_tools_connections_dropped_total",
    help: "Connections closed because there were too many: an idle one, or the new one.",
    label: "which",
    events: ["idle", "new"],
  });
  const requestUnread = createEventCounter<`${UnreadStatus}`>(registry, {
    name: "utility_tools_unread_requests_total",
    help: "HTTP/1.1 input that is not a request, by the HTTP status of its response.",
    label: "status",
    events: ["400", "408", "431"],
  });
  const rateLimitDecided = createEventCounter<RateLimitDecision | "store_unavailable">(registry, {
    name: "utility_tools_rate_limit_decisions_total",
    help: "Decisions of the rate limit, and how often the shared store was not available.",
    label: "decision",
    events: ["allowed", "refused", "store_unavailable"],
  });
  const apiKeyChecked = createEventCounter<ApiKeyCheck>(registry, {
    name: "utility_tools_api_key_checks_total",
    help: "Requests that need an API key, by the result of the check.",
    label: "outcome",
    events: ["accepted", "missing", "refused"],
  });
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    observer,
    connectionDropped,
    requestUnread: (status) => requestUnread(`${status}`),
    rateLimitDecided,
    apiKeyChecked,
    dataLoaded: (service, outcome) => {
      // The other outcome exists as 0, so that its rate is known when it first happens.
      loads.inc({ service, outcome: "loaded" }, outcome === "loaded" ? 1 : 0);
      loads.inc({ service, outcome: "refused" }, outcome === "refused" ? 1 : 0);
    },
  };
}

/** The options of {@link createEventCounter}. */
interface EventCounterOptions<E extends string> {
  readonly name: string;
  readonly help: string;
  /** The label that distinguishes the events. */
  readonly label: string;
  /** All events. Each has a sample from the start, so that its rate is known when it first happens. */
  readonly events: readonly E[];
}

/** Creates a counter of frequent events. It counts in plain numbers, as the metrics of requests do. */
function createEventCounter<E extends string>(
  registry: Registry,
  { name, help, label, events }: EventCounterOptions<E>,
): (event: E) => void {
  const counts = new Map(events.map((event) => [event, 0]));
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [event, count] of counts) {
        this.inc({ [label]: event }, count);
      }
    },
  });
  return (event) => {
    counts.set(event, (counts.get(event) ?? 0) + 1);
  };
}

/** The upper bounds of the duration histogram, in seconds: from a lookup, some 20 µs, to the longest request, 10 s. */
const BOUNDS = [
  0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
  1, 2.5, 5, 10,
];

/** Codes are 1 to 16; OK is 0. */
const CODES = 17;

/** The totals of one method and protocol. */
interface Totals {
  readonly protocol: Protocol;
  /** The full name of the method; `none` for requests that match no method. */
  readonly method: string;
  /** Numbers of requests, by code. */
  readonly byCode: Float64Array;
  /** Numbers of requests, by the index of the lowest bound that is not exceeded. */
  readonly byDuration: Float64Array;
  /** The sum of all durations, in seconds. */
  sum: number;
}

/**
 * Adds the metrics of requests to a registry. Totals are kept in plain numbers, which become samples at a scrape: a counter
 * and a histogram of the library take 0.7 µs per request, this takes 0.1. The number of totals is limited by the number of
 * methods and protocols.
 */
function createRequestMetrics(registry: Registry): RequestObserver {
  const byMethod = new Map<DescMethod | undefined, { [D in Protocol]?: Totals }>();
  let inFlight = 0;

  function totalsOf(method: DescMethod | undefined, protocol: Protocol): Totals {
    let byProtocol = byMethod.get(method);
    if (byProtocol === undefined) {
      byProtocol = {};
      byMethod.set(method, byProtocol);
    }
    byProtocol[protocol] ??= {
      protocol,
      method: method === undefined ? "none" : methodName(method),
      byCode: new Float64Array(CODES),
      byDuration: new Float64Array(BOUNDS.length + 1),
      sum: 0,
    };
    return byProtocol[protocol];
  }

  const allTotals = () => [...byMethod.values()].flatMap((byProtocol) => Object.values(byProtocol));

  new Counter({
    name: "utility_tools_requests_total",
    help: "Completed requests, by the full name of the method, the protocol and the canonical code.",
    labelNames: ["method", "protocol", "code"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { method, protocol, byCode } of allTotals()) {
        byCode.forEach((count, code) => {
          if (count > 0) {
            // Code 0 is not one of the enumeration.
            this.inc({ method, protocol, code: code === 0 ? "OK" : codeName(code as Code) }, count);
          }
        });
      }
    },
  });
  // The library's histogram takes one observation at a time. A registry accepts any object that returns samples.
  const durations = {
    name: "utility_tools_request_duration_seconds",
    help: "Time from the arrival of a request until its response was handed over.",
    type: "histogram",
    aggregator: "sum",
  };
  const get = async () => ({
    ...durations,
    values: allTotals().flatMap((totals) => histogramSamples(durations.name, totals)),
  });
  registry.registerMetric({ ...durations, get } as unknown as Metric);
  new Gauge({
    name: "utility_tools_requests_in_flight",
    help: "Requests in progress.",
    registers: [registry],
    collect() {
      this.set(inFlight);
    },
  });

  return {
    onStart: () => {
      inFlight++;
    },
    onEnd: (record) => {
      inFlight--;
      const totals = totalsOf(record.method, record.protocol);
      const seconds = record.duration / 1000;
      add(totals.byCode, outcomeCode(record) ?? 0);
      add(totals.byDuration, bucketOf(seconds));
      totals.sum += seconds;
    },
  };
}

function add(counts: Float64Array, index: number): void {
  counts[index] = (counts[index] ?? 0) + 1;
}

/** Returns the index of the lowest bound that a duration does not exceed. Most durations are short. */
function bucketOf(seconds: number): number {
  let index = 0;
  while (index < BOUNDS.length && seconds > (BOUNDS[index] ?? 0)) {
    index++;
  }
  return index;
}

/**
 * Returns the samples of a histogram: for each bound the number of observations up to it, then the sum and the count.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#histograms-and-summaries
 */
function histogramSamples(name: string, { method, protocol, byDuration, sum }: Totals) {
  const labels = { method, protocol };
  let count = 0;
  const buckets = Array.from(byDuration, (inBucket, index) => {
    count += inBucket;
    return { metricName: `${name}_bucket`, labels: { le: BOUNDS[index] ?? "+Inf", ...labels }, value: count };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
