import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { ServerLimits } from "@utility-tools/http-server";
import { temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import type { WatchedServer } from "connect-transcoding-testing/processes/watched-server.js";
import { build } from "rolldown";
import type { Attack } from "./attack.js";
import { type PoliteRequests, startPoliteClients } from "./polite-clients.js";

export interface Target {
  /** The path of the module that exports the attacks as `ATTACKS`. */
  readonly attacks: string;
  /** What polite clients ask for. */
  readonly polite: PoliteRequests;
  /** The maximum resident memory at any time, in MiB. */
  readonly maxMemory: number;
  /** Starts the server with limits of connections, and environment variables that name the files of a certificate. */
  start(limits: Limits, certificate: Readonly<Record<string, string>>): Promise<WatchedServer>;
}

/** The limits of connections that attacks need. */
export type Limits = Pick<
  ServerLimits,
  "headersTimeout" | "requestTimeout" | "idleTimeout" | "maxConnections"
>;

const { values } = parseArgs({ options: { short: { type: "boolean" }, only: { type: "string" } } });

/**
 * Seconds per attack, the share of its connections, and for polite requests the maximum 99th percentile during it and the pause of a
 * client between two of them, in milliseconds. The short form runs beside other suites on few processors.
 */
const [SECONDS, SCALE, MAX_P99, PAUSE] =
  values.short === true ? [0.4, 0.1, Number.POSITIVE_INFINITY, 25] : [10, 1, 100, 5];
/**
 * The maximum growth of used memory (without garbage) from before the first attack to after each one, in MiB. Resident
 * memory is not suitable: the allocator keeps memory of 10,000 sessions, also for a bare `node:http2` server.
 */
const MAX_LEFT_BEHIND = 16;
/** The time in which a service loads the rest of its data after it is ready, in milliseconds. */
const LOADED = 8_000;
/** The maximum number of connections besides those of the polite clients. */
const MAX_CONNECTIONS_LEFT = 5;
/** Short timeouts, so that the run does not have to wait long until connections are closed, but longer than an attack. */
const TIMEOUT = Math.max(SECONDS, 3) * 1000;
const LIMITS: Limits = {
  headersTimeout: TIMEOUT + 500,
  requestTimeout: TIMEOUT + 1500,
  idleTimeout: TIMEOUT + 15_000,
  maxConnections: Math.round(11_000 * SCALE),
};
/** Places for connections that an attack takes all, and its duration in seconds: with the usual number of places it would be long. */
const FEW_PLACES = values.short === true ? 50 : 2_000;
const TAKING_SECONDS = Math.max(SECONDS, 3);
/**
 * The time in which all of these timeouts expire, in milliseconds. Beside other suites it is longer: a connection with pipelined requests
 * closes after the response in progress, and the largest PNG codes of all connections then take more than 20 seconds.
 */
const ALL_PASSED = TIMEOUT + (values.short === true ? 60_000 : 20_000);

const TLS = join(import.meta.dirname, "../../../testing/tls");
const CA = join(TLS, "first-cert.pem");
const CERTIFICATE = { TLS_CERT_FILE: CA, TLS_KEY_FILE: join(TLS, "first-key.pem") };

/** The program of an attack and the attacks as bundles: dozens of them start in a third of the time that their sources take. */
const BUNDLES = temporaryFolder("hostile");

/**
 * The columns by attack: connections that are open at its end; the peak of resident memory, and used memory without garbage during the
 * attack and after it, in MiB; the 99th percentile of polite requests, and the longest turn of the event loop, in ms; the polite
 * requests that got a correct response during the attack.
 */
const COLUMNS = ["attack", "connections", "peak", "held", "after", "p99", "lag", "served", "result"];

function printRow(cells: readonly unknown[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}

/**
 * Starts an attack in a process of its own. Resolves when its time is over. Its connections stay open until the returned
 * function is called.
 */
async function startAttacker(
  { name, takesAll = false }: Attack,
  port: number,
  connections: number,
): Promise<() => Promise<void>> {
  const seconds = takesAll ? TAKING_SECONDS : SECONDS;
  const args = [join(BUNDLES, "attacks.mjs"), name, String(port), String(seconds), String(connections)];
  // The bundle needs no loader of TypeScript.
  const child = fork(join(BUNDLES, "attacker.mjs"), args, { execArgv: [] });
  const ended = once(child, "exit");
  await Promise.race([once(child, "message"), ended, wait(2 * seconds * 1000 + 5000)]);
  if (child.exitCode !== null) {
    throw new Error(`the attacker ended with ${child.exitCode}`);
  }
  return async () => {
    child.kill("SIGKILL");
    await ended;
  };
}

/** Runs an attack once. Resolves to the problems that were found. */
async function attackOnce(
  { polite: requests, maxMemory }: Target,
  server: WatchedServer,
  attack: Attack,
  baseline: number,
): Promise<string[]> {
  const polite = startPoliteClients(server.url, requests, CA, PAUSE);
  await wait(100);
  const filesBefore = server.openFiles();
  // A new peak and a new lag.
  server.peakMemory();
  server.resetLag();

  const connections = Math.ceil(attack.connections * SCALE);
  const end = await startAttacker(attack, server.port, connections);
  const during = polite.report();
  const open = server.openFiles() - filesBefore;
  const peak = server.peakMemory();
  const held = await server.status();
  await end();
  await polite.wake();
  const deadline = performance.now() + ALL_PASSED;
  let usedAfter = Number.POSITIVE_INFINITY;
  const isSettled = async (): Promise<boolean> => {
    if (server.openFiles() <= filesBefore + MAX_CONNECTIONS_LEFT) {
      usedAfter = (await server.status()).usedMemory;
    }
    return usedAfter <= baseline + MAX_LEFT_BEHIND;
  };
  while (server.problem() === undefined && performance.now() < deadline && !(await isSettled())) {
    await wait(250);
  }
  await polite.stop();
  const after = polite.report();

  const left = server.openFiles() - filesBefore;
  const failures = [during, after].flatMap(({ failures }) =>
    [...failures].map(([what, times]) => `${times} × ${what}`),
  );
  const ended = server.problem();
  const found: readonly (readonly [isWrong: boolean, problem: string])[] = [
    // Connections that are closed are replaced a moment later.
    [attack.takesAll === true && open < FEW_PLACES / 3, `only ${open} connections were taken`],
    [during.requests < 10, "fewer than 10 polite requests completed"],
    [during.p99 > MAX_P99, `the 99th percentile was ${during.p99.toFixed(0)} ms`],
    [left > MAX_CONNECTIONS_LEFT, `${left} connections were not closed`],
    [peak > maxMemory, `the peak memory was ${peak.toFixed(0)} MiB`],
    [
      usedAfter > baseline + MAX_LEFT_BEHIND,
      `${usedAfter.toFixed(0)} MiB of memory remained in use, from ${baseline.toFixed(0)}`,
    ],
  ];
  const wrong = found.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []));
  const problems = ended === undefined ? [...failures, ...wrong] : [ended];
  const memory = [peak, held.usedMemory, usedAfter].map((size) => size.toFixed(0));
  const times = [during.p99, held.lag].map((time) => time.toFixed(1));
  const failed = [...during.failures.values()].reduce((sum, count) => sum + count, 0);
  const served = `${during.requests - failed} of ${during.requests}`;
  const result = problems.length === 0 ? "ok" : ended === undefined ? "failed" : "ended";
  printRow([attack.name, open, ...memory, ...times, served, result]);
  return problems;
}

/** Starts the server and lets polite clients use it: caches fill in normal operation, too. */
async function startWarm(target: Target, limits: Limits, isTls: boolean): Promise<WatchedServer> {
  const server = await target.start(limits, isTls ? CERTIFICATE : {});
  const warming = startPoliteClients(server.url, target.polite, CA, PAUSE);
  // A server may build an index after its start, which stays in memory.
  await wait(5000);
  await warming.stop();
  return server;
}

/** Runs attacks one after another. After a failed one, the server starts anew: each row is about its own attack. */
async function attackAll(
  target: Target,
  attacks: readonly Attack[],
  ...options: [limits: Limits, isTls: boolean]
): Promise<string[]> {
  const problems: string[] = [];
  let server: WatchedServer | undefined;
  let baseline = 0;
  for (const attack of attacks) {
    if (server === undefined) {
      server = await startWarm(target, ...options);
      await wait(LOADED);
      baseline = (await server.status()).usedMemory;
    }
    const found = await attackOnce(target, server, attack, baseline);
    problems.push(...found.map((problem) => `${attack.name}: ${problem}`));
    if (found.length > 0) {
      await server.stop();
      server = undefined;
    }
  }
  await server?.stop();
  return problems;
}

/** Returns the maximum number of open files. Node raises its soft limit to the hard limit. */
function openFilesLimit(): number {
  const limit = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  return limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit);
}

/**
 * Attacks a server while polite clients use it, as the options of the command line say. Sets the exit code to 1 if the server ends,
 * reports an error or takes too much memory, a polite request fails or many are late, or connections or memory are not released.
 */
export async function runAttacks(target: Target): Promise<void> {
  const { ATTACKS }: { readonly ATTACKS: readonly Attack[] } = await import(target.attacks);
  const attacks = ATTACKS.filter(({ name, isOnlyInFull }) =>
    values.only === undefined ? !(values.short && isOnlyInFull) : name.includes(values.only),
  );
  const needed = Math.ceil(Math.max(...attacks.map(({ connections }) => connections)) * SCALE) + 200;
  if (openFilesLimit() < needed) {
    console.error(`a process needs ${needed} open files: ulimit -n ${needed}, or --short`);
    process.exitCode = 2;
    return;
  }
  await build({
    input: { attacker: join(import.meta.dirname, "attacker.ts"), attacks: target.attacks },
    platform: "node",
    output: { dir: BUNDLES, entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" },
  });
  printRow(COLUMNS);
  printRow(COLUMNS.map((_, index) => (index === 0 ? "---" : "---:")));
  const problems: string[] = [];
  for (const tls of [false, true]) {
    for (const takesAll of [false, true]) {
      const chosen = attacks.filter(
        (each) => (each.tls ?? false) === tls && (each.takesAll ?? false) === takesAll,
      );
      const limits = takesAll ? { ...LIMITS, maxConnections: FEW_PLACES } : LIMITS;
      problems.push(...(await attackAll(target, chosen, limits, tls)));
    }
  }
  for (const problem of problems) {
    console.error(`FAILED ${problem}`);
  }
  console.log(problems.length === 0 ? `withstood ${attacks.length} attacks` : `${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
