import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { findSource } from "../../src/data-update/sources.js";
import { updateDatabase } from "../../src/data-update/update-database.js";
import type { DatabaseName } from "../../src/service/data-files/data-folder.js";
import {
  CREDENTIALS,
  databaseFile,
  type Misbehavior,
  startPublishers,
} from "../data-update/fake-publishers.js";
import { freePort } from "../free-port.js";
import { grpcClient } from "./load/grpc-client.js";
import { type ClientOptions, type Failed, type LoadResult, load } from "./load/load.js";
import { restClient } from "./load/rest-client.js";
import { missingPackages, startNginx } from "./nginx/nginx.js";
import {
  childrenOf,
  endServices,
  peerPortsOf,
  ROOT,
  raisePriority,
  type ServiceProcess,
  startService,
} from "./service-process.js";

/** The result of a scenario. */
interface Trial extends LoadResult {
  /** The actions under load. */
  readonly done: string;
  /** Expected failures: requests in progress in a killed process. */
  readonly expected: readonly Failed[];
}

const { values: args } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    rate: { type: "string", default: "2400" },
    scenario: { type: "string", multiple: true },
  },
});
const SECONDS = Number(args.seconds);
const RATE = Number(args.rate);
/** Connections per protocol. An HTTP/1.1 connection has one request at a time. */
const REST_CONNECTIONS = 128;
const GRPC_CONNECTIONS = 16;
/** The line that a worker logs when it accepts requests. */
const READY = /worker \d+ is ready/g;

const SCENARIOS: Readonly<Record<string, () => Promise<Trial>>> = {
  "replica restarted behind nginx": restartReplicas,
  "worker killed": killWorkers,
  "database replaced every second": swapDatabase,
  "data updated from each publisher": updateFromPublishers,
};

function clients(url: string, options: ClientOptions = {}) {
  return {
    REST: restClient(url, REST_CONNECTIONS, options),
    gRPC: grpcClient(url, GRPC_CONNECTIONS, options),
  };
}

/** Calls `act` repeatedly until the scenario's time is over. Resolves to the number of calls. */
async function repeat(act: () => Promise<void>, pause: number): Promise<number> {
  const end = performance.now() + SECONDS * 1000;
  let times = 0;
  await wait(pause);
  while (performance.now() < end - pause) {
    await act();
    times += 1;
    await wait(pause);
  }
  await wait(Math.max(0, end - performance.now()));
  return times;
}

async function restartReplicas(): Promise<Trial> {
  const missing = missingPackages();
  if (missing.length > 0) {
    throw new Error(`Debian's ${missing.join(" and ")} must be installed`);
  }
  const ports: [number, number] = [await freePort(), await freePort()];
  const start = (port: number): Promise<ServiceProcess> =>
    startService({ PORT: String(port) }, undefined, true);
  const replicas = [await start(ports[0]), await start(ports[1])];
  const nginx = await startNginx(ports);
  let restarts = 0;
  const result = await load(clients(nginx.url, { ca: nginx.ca }), RATE, async () => {
    restarts = await repeat(async () => {
      const which = restarts++ % 2;
      const how = await replicas[which]?.end("SIGTERM");
      if (how !== 0) {
        throw new Error(`SIGTERM ended a replica with ${how}`);
      }
      await wait(300);
      replicas[which] = await start(ports[which] ?? 0);
    }, 700);
  });
  await nginx.stop();
  await Promise.all(replicas.map((replica) => replica.end("SIGTERM")));
  return { ...result, done: `${restarts} × SIGTERM and start`, expected: [] };
}

async function killWorkers(): Promise<Trial> {
  const service = await startService({ WORKERS: "2" });
  const primary = service.process.pid ?? 0;
  await service.says(READY, 2);
  // Requests in progress in a killed worker may be lost. They are not retried, so that they are counted.
  const strict = { retries: false };
  const killed: { readonly at: number; readonly ports: ReadonlySet<number> }[] = [];
  const result = await load(clients(service.url, strict), RATE, async () => {
    await repeat(async () => {
      const workers = childrenOf(primary);
      const victim = workers[killed.length % workers.length] ?? 0;
      const restarted = service.says(READY, service.count(READY) + 1);
      const ports = peerPortsOf(victim);
      killed.push({ at: performance.now(), ports });
      process.kill(victim, "SIGKILL");
      await restarted;
    }, 700);
  });
  await service.end("SIGTERM");
  // Requests on a killed worker's connection that were in progress, or sent before the client noticed.
  const expected = result.failed.filter(
    ({ localPort, failedAt }) =>
      localPort !== undefined && killed.some(({ at, ports }) => ports.has(localPort) && failedAt >= at),
  );
  const connections = killed.map(({ ports }) => ports.size).join("+");
  return { ...result, done: `${killed.length} × SIGKILL, of ${connections} connections`, expected };
}

async function swapDatabase(): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-swap-"));
  const file = join(folder, "asn.mmdb");
  const original = join(ROOT, "data", "asn.mmdb");
  copyFileSync(original, file);
  const service = await startService({ GEOIP_ASN_FILES: file });
  let swaps = 0;
  const result = await load(clients(service.url), RATE, async () => {
    swaps = await repeat(async () => {
      copyFileSync(original, `${file}.next`);
      renameSync(`${file}.next`, file);
    }, 1_000);
  });
  await service.end("SIGTERM");
  rmSync(folder, { recursive: true });
  return { ...result, done: `${swaps} × rename`, expected: [] };
}

/** The sources of `update-data`, with a file that each offers. */
type PublishedFile = readonly [source: string, database: DatabaseName, file: string];
const ORIGIN_ASN: PublishedFile = ["origin-asn", "asn", "origin-asn"];
const UPDATES: readonly PublishedFile[] = [
  ORIGIN_ASN,
  ["dbip", "city", "dbip-city-lite-2026-11"],
  ["geolite2", "city", "GeoLite2-City"],
  ["geoip2", "asn", "GeoIP2-ISP"],
  ["ipinfo", "asn", "ipinfo_lite"],
];
const MISBEHAVIOR: readonly Misbehavior[] = ["missing", "page", "truncated", "disconnects", "silent"];

/** Updates the data from local servers that behave and misbehave as the publishers do, each in turn. */
async function updateFromPublishers(): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-update-"));
  const fake = await startPublishers();
  const service = await startService({ DATA_DIR: folder });
  const limits = { timeout: 500, pauses: [], maxBytes: 100_000_000 };
  let [updates, failures] = [0, 0];
  const result = await load(clients(service.url), RATE, async () => {
    await repeat(async () => {
      const [name, database, file] = UPDATES[updates % UPDATES.length] ?? ORIGIN_ASN;
      const isReal = updates === 0;
      const content = isReal
        ? readFileSync(join(ROOT, "data", "asn.mmdb"))
        : databaseFile({ type: `update ${updates}`, built: "2026-11-01" });
      fake.files.set(file, { content, changed: new Date(Date.UTC(2026, 10, 1, 0, 0, updates)) });
      const context = { publishers: fake.publishers, credentials: CREDENTIALS, now: new Date("2026-11-22") };
      const source = findSource(name, database, context);
      if (!source.ok) {
        throw new Error(source.failure.description);
      }
      fake.misbehavior = MISBEHAVIOR[failures % MISBEHAVIOR.length] ?? "missing";
      const failed = await updateDatabase({ database, source: source.value, folder, limits });
      fake.misbehavior = "none";
      const replaced = service.says(/data replaced/g, updates + 1);
      const updated = await updateDatabase({ database, source: source.value, folder, limits });
      if (failed.ok || !updated.ok || updated.value === undefined) {
        throw new Error(`${name}: ${JSON.stringify([failed, updated])}`);
      }
      await replaced;
      failures += 1;
      updates += 1;
    }, 200);
  });
  await service.end("SIGTERM");
  await fake.close();
  rmSync(folder, { recursive: true });
  return { ...result, done: `${updates} × update, ${failures} × failed update`, expected: [] };
}

/** Formats failures by kind, the most frequent first. */
function kinds(failed: readonly Failed[]): string {
  const counts = new Map<string, number>();
  for (const { protocol, failure } of failed) {
    const kind = `${protocol}: ${failure}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([kind, count]) => `    ${count} × ${kind}`)
    .join("\n");
}

process.on("exit", endServices);
raisePriority();
console.log(
  "| Scenario | Done | Requests | Requests/s | Retried | Lost | In progress in a killed process | p99 | Maximum |",
);
console.log("|---|---|---:|---:|---:|---:|---:|---:|---:|");
let lost = 0;
for (const [name, run] of Object.entries(SCENARIOS)) {
  if (args.scenario !== undefined && !args.scenario.some((part) => name.includes(part))) {
    continue;
  }
  const { requests, rate, retried, failed, expected, p99, worst, done } = await run();
  const unexpected = failed.filter((failure) => !expected.includes(failure));
  lost += unexpected.length;
  const times = `${p99.toFixed(0)} ms | ${worst.toFixed(0)} ms`;
  console.log(
    `| ${name} | ${done} | ${requests} | ${rate.toFixed(0)} | ${retried} | ${unexpected.length} | ${expected.length} | ${times} |`,
  );
  for (const group of [unexpected, expected].filter(({ length }) => length > 0)) {
    console.error(`  ${group === unexpected ? "lost" : "in progress"}:\n${kinds(group)}`);
  }
}
process.exit(lost === 0 ? 0 : 1);
