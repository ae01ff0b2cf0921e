import type { DroppedConnection, Page, RequestObserver } from "connect-transcoding";
import type { RateLimitDecision } from "connect-transcoding-operations/access/rate-limit";
import type { ApiKeyCheck } from "connect-transcoding-operations/access/require-api-key";
import { createEventCounter } from "connect-transcoding-operations/telemetry/event-counter";
import { createRequestMetrics } from "connect-transcoding-operations/telemetry/request-metrics";
import { Registry } from "prom-client";

/** Milliseconds that a scrape takes. */
const SCRAPE = 5;

/** Counts the decisions about requests. */
export interface AccessMetrics {
  apiKeyChecked(this: void, check: ApiKeyCheck): void;
  rateLimitDecided(this: void, decision: RateLimitDecision | "store_unavailable"): void;
}

/** Counts requests. Returns the observer that counts, and the page with the metrics as text for Prometheus. */
export function createGatewayMetrics(): AccessMetrics & {
  readonly observer: RequestObserver;
  connectionDropped(this: void, which: DroppedConnection): void;
  readonly page: Page;
} {
  const registry = new Registry();
  return {
    observer: createRequestMetrics(registry, "gateway"),
    apiKeyChecked: createEventCounter<ApiKeyCheck>(registry, {
      name: "gateway_api_key_checks_total",
      help: "Requests that need an API key, by the result of the check.",
      label: "outcome",
      events: ["accepted", "missing", "refused"],
    }),
    rateLimitDecided: createEventCounter<RateLimitDecision | "store_unavailable">(registry, {
      name: "gateway_rate_limit_decisions_total",
      help: "Rate-limit decisions, and requests counted locally because the store was unavailable.",
      label: "decision",
      events: ["allowed", "refused", "store_unavailable"],
    }),
    connectionDropped: createEventCounter<DroppedConnection>(registry, {
      name: "gateway_connections_dropped_total",
      help: "Connections closed at the connection limit: an idle one, one in use, or the new one.",
      label: "which",
      events: ["idle", "in_use", "new"],
    }),
    page: async (request) => {
      await request.turn(SCRAPE);
      return {
        status: 200,
        headers: { "content-type": registry.contentType, "cache-control": "no-store" },
        body: await registry.metrics(),
      };
    },
  };
}
