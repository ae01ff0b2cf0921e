import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { check } from "../../lib/checks.mjs";
import type { Service } from "../../lib/service.js";
import type { ProxyLogs, ReverseProxy } from "../shipped.js";
import { ask, askHttp2, connectHttp2, GRPC_HEADERS } from "./requests.js";

/** Checks what only Envoy does: balance requests, keep streams open, limit headers, and offer metrics. */
export async function checkEnvoy(envoy: ReverseProxy, replicas: readonly Service[]): Promise<void> {
  const stream = checkStream(envoy);
  await checkBalance(envoy, replicas);
  await checkHeaders(envoy);
  await checkAdmin(envoy);
  await stream;
}

/** Checks that Envoy has logged nothing but its end. */
export function checkEnvoyLog({ error }: ProxyLogs): void {
  const problems = error.split("\n").filter((line) => line !== "" && !line.endsWith("ENVOY_SIGTERM"));
  check("Envoy has logged no problems", problems.length === 0, problems);
}

/**
 * Requests of one connection are distributed, not connections. A replica with an open stream gets only a quarter: Envoy prefers the
 * one with fewer requests.
 */
async function checkBalance(envoy: ReverseProxy, services: readonly Service[]): Promise<void> {
  const session = connectHttp2(envoy);
  const handled = () => services.map((service) => service.count(/"method":"utilitytools\.v1\.About/g));
  const before = handled();
  for (let sent = 0; sent < 200; sent++) {
    await askHttp2(session, { ":path": "/v1/about" });
  }
  session.close();
  await wait(200);
  const shares = handled().map((count, index) => count - (before[index] ?? 0));
  check(
    "the requests of one connection are balanced",
    shares.every((share) => share >= 8),
    shares,
  );
}

/** A stream must outlast the timeout of a try. */
async function checkStream(envoy: ReverseProxy): Promise<void> {
  const session = connectHttp2(envoy);
  const stream = session.request({ ...GRPC_HEADERS, ":path": "/grpc.health.v1.Health/Watch" });
  stream.end(Buffer.alloc(5)).resume();
  await once(stream, "data");
  const ended = await Promise.race([once(stream, "close").then(() => true), wait(3_500, false)]);
  check("a silent stream stays open", !ended, stream.rstCode);
  session.destroy();
}

/** Headers up to the limit of Envoy pass the limit of the service; longer ones get an error from Envoy. */
async function checkHeaders(proxy: ReverseProxy): Promise<void> {
  const many = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`x-${index}`, "y"]));
  const long = (bytes: number) => ({ headers: { ...many, "x-long": "x".repeat(bytes) } });
  const passes = await ask(proxy, "/v1/about", long(10_000));
  const fails = await ask(proxy, "/v1/about", long(13_000));
  const statuses = [passes.status, fails.status];
  check("long headers pass, and longer ones get 431", String(statuses) === "200,431", statuses);
  const settings = { "x-envoy-upstream-rq-timeout-ms": "1", "x-envoy-upstream-rq-per-try-timeout-ms": "1" };
  const requests = Array.from({ length: 10 }, () => ask(proxy, "/v1/countries", { headers: settings }));
  const hurried = (await Promise.all(requests)).map(({ status }) => status);
  check(
    "headers of clients change no timeouts",
    hurried.every((status) => status === 200),
    hurried,
  );
  const added = Object.keys(passes.headers).filter((name) => /^x-envoy|^server$/.test(name));
  check("Envoy adds no headers to responses", added.length === 0, added);
}

async function checkAdmin({ adminUrl }: ReverseProxy): Promise<void> {
  const metrics = await fetch(`${adminUrl}/stats/prometheus`);
  const text = await metrics.text();
  const statuses = await Promise.all(
    ["/quitquitquit", "/config_dump", "/"].map(async (path) => {
      const method = path === "/quitquitquit" ? "POST" : "GET";
      return (await fetch(`${adminUrl}${path}`, { method })).status;
    }),
  );
  check(
    "the admin interface has metrics and nothing else",
    text.includes("envoy_cluster_upstream_rq_total{") && statuses.every((status) => status >= 400),
    statuses,
  );
}
