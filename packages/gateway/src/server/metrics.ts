import { Code } from "@connectrpc/connect";
import { codeName, type Page, type RequestObserver } from "connect-transcoding";
import { methodName } from "connect-transcoding/rules";
import type { ApiKeyCheck } from "connect-transcoding-operations/access/api-keys";
import type { RateLimitDecision } from "connect-transcoding-operations/access/rate-limit";
import { Counter, Gauge, Histogram, Registry } from "prom-client";

const LABELS = ["method", "protocol"] as const;
/** The upper bounds of the durations, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Counts the decisions about requests. */
export interface AccessMetrics {
  apiKeyChecked(this: void, check: ApiKeyCheck): void;
  rateLimitDecided(this: void, decision: RateLimitDecision | "store_unavailable"): void;
}

/** Counts requests. Returns the observer that counts, and the page with the metrics as text for Prometheus. */
export function createGatewayMetrics(): AccessMetrics & {
  readonly observer: RequestObserver;
  readonly page: Page;
} {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: "gateway_requests_total",
    help: "Completed requests, by the full name of the method, the protocol and the canonical code.",
    labelNames: [...LABELS, "code"],
    registers,
  });
  const durations = new Histogram({
    name: "gateway_request_duration_seconds",
    help: "Time from the arrival of a request until its response was handed over.",
    labelNames: [...LABELS],
    buckets: BUCKETS,
    registers,
  });
  const open = new Gauge({ name: "gateway_requests_in_flight", help: "Requests in progress.", registers });
  const keys = new Counter({
    name: "gateway_api_key_checks_total",
    help: "Requests that need an API key, by whether they have one.",
    labelNames: ["result"],
    registers,
  });
  const limits = new Counter({
    name: "gateway_rate_limit_decisions_total",
    help: "Counts of the rate limit, by outcome.",
    labelNames: ["decision"],
    registers,
  });
  return {
    apiKeyChecked: (result) => keys.inc({ result }),
    rateLimitDecided: (decision) => limits.inc({ decision }),
    observer: {
      onStart: () => open.inc(),
      onEnd: ({ method, protocol, code, status, duration }) => {
        open.dec();
        const labels = { method: method === undefined ? "none" : methodName(method), protocol };
        const outcome = code ?? (status >= 400 ? Code.Unknown : undefined);
        requests.inc({ ...labels, code: outcome === undefined ? "OK" : codeName(outcome) });
        durations.observe(labels, duration / 1000);
      },
    },
    page: async () => ({
      status: 200,
      headers: { "content-type": registry.contentType, "cache-control": "no-store" },
      body: await registry.metrics(),
    }),
  };
}
