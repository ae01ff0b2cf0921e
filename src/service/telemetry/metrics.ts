import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import type { DroppedConnection, Rejection, RequestObserver } from "connect-transcoding";
import type { ApiKeyCheck } from "connect-transcoding-operations/access/api-keys";
import type { RateLimitDecision } from "connect-transcoding-operations/access/rate-limit";
import type { StoreState } from "connect-transcoding-operations/access/rate-limit-store";
import { createEventCounter } from "connect-transcoding-operations/telemetry/event-counter";
import { createRequestMetrics } from "connect-transcoding-operations/telemetry/request-metrics";
import { type Aggregator, Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";

/** The build date of a data source. */
export interface DataBuild {
  /** The name of the source; there are few of them. */
  readonly source: string;
  readonly builtAt: Date;
}

/** Whether a service is ready. */
export interface ServiceReadiness {
  /** The full name of the service. */
  readonly service: string;
  readonly isReady: boolean;
}

/** Whether new data is in use, or was rejected and older data stays in use. */
export type LoadOutcome = "loaded" | "refused";

/** The options of {@link createMetrics}. */
export interface MetricsOptions {
  /** The version of the service. */
  readonly version: string;
  /** Returns the build dates of the data in use that `update-data` replaces. Called at each scrape. */
  readonly dataBuilds: () => Iterable<DataBuild>;
  /** Returns the number of open connections. Called at each scrape. */
  readonly connections: () => number;
  /** Returns which services are ready. Called at each scrape. */
  readonly readiness: () => Iterable<ServiceReadiness>;
  /** Returns the end of the validity of the certificate in use; undefined without TLS. Called at each scrape. */
  readonly certificateExpiry: () => Date | undefined;
}

/** The metrics of a process. */
export interface Metrics {
  readonly registry: Registry;
  /** Counts requests. */
  readonly observer: RequestObserver;
  connectionDropped(this: void, which: DroppedConnection): void;
  /** Called when a request was rejected with this status before it reached a handler. */
  requestUnread(this: void, status: Rejection["status"]): void;
  rateLimitDecided(this: void, decision: RateLimitDecision | "store_unavailable"): void;
  /** Called with each new state of the shared store. */
  storeStateChanged(this: void, state: StoreState): void;
  apiKeyChecked(this: void, check: ApiKeyCheck): void;
  /** Called when an unexpected exception was caught. */
  bugCaught(this: void): void;
  /** Called when a service has loaded or rejected data. */
  dataLoaded(this: void, service: string, outcome: LoadOutcome): void;
}

/** Creates the metrics of this process, in a registry of their own. */
export function createMetrics(options: MetricsOptions): Metrics {
  const { version, dataBuilds, connections, readiness, certificateExpiry } = options;
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: "utility_tools_build_info",
    help: "Always 1. The labels are the versions of the service and of Node.",
    labelNames: ["version", "node_version"],
    aggregator: "first",
    registers,
  }).set({ version, node_version: process.version }, 1);
  new Gauge({
    name: "utility_tools_service_ready",
    help: "1 if the service is ready, 0 without data and during shutdown.",
    labelNames: ["service"],
    aggregator: "min",
    registers,
    collect() {
      this.reset();
      for (const { service, isReady } of readiness()) {
        this.set({ service }, isReady ? 1 : 0);
      }
    },
  });
  const observer = createRequestMetrics(registry, "utility_tools");
  new Gauge({
    name: "utility_tools_data_build_timestamp_seconds",
    help: "Build dates of the data in use that update-data replaces, by source, in seconds since the Unix epoch.",
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
  createGauge(registry, {
    name: "utility_tools_connections",
    help: "Open connections.",
    aggregator: "sum",
    value: connections,
  });
  const connectionDropped = createEventCounter<DroppedConnection>(registry, {
    name: "utility_tools_connections_dropped_total",
    help: "Connections closed at the connection limit: an idle one, one in use, or the new one.",
    label: "which",
    events: ["idle", "in_use", "new"],
  });
  const requestUnread = createEventCounter<`${Rejection["status"]}`>(registry, {
    name: "utility_tools_unread_requests_total",
    help: "Requests rejected before they reached a handler, by HTTP status.",
    label: "status",
    events: ["400", "408", "413", "414", "417", "421", "431", "501", "505"],
  });
  const rateLimitDecided = createEventCounter<RateLimitDecision | "store_unavailable">(registry, {
    name: "utility_tools_rate_limit_decisions_total",
    help: "Rate-limit decisions, and requests counted locally because the store was unavailable.",
    label: "decision",
    events: ["allowed", "refused", "store_unavailable"],
  });
  const storeUp = new Gauge({
    name: "utility_tools_rate_limit_store_up",
    help: "1 if the shared rate-limit store is in use, 0 while it is unavailable.",
    aggregator: "min",
    registers,
  });
  // Without a shared store there is no sample.
  storeUp.remove();
  const apiKeyChecked = createEventCounter<ApiKeyCheck>(registry, {
    name: "utility_tools_api_key_checks_total",
    help: "Requests that need an API key, by the result of the check.",
    label: "outcome",
    events: ["accepted", "missing", "refused"],
  });
  const bugs = new Counter({
    name: "utility_tools_bugs_total",
    help: "Unexpected exceptions. Each one is logged.",
    registers,
  });
  createGauge(registry, {
    name: "utility_tools_certificate_expiry_timestamp_seconds",
    help: "Expiry of the TLS certificate in use, in seconds since the Unix epoch.",
    aggregator: "min",
    value: () => {
      const expiry = certificateExpiry();
      return expiry && expiry.getTime() / 1000;
    },
  });
  createGauge(registry, {
    name: "utility_tools_memory_bytes",
    help: "Resident memory, of which each of several processes with a page counts its share.",
    aggregator: "sum",
    value: proportionalMemory,
  });
  createGauge(registry, {
    name: "utility_tools_memory_limit_bytes",
    help: "Memory limit of the control group, or the memory of the machine if that is less.",
    // All workers share it.
    aggregator: "max",
    value: memoryLimit,
  });
  createGauge(registry, {
    name: "utility_tools_heap_limit_bytes",
    help: "Maximum size of the JavaScript heap.",
    aggregator: "sum",
    value: () => getHeapStatistics().heap_size_limit,
  });
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    observer,
    connectionDropped,
    requestUnread: (status) => requestUnread(`${status}`),
    rateLimitDecided,
    storeStateChanged: (state) => storeUp.set(state === "up" ? 1 : 0),
    apiKeyChecked,
    bugCaught: () => bugs.inc(),
    dataLoaded: (service, outcome) => {
      // The other outcome exists as 0, so that its rate is known when it first happens.
      loads.inc({ service, outcome: "loaded" }, outcome === "loaded" ? 1 : 0);
      loads.inc({ service, outcome: "refused" }, outcome === "refused" ? 1 : 0);
    },
  };
}

/**
 * Returns the proportional set size of this process in bytes (proc_pid_smaps(5)). The resident size of all workers together counts the pages
 * of the program once for each. Where the system does not tell, returns the resident size.
 */
function proportionalMemory(): number {
  try {
    const [, kilobytes] = /^Pss:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/smaps_rollup", "utf8")) ?? [];
    return kilobytes === undefined ? process.memoryUsage.rss() : Number(kilobytes) * 1024;
  } catch {
    return process.memoryUsage.rss();
  }
}

/**
 * Returns the amount of memory, in bytes, above which the system ends a process. Node returns 0 or a huge number if the control
 * group has no limit.
 */
function memoryLimit(): number {
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
}

/** The options of {@link createGauge}. */
interface GaugeOptions {
  readonly name: string;
  readonly help: string;
  /** How the values of several workers become one. */
  readonly aggregator: Aggregator;
  /** Called at each scrape. Without a value there is no sample. */
  readonly value: () => number | undefined;
}

/** Creates a gauge without labels. */
function createGauge(registry: Registry, { name, help, aggregator, value }: GaugeOptions): void {
  new Gauge({
    name,
    help,
    aggregator,
    registers: [registry],
    collect() {
      const current = value();
      if (current === undefined) {
        this.remove();
      } else {
        this.set(current);
      }
    },
  });
}
