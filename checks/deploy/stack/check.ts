import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { digestOf } from "connect-transcoding-operations/access/api-keys";
import { check, checkRuns, conclude, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { freePort } from "connect-transcoding-testing/ports.js";
import { ANY_REDIS_USER, startRedis } from "connect-transcoding-testing/processes/programs.js";
import { parse } from "yaml";
import { ROOT } from "../../lib/processes/service.js";
import { ask } from "../proxies/requests.js";
import { type Ports, startReplica, startShippedEnvoy, startShippedPrometheus } from "../shipped.js";
import { evaluate, readPanelQueries } from "./dashboard-queries.js";
import { startTraffic } from "./traffic.js";

// Runs what deploy/compose.yaml runs, without Grafana, as processes of this machine: two replicas with its settings behind Envoy, a
// shared limit in Redis, and Prometheus. Sends traffic, every query of the dashboard, and requests for the state of all alerts. With
// --keep, both replicas work, and all runs until it is interrupted.
const keep = process.argv.includes("--keep");

for (const args of [
  ["check", "config", join(ROOT, "deploy", "prometheus", "prometheus.yaml")],
  ["check", "rules", join(ROOT, "deploy", "prometheus", "rules.yaml")],
  ["test", "rules", join(import.meta.dirname, "rules.test.yaml")],
]) {
  checkRuns(`promtool ${args.slice(0, 2).join(" ")}`, "promtool", args);
}

const folder = temporaryFolder("stack");
const keys = { prometheus: "ut_prometheus", client: "ut_client", greedy: "ut_greedy" };
const keysFile = join(folder, "keys");
const lines = Object.entries(keys).map(([name, key]) => `${name} ${digestOf(key)}\n`);
writeFileSync(keysFile, lines.join(""));
const compose = parse(readFileSync(join(ROOT, "deploy", "compose.yaml"), "utf8"), { merge: true });
const redis = await startRedis(ANY_REDIS_USER);
const settings: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(compose.services["replica-1"].environment).map(([name, value]) => [name, String(value)]),
  ),
  API_KEYS_FILE: keysFile,
  RATE_LIMIT_STORE: `redis://127.0.0.1:${redis.port}`,
};
const ports: Ports = [await freePort(), await freePort()];
const replicas = await Promise.all([
  startReplica(0, { ...settings, PORT: String(ports[0]), WORKERS: "2" }),
  // Its GeoIpService is not ready, and its requests fail.
  startReplica(0, {
    ...settings,
    PORT: String(ports[1]),
    ...(keep ? {} : { GEOIP_CITY_FILES: join(folder, "missing.mmdb") }),
  }),
]);
const envoy = await startShippedEnvoy(ports);
const urls = replicas.map(({ url }) => url);
const prometheus = await startShippedPrometheus(
  urls.map((url) => new URL(url).host),
  keys.prometheus,
);
const traffic = startTraffic(urls, keys);
// Rates need several scrapes, and the rate limit must have been exceeded.
await wait(10_000);

for (const query of readPanelQueries()) {
  const { series, value } = await evaluate(prometheus, query);
  const shown = value === undefined ? "no value" : Number(value.toPrecision(4));
  const what = `${`${query.panel} ${query.refId}`.padEnd(42)} ${String(series).padStart(2)} series  ${shown}`;
  check(what, value !== undefined || keep, query.expr);
}

if (keep) {
  const certificate = join(folder, "tls.pem");
  writeFileSync(certificate, envoy.ca);
  console.log(`service     ${envoy.url}
prometheus  ${prometheus.url}
dashboard   deploy/grafana/dashboard.json, for a Grafana with this Prometheus as data source

curl --cacert ${certificate} --header 'X-API-Key: ${keys.client}' '${envoy.url}/v1/geoIp?ip_address=8.8.8.8'

It runs until it is interrupted (Ctrl-C).`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
} else {
  const headers = { "x-api-key": keys.client };
  const statuses = [await ask(envoy, "/v1/about", { headers }), await ask(envoy, "/v1/about")];
  check("Envoy passes API keys on", statuses.map(({ status }) => status).join() === "200,401", statuses);
  await checkAlerts();
}

await traffic.stop();
await prometheus.stop();
await envoy.stop();
await Promise.all(replicas.map((replica) => replica.end()));
await redis.stop();
conclude();
process.exit();

/** Checks that Prometheus evaluates all rules, and which alerts the replica without data raises. */
async function checkAlerts(): Promise<void> {
  interface Rule {
    readonly name: string;
    readonly health: string;
    readonly state: string;
    readonly alerts: readonly { readonly annotations: Readonly<Record<string, string>> }[];
  }
  const { groups } = (await prometheus.get("rules")) as { groups: readonly { rules: readonly Rule[] }[] };
  const all = groups.flatMap((group) => group.rules);
  const unhealthy = all.filter(({ health }) => health !== "ok");
  check("Prometheus evaluates all rules", all.length > 0 && unhealthy.length === 0, unhealthy);
  const active = all.filter(({ state }) => state !== "inactive");
  const names = active.map(({ name }) => name);
  check(
    "the replica without data raises alerts",
    names.includes("UtilityToolsNotReady") && names.includes("UtilityToolsFailures"),
    names,
  );
  check(
    "replicas that work raise none about processes",
    !names.some((name) => /Down|Bug|Restarts|Store|Memory/.test(name)),
    names,
  );
  const texts = active.flatMap(({ alerts }) =>
    alerts.flatMap(({ annotations }) => Object.values(annotations)),
  );
  check("annotations can be expanded", !texts.some((text) => text.includes("error expanding")), texts);
}
