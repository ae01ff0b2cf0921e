import { setTimeout as wait } from "node:timers/promises";
import { checkEqual, conclude } from "../../lib/checks.mjs";
import {
  startBehind,
  startShippedCaddy,
  startShippedEnvoy,
  startShippedNginx,
  startShippedTraefik,
} from "../shipped.js";
import { checkCache } from "./cache.js";
import { checkEnvoy } from "./envoy-checks.js";
import { checkFailover, checkForwarding, checkLogs, checkProtocols } from "./proxy-checks.js";
import { ask } from "./requests.js";

// Runs nginx, Caddy, Traefik and Envoy with the configuration of deploy/ in front of two replicas, and tests every protocol, what replicas
// see, and what happens when they stop; and nginx's cache.

// The log shows which client replicas see.
const SETTINGS = { LOG_REQUESTS: "all" };

/** The path that Traefik forwards. */
const normalized = (path: string): string => new URL(path.replace("//", "/"), "http://localhost").pathname;

const nginx = await startBehind(startShippedNginx, SETTINGS);
await checkProtocols(nginx.proxy);
await checkForwarding(nginx.proxy, nginx.replicas);
await checkFailover(nginx.proxy, nginx.replicas, 502);
checkLogs(await nginx.proxy.stop());
await checkCache();

const caddy = await startBehind(startShippedCaddy, SETTINGS);
await checkProtocols(caddy.proxy);
await checkForwarding(caddy.proxy, caddy.replicas);
// 502 until its health check has noticed.
await checkFailover(caddy.proxy, caddy.replicas, 502, 503);
checkLogs(await caddy.proxy.stop());

const traefik = await startBehind(startShippedTraefik, SETTINGS);
const isRouted = () =>
  ask(traefik.proxy, "/readyz").then(
    ({ status }) => status === 200,
    () => false,
  );
while (!(await isRouted())) {
  await wait(50);
}
await checkProtocols(traefik.proxy);
await checkForwarding(traefik.proxy, traefik.replicas, normalized);
// 502 until its health check has noticed.
await checkFailover(traefik.proxy, traefik.replicas, 502, 503);
checkLogs(await traefik.proxy.stop());

const envoy = await startBehind(startShippedEnvoy, SETTINGS);
await checkProtocols(envoy.proxy);
await checkForwarding(envoy.proxy, envoy.replicas);
await checkEnvoy(envoy.proxy, envoy.replicas);
await checkFailover(envoy.proxy, envoy.replicas, 503);
const { type, body } = await ask(envoy.proxy, "/v1/about");
const error = '{"error":{"code":503,"message":"no replica responds","status":"UNAVAILABLE"}}\n';
checkEqual("the error of Envoy has the form of the service's", [type, body], ["application/json", error]);
const logs = await envoy.proxy.stop();
checkLogs(logs);
const problems = logs.error.split("\n").filter((line) => line !== "" && !line.endsWith("ENVOY_SIGTERM"));
checkEqual("Envoy has logged nothing but its end", problems, []);
conclude();
process.exit();
