import { setTimeout as wait } from "node:timers/promises";
import { checkEqual, conclude } from "connect-transcoding-testing/checks.mjs";
import {
  type ReverseProxy,
  startBehind,
  startShippedCaddy,
  startShippedEnvoy,
  startShippedNginx,
  startShippedTraefik,
} from "../shipped.js";
import { checkCache } from "./cache.js";
import { checkEnvoy } from "./envoy-checks.js";
import { checkHaproxy } from "./haproxy-checks.js";
import { checkClient, checkFailover, checkForwarding, checkLogs, checkProtocols } from "./proxy-checks.js";
import { ask } from "./requests.js";

// Runs nginx, Caddy, Traefik and Envoy with the configuration of deploy/ in front of two replicas, and tests every protocol, what replicas
// see, and what happens when they stop; HAProxy, which forwards connections; and nginx's cache.

// The log shows which client replicas see.
const SETTINGS = { LOG_REQUESTS: "all" };

/** The path that Traefik forwards. */
const normalized = (path: string): string => new URL(path.replace("//", "/"), "http://localhost").pathname;

/** How each proxy is started, the path that it forwards, and its statuses without a replica: 502 until a health check has noticed. */
const PROXIES = [
  { start: startShippedNginx, unavailable: [502] },
  { start: startShippedCaddy, unavailable: [502, 503] },
  { start: startShippedTraefik, forwarded: normalized, unavailable: [502, 503] },
  { start: startShippedEnvoy, unavailable: [503] },
];

for (const { start, forwarded, unavailable } of PROXIES) {
  const { proxy, replicas } = await startBehind(start, SETTINGS);
  const isEnvoy = start === startShippedEnvoy;
  await untilRouted(proxy);
  await checkProtocols(proxy);
  await checkClient(proxy, replicas);
  await checkForwarding(proxy, replicas, forwarded);
  if (isEnvoy) {
    await checkEnvoy(proxy, replicas);
  }
  await checkFailover(proxy, replicas, unavailable);
  if (isEnvoy) {
    const { type, body } = await ask(proxy, "/v1/about");
    const error = '{"error":{"code":503,"message":"no replica responds","status":"UNAVAILABLE"}}\n';
    checkEqual("the error of Envoy has the form of the service's", [type, body], ["application/json", error]);
  }
  const { access, error: errors } = await proxy.stop();
  checkLogs(access, errors);
  if (isEnvoy) {
    const problems = errors.split("\n").filter((line) => line !== "" && !line.endsWith("ENVOY_SIGTERM"));
    checkEqual("Envoy has logged nothing but its end", problems, []);
  }
}
await checkHaproxy();
await checkCache();
conclude();
process.exit();

/** Traefik reads its routes after it listens. */
async function untilRouted(proxy: ReverseProxy): Promise<void> {
  const isRouted = () =>
    ask(proxy, "/readyz").then(
      ({ status }) => status === 200,
      () => false,
    );
  while (!(await isRouted())) {
    await wait(50);
  }
}
