import { checkEqual, conclude } from "../../lib/checks.mjs";
import { startBehind, startShippedCaddy, startShippedEnvoy, startShippedNginx } from "../shipped.js";
import { checkCache } from "./cache.js";
import { checkEnvoy } from "./envoy-checks.js";
import { checkFailover, checkForwarding, checkLogs, checkProtocols } from "./proxy-checks.js";
import { ask } from "./requests.js";

// Runs nginx, Caddy and Envoy with the configuration of deploy/ in front of two replicas, and tests every protocol, what replicas see, and
// what happens when they stop; then nginx's cache.

// The log shows which client replicas see.
const SETTINGS = { LOG_REQUESTS: "all" };

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
