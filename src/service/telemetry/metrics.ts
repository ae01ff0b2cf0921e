import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import type { DroppedConnection, Rejection, RequestObserver } from "connect-transcoding";
import type { RateLimitDecision } from "connect-transcoding-operations/access/rate-limit";
import type { StoreState } from "connect-transcoding-operations/access/rate-limit-store";
import type { ApiKeyCheck } from "connect-transcoding-operations/access/require-api-key";
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
  /** Whether to count the requests of each API key. Default: false. */
  readonly countsKeys?: boolean;
  /** Sentences about settings that are probably not what the operator wants. Each begins with the name of the setting. Default: none. */
  readonly warnings?: readonly string[];
}

/** The maximum number of API keys that are counted by name. */
const MAX_COUNTED_KEYS = 1_000;

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
  apiKeyChecked(this: void, check: ApiKeyCheck, name?: string): void;
  /** Called with the result of each load of the file of API keys. */
  apiKeysLoaded(this: void, isValid: boolean): void;
  /** Called when an unexpected exception was caught. */
  bugCaught(this: void): void;
  /** Called when a service has loaded or rejected data. */
  dataLoaded(this: void, service: string, outcome: LoadOutcome): void;
  /** Called with the number of files that a service does not use, because the installed ones are newer. */
  filesOutdated(this: void, service: string, count: number): void;
  /** Called when a forwarding header of an untrusted sender was found. */
  forwardingIgnored(this: void): void;
}

/** Creates the metrics of this process, in a registry of their own. */
export function createMetrics(options: MetricsOptions): Metrics {
  const { version, dataBuilds, connections, readiness, certificateExpiry, warnings = [] } = options;
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
  const outdated = new Gauge({
    name: "utility_tools_data_files_outdated",
    help: "Files in DATA_DIR that are not used, because the installed ones are newer.",
    labelNames: ["service"],
    aggregator: "max",
    registers,
  });
  const settingWarnings = new Gauge({
    name: "utility_tools_setting_warnings",
    help: "Warnings about settings at startup, which the log has.",
    labelNames: ["setting"],
    aggregator: "max",
    registers,
  });
  for (const warning of warnings) {
    settingWarnings.inc({ setting: warning.replace(/[ :].*/s, "") });
  }
  const forwarding = new Gauge({
    name: "utility_tools_forwarding_headers_ignored",
    help: "1 if a sender that is not in TRUSTED_PROXIES has sent a forwarding header since the start, otherwise 0.",
    aggregator: "max",
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
  const keysValid = new Gauge({
    name: "utility_tools_api_keys_file_valid",
    help: "1 if all of the file of API keys is in use, 0 while it is missing or has invalid lines.",
    aggregator: "min",
    registers,
  });
  // Without a file there is no sample.
  keysValid.remove();
  const keyAccepted = options.countsKeys ? createKeyCounter(registry) : undefined;
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
    apiKeyChecked: (check, name) => {
      apiKeyChecked(check);
      keyAccepted?.(name);
    },
    apiKeysLoaded: (isValid) => keysValid.set(isValid ? 1 : 0),
    bugCaught: () => bugs.inc(),
    filesOutdated: (service, count) => outdated.set({ service }, count),
    forwardingIgnored: () => forwarding.set(1),
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

/** Creates a counter of the requests of each API key. Those beyond the first {@link MAX_COUNTED_KEYS} have an empty name. */
function createKeyCounter(registry: Registry): (name: string | undefined) => void {
  const counts = new Map<string, number>();
  new Counter({
    name: "utility_tools_api_key_requests_total",
    help: "Requests with a valid API key, by its name.",
    labelNames: ["name"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [name, count] of counts) {
        this.inc({ name }, count);
      }
    },
  });
  return (name) => {
    if (name !== undefined) {
      const label = counts.has(name) || counts.size < MAX_COUNTED_KEYS ? name : "";
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
  };
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
