import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../../test/ports.js";
import { isInstalled } from "../../lib/processors.js";
import { startRedis } from "../../redis/redis-server.js";
import { createChecks } from "../checks.js";
import { endServices, ROOT, startService } from "../service-process.js";
import { evaluate, readPanelQueries } from "./dashboard-queries.js";
import { hasPrometheus, SHIPPED, startPrometheus } from "./prometheus.js";
import { startTraffic } from "./traffic.js";

// Runs Prometheus with deploy/prometheus for two replicas under load, and sends it every query of the dashboard.
if (!hasPrometheus()) {
  console.error("Debian's prometheus must be installed");
  process.exit(1);
}
process.on("exit", endServices);
const { check, ...checks } = createChecks();

const rules = join(SHIPPED, "rules.yaml");
const cases = join(ROOT, "test", "deploy", "prometheus", "rules.test.yaml");
for (const args of [
  ["check", "config", join(SHIPPED, "prometheus.yaml")],
  ["check", "rules", rules],
  ["test", "rules", cases],
]) {
  const { status, stdout, stderr } = spawnSync("promtool", args, { encoding: "utf8" });
  check(`promtool ${args.slice(0, 2).join(" ")}`, status === 0, `${stdout}${stderr}`);
}

const keys = { prometheus: randomUUID(), client: randomUUID(), greedy: randomUUID() };
const folder = mkdtempSync(join(tmpdir(), "utility-tools-keys-"));
const keysFile = join(folder, "keys.txt");
const lines = Object.entries(keys).map(
  ([name, key]) => `${name} ${createHash("sha256").update(key).digest("hex")}\n`,
);
writeFileSync(keysFile, lines.join(""));

/** Panels that may be empty, with the reason. */
const emptyPanels = new Map<string, string>();
const settings: Record<string, string> = { API_KEYS_FILE: keysFile, RATE_LIMIT: "2000/1m" };
const redisProgram = ["redis-server", "valkey-server"].find(isInstalled);
const redisPort = await freePort();
const redis =
  redisProgram === undefined
    ? undefined
    : await startRedis(redisProgram, redisPort, "default on nopass ~* &* +@all".split(" "));
process.on("exit", () => void redis?.kill());
if (redis === undefined) {
  emptyPanels.set("Shared store of the rate limit", "Debian's redis-server is not installed");
} else {
  settings.RATE_LIMIT_STORE = `redis://127.0.0.1:${redisPort}`;
}

const replicas = await Promise.all([
  startService({ ...settings, WORKERS: "2" }),
  // Its GeoIpService is not ready, and its requests fail.
  startService({ ...settings, GEOIP_CITY_FILES: join(folder, "missing.mmdb") }),
]);
const urls = replicas.map(({ url }) => url);
const prometheus = await startPrometheus({
  targets: urls.map((url) => new URL(url).host),
  apiKey: keys.prometheus,
});
const traffic = startTraffic(urls, keys);
await wait(10_000);

for (const query of readPanelQueries()) {
  const { series, value } = await evaluate(prometheus, query);
  const reason = value === undefined ? emptyPanels.get(query.panel) : undefined;
  const shown = value === undefined ? (reason ?? "no value") : `${Number(value.toPrecision(4))}`;
  const what = `${`${query.panel} ${query.refId}`.padEnd(42)} ${String(series).padStart(2)} series  ${shown}`;
  check(what, value !== undefined || reason !== undefined, query.expr);
}

/** The members of a rule in the API that this test reads. */
interface Rule {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
  readonly state: string;
  readonly alerts: readonly { readonly annotations: Readonly<Record<string, string>> }[];
}
const { groups } = (await prometheus.get("rules")) as { groups: readonly { rules: readonly Rule[] }[] };
const all = groups.flatMap((group) => group.rules);
check(
  "Prometheus evaluates all rules",
  all.length > 0 && all.every(({ health }) => health === "ok"),
  all.filter(({ health }) => health !== "ok"),
);
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
const texts = active.flatMap(({ alerts }) => alerts.flatMap(({ annotations }) => Object.values(annotations)));
check("annotations can be expanded", !texts.some((text) => text.includes("error expanding")), texts);

await traffic.stop();
await prometheus.stop();
await Promise.all(replicas.map(({ end }) => end("SIGTERM")));
await redis?.kill();
rmSync(folder, { recursive: true });
process.exit(checks.failures() === 0 ? 0 : 1);
