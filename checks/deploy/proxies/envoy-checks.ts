import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { check, checkEqual } from "connect-transcoding-testing/checks.mjs";
import type { Service } from "../../lib/processes/service.js";
import type { ReverseProxy } from "../shipped.js";
import { ask, askHttp2, connectHttp2 } from "./requests.js";

/** Checks what only Envoy does: balance requests, keep streams open, limit headers, and offer metrics. */
export async function checkEnvoy(envoy: ReverseProxy, replicas: readonly Service[]): Promise<void> {
  const stream = checkStream(envoy);
  await checkBalance(envoy, replicas);
  await checkHeaders(envoy);
  const metrics = await fetch(`${envoy.adminUrl}/stats/prometheus`);
  check("Envoy has metrics", (await metrics.text()).includes("envoy_cluster_upstream_rq_total{"));
  for (const [method, path] of [
    ["POST", "/quitquitquit"],
    ["GET", "/config_dump"],
    ["GET", "/"],
  ] as const) {
    const { status } = await fetch(`${envoy.adminUrl}${path}`, { method });
    check(`the admin interface has no ${path}`, status >= 400, status);
  }
  await stream;
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
  const isBalanced = shares.every((share) => share >= 8);
  check("the requests of one connection are balanced", isBalanced, shares);
}

/** A stream must outlast the timeout of a try. */
async function checkStream(envoy: ReverseProxy): Promise<void> {
  const session = connectHttp2(envoy);
  const headers = { ":method": "POST", "content-type": "application/grpc", te: "trailers" };
  const stream = session.request({ ...headers, ":path": "/grpc.health.v1.Health/Watch" });
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
  checkEqual("long headers pass, and longer ones get 431", [passes.status, fails.status], [200, 431]);
  const settings = { "x-envoy-upstream-rq-timeout-ms": "1", "x-envoy-upstream-rq-per-try-timeout-ms": "1" };
  const requests = Array.from({ length: 10 }, () => ask(proxy, "/v1/countries", { headers: settings }));
  const hurried = (await Promise.all(requests)).map(({ status }) => status);
  checkEqual("headers of clients change no timeouts", hurried, Array(10).fill(200));
  const added = Object.keys(passes.headers).filter((name) => /^x-envoy|^server$/.test(name));
  checkEqual("Envoy adds no headers to responses", added, []);
}
