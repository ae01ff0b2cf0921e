import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../../test/ports.js";
import { createChecks } from "../checks.js";
import { ask, checkFailover, checkForwarding, checkLogs, checkProtocols, PROXIED } from "../proxy-checks.js";
import { endServices, type ServiceProcess, startService } from "../service-process.js";
import { type Envoy, findEnvoy, startEnvoy } from "./envoy.js";
import { checkSharedLimit } from "./shared-limit.js";

// Runs Envoy with deploy/envoy.yaml in front of two replicas, and tests every protocol and a limit that the replicas share.
const program = await findEnvoy();
if (program === undefined) {
  process.exit(0);
}
process.on("exit", endServices);

const checks = createChecks();
const { check } = checks;
const ports: [number, number] = [await freePort(), await freePort()];
const replicas = await Promise.all(ports.map((port) => startService({ ...PROXIED, PORT: String(port) })));
const envoy = await startEnvoy(program, ports);
const stream = checkStream(envoy);
await checkProtocols(envoy, checks);
await checkForwarding(envoy, replicas, checks);
await checkBalance(envoy, replicas);
await checkHeaders(envoy);
await checkAdmin(envoy);
await stream;
await checkFailover(envoy, replicas, 503, checks);
const unavailable = await ask(envoy, "/v1/about");
check(
  "the error of Envoy has the form of the service's",
  unavailable.type === "application/json" &&
    unavailable.body === '{"error":{"code":503,"message":"no replica responds","status":"UNAVAILABLE"}}\n',
  unavailable,
);
const logs = await envoy.stop();
checkLogs(logs, checks);
const problems = logs.error.split("\n").filter((line) => line !== "" && !line.endsWith("ENVOY_SIGTERM"));
check("Envoy has logged no problems", problems.length === 0, problems);
await checkSharedLimit(program, checks);
process.exit(checks.failures() === 0 ? 0 : 1);

/**
 * Requests of one connection are distributed, not connections. A replica with an open stream gets only a quarter: Envoy prefers the
 * one with fewer requests.
 */
async function checkBalance({ url, ca }: Envoy, services: readonly ServiceProcess[]): Promise<void> {
  const session = connectHttp2(url, { ca });
  const handled = () => services.map((service) => service.count(/"method":"utilitytools\.v1\.About/g));
  const before = handled();
  for (let sent = 0; sent < 200; sent++) {
    const stream = session.request({ ":path": "/v1/about" }).resume();
    await once(stream, "close");
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
async function checkStream({ url, ca }: Envoy): Promise<void> {
  const session = connectHttp2(url, { ca });
  const stream = session.request({
    ":method": "POST",
    ":path": "/grpc.health.v1.Health/Watch",
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.end(Buffer.alloc(5)).resume();
  await once(stream, "data");
  const ended = await Promise.race([once(stream, "close").then(() => true), wait(3_500, false)]);
  check("a silent stream stays open", !ended, stream.rstCode);
  session.destroy();
}

/** Headers up to the limit of Envoy pass the limit of the service; longer ones get an error from Envoy. */
async function checkHeaders(proxy: Envoy): Promise<void> {
  const long = (bytes: number) => ({ headers: { ...manyHeaders(80), "x-long": "x".repeat(bytes) } });
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

function manyHeaders(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, "y"]));
}

async function checkAdmin({ adminUrl }: Envoy): Promise<void> {
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
