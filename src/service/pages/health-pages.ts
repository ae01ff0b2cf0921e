import type { HttpResponse, Page, ServerHealth } from "connect-transcoding";

/**
 * What orchestrators and load balancers ask for over plain HTTP; they go by the status, and the body is for people.
 *
 * - `/healthz`: whether the process serves at all. 200 as long as there is an answer, for a restart would help with nothing
 *   that `/readyz` says.
 * - `/readyz`: whether to send it requests. 200, or 503 with the services that are not ready, and whether it is stopping.
 */
export function healthPages(health: ServerHealth): ReadonlyMap<string, Page> {
  return new Map<string, Page>([
    ["/healthz", () => answer(200, { healthy: true })],
    [
      "/readyz",
      () => {
        const isReady = health.isServing("");
        const stopping = health.isStopping();
        // A server that stops is no problem of its services.
        const notReady = stopping ? [] : health.services.filter((name) => !health.isServing(name));
        return answer(isReady ? 200 : 503, { ready: isReady, stopping, not_ready: notReady });
      },
    ],
  ]);
}

function answer(status: number, body: object): HttpResponse {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
    body: JSON.stringify(body),
  };
}
