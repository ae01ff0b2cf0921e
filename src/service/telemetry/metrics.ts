import type { RequestObserver } from "connect-transcoding";
import { Counter, Gauge, Registry } from "prom-client";
import { createEventCounter } from "./event-counter.js";
import { addProcessMetrics } from "./process-metrics.js";
import { createRequestMetrics } from "./request-metrics.js";

/** When a source of data was built. */
export interface DataBuild {
  /** The name of the source; there are few of them. */
  readonly source: string;
  readonly builtAt: Date;
}

/** What a rate limit can say of a request. When the store that replicas share is down, the local limit decides. */
export type RateLimitDecision = "allowed" | "refused" | "store_unavailable";

/** What can come of looking for an API key in a request. */
export type ApiKeyCheck = "accepted" | "missing" | "refused";

/** What becomes of data that a service is given: it is used from then on, or older data goes on to be. */
export type LoadOutcome = "loaded" | "refused";

/** Which connection had to go when there were too many: one that nobody used, or the one that had just come. */
export type DroppedConnection = "idle" | "new";

/** What was answered to no request, to headers that did not end, or to those that were too long. */
export type UnreadStatus = 400 | 408 | 431;

/** What metrics are made of. */
export interface MetricsOptions {
  /** The version of the service. */
  readonly version: string;
  /** When the data in use were built; asked at each scrape. */
  readonly dataBuilds: () => Iterable<DataBuild>;
  /** How many connections there are; asked at each scrape. */
  readonly connections: () => number;
}

/** All metrics of a process as plain data, which can be sent to another. */
export type MetricsSnapshot = object[];

/** The metrics of a process. */
export interface Metrics {
  /** Counts requests. */
  readonly observer: RequestObserver;
  connectionDropped(this: void, which: DroppedConnection): void;
  /** Something came in the place of a request, and was answered with this status. */
  requestUnread(this: void, status: UnreadStatus): void;
  rateLimitDecided(this: void, decision: RateLimitDecision): void;
  apiKeyChecked(this: void, check: ApiKeyCheck): void;
  /** A service has data now that it did not have, or has refused some. */
  dataLoaded(this: void, service: string, outcome: LoadOutcome): void;
  /**
   * The metrics as they are now, for `mergeSnapshots` to make a text of. What is measured since the snapshot before begins
   * anew with each: there must be one for each text.
   */
  snapshot(this: void): Promise<MetricsSnapshot>;
  /** Stops to measure. */
  stop(this: void): void;
}

/** Makes the metrics of a process, in a registry of their own. */
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
    help: "When the data in use were built, by source, in seconds since the Unix epoch.",
    labelNames: ["source"],
    // While workers take new data one after the other, the old is still in use.
    aggregator: "min",
    registers,
    collect() {
      this.reset();
      for (const { source, builtAt } of dataBuilds()) {
        this.set({ source }, builtAt.getTime() / 1000);
      }
    },
  });
  const reloads = new Counter({
    name: "utility_tools_data_loads_total",
    help: "How often a service was given data, the first time included, by whether they could be used or were refused.",
    labelNames: ["service", "outcome"],
    registers,
  });
  new Gauge({
    name: "utility_tools_connections",
    help: "Connections that are open.",
    registers,
    collect() {
      this.set(connections());
    },
  });
  const connectionDropped = createEventCounter<DroppedConnection>(registry, {
    name: "utility_tools_connections_dropped_total",
    help: "Connections that had to go because there were too many: one that nobody used, or the new one.",
    label: "which",
    events: ["idle", "new"],
  });
  const requestUnread = createEventCounter<`${UnreadStatus}`>(registry, {
    name: "utility_tools_unread_requests_total",
    help: "What came over HTTP/1.1 in the place of requests, by the HTTP status of its answer.",
    label: "status",
    events: ["400", "408", "431"],
  });
  const rateLimitDecided = createEventCounter<RateLimitDecision>(registry, {
    name: "utility_tools_rate_limit_decisions_total",
    help: "Decisions of the rate limit, and how often the store that replicas share could not be asked.",
    label: "decision",
    events: ["allowed", "refused", "store_unavailable"],
  });
  const apiKeyChecked = createEventCounter<ApiKeyCheck>(registry, {
    name: "utility_tools_api_key_checks_total",
    help: "Requests that need an API key, by what came of looking for it.",
    label: "outcome",
    events: ["accepted", "missing", "refused"],
  });
  const stop = addProcessMetrics(registry);
  return {
    observer,
    connectionDropped,
    requestUnread: (status) => requestUnread(`${status}`),
    rateLimitDecided,
    apiKeyChecked,
    dataLoaded: (service, outcome) => {
      // The other outcome is there as 0, so that its rate can be taken when it first happens.
      reloads.inc({ service, outcome: "loaded" }, outcome === "loaded" ? 1 : 0);
      reloads.inc({ service, outcome: "refused" }, outcome === "refused" ? 1 : 0);
    },
    snapshot: () => registry.getMetricsAsJSON(),
    stop,
  };
}
