import { Code } from "@connectrpc/connect";
import { codeName, type Page, type RequestObserver } from "connect-transcoding";
import { methodName } from "connect-transcoding/rules";
import { Counter, Gauge, Histogram, Registry } from "prom-client";

const LABELS = ["method", "protocol"] as const;
/** The upper bounds of the durations, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Counts requests. Returns the observer that counts, and the page with the metrics as text for Prometheus. */
export function createGatewayMetrics(): { readonly observer: RequestObserver; readonly page: Page } {
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
  return {
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
