import type { HttpResponse, Page, ServerHealth } from "connect-transcoding";

/**
 * Health checks for orchestrators and load balancers. They use the status; the body is for people.
 *
 * - `/healthz` (liveness): 200 whenever the process responds. A restart would not fix what `/readyz` reports.
 * - `/readyz` (readiness): 200, or 503 with the services that are not ready and whether the server is shutting down.
 */
export function healthPages(health: ServerHealth): ReadonlyMap<string, Page> {
  return new Map<string, Page>([
    ["/healthz", () => jsonResponse(200, { healthy: true })],
    [
      "/readyz",
      () => {
        const isReady = health.isServing("");
        const stopping = health.isStopping();
        // During shutdown the services themselves are fine.
        const notReady = stopping ? [] : health.services.filter((name) => !health.isServing(name));
        return jsonResponse(isReady ? 200 : 503, { ready: isReady, stopping, not_ready: notReady });
      },
    ],
  ]);
}

function jsonResponse(status: number, body: object): HttpResponse {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
    body: JSON.stringify(body),
  };
}
