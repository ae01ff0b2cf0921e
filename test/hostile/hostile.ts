import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { TransportOptions } from "connect-transcoding";
import { createMemoryLimit } from "../control-group.js";
import type { Attack } from "./attack.js";
import { ATTACKS } from "./attacks.js";
import { type PoliteReport, startPoliteClients } from "./polite-clients.js";
import { startTarget, type Target } from "./target.js";

// Attacks the service while polite clients use it: `npm run test:hostile`. Options: `-- --short`, `-- --only NAME`,
// `-- --rounds 3`. Exits with 1 if the service ends or reports an error, a polite request fails, or connections or memory are not
// released.

const { values } = parseArgs({
  options: {
    short: { type: "boolean" },
    only: { type: "string" },
    rounds: { type: "string", default: "1" },
  },
});

/**
 * Seconds per attack, the share of its connections, and the time that polite clients run alone before it, in
 * milliseconds.
 */
const [SECONDS, SCALE, ALONE] = values.short === true ? [1, 0.1, 500] : [10, 1, 1500];
/** The maximum resident memory at any time, in MiB. */
const MAX_MEMORY = 1024;
/**
 * The maximum growth of used memory (without garbage) from before the first attack to after each one, in MiB. Resident
 * memory is not suitable: the allocator keeps memory of 10,000 sessions, also for a bare `node:http2` server.
 */
const MAX_LEFT_BEHIND = 16;
/** The maximum number of connections besides those of the polite clients. */
const MAX_CONNECTIONS_LEFT = 5;
/** Short timeouts, so that the run does not have to wait long until connections are closed. */
const TRANSPORT: Partial<TransportOptions> = {
  headersTimeout: 1500,
  requestTimeout: 2500,
  idleTimeout: 3000,
  pingTimeout: 1000,
  maxConnections: Math.round(11_000 * SCALE),
};
/** The time in which all of these timeouts expire, in milliseconds. */
const ALL_PASSED = 15_000;

const ROOT = dirname(createRequire(import.meta.url).resolve("#package.json"));
const CA = join(ROOT, "test", "service", "tls", "first-cert.pem");
const ATTACKER = join(ROOT, "dist", "test", "hostile", "attacker.js");

async function runAttacker(name: string, port: number, connections: number): Promise<void> {
  const args = [ATTACKER, name, String(port), String(SECONDS), String(connections)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "exit");
  if (code !== 0) {
    throw new Error(`the attacker ended with ${code}`);
  }
}

function politeLine(when: string, { requests, p50, p99 }: PoliteReport): string {
  return `${when} ${requests} polite, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}

/** By attack: p99 of polite requests before it, their p50 and p99 during it, the longest turn of the event loop, and memory. */
const table: string[] = [];

function tableLine(
  name: string,
  { p99: before }: PoliteReport,
  during: PoliteReport,
  lag: number,
  peak: number,
): string {
  const times = [before, during.p50, during.p99, lag].map((time) => time.toFixed(1).padStart(8));
  return `${name.padEnd(52)}${times.join("")}${peak.toFixed(0).padStart(8)}`;
}

/** Runs an attack once. Resolves to the problems that were found. */
async function attackOnce(target: Target, attack: Attack, baseline: number): Promise<string[]> {
  const polite = startPoliteClients(target.url, CA);
  await wait(ALONE);
  const before = polite.report();
  const memoryBefore = target.residentMemory();
  const filesBefore = target.openFiles();
  target.peakMemory();
  await target.status();

  await runAttacker(attack.name, target.port, Math.ceil(attack.connections * SCALE));
  const during = polite.report();
  const peak = target.peakMemory();
  const { lag } = await target.status();
  const deadline = performance.now() + ALL_PASSED;
  const isSettled = async (): Promise<boolean> =>
    target.openFiles() <= filesBefore + MAX_CONNECTIONS_LEFT &&
    (await target.status()).usedMemory <= baseline + MAX_LEFT_BEHIND;
  while (target.problem() === undefined && performance.now() < deadline && !(await isSettled())) {
    await wait(250);
  }
  await polite.stop();
  const after = polite.report();

  const problem = target.problem();
  if (problem !== undefined) {
    return [problem];
  }
  table.push(tableLine(attack.name, before, during, lag, peak));
  const { usedMemory: memory } = await target.status();
  const left = target.openFiles() - filesBefore;
  console.log(
    `${attack.name}: ${politeLine("alone", before)}; ${politeLine("during", during)}; ` +
      `memory ${memoryBefore.toFixed(0)} MiB before, ${target.residentMemory().toFixed(0)} after, at most ` +
      `${peak.toFixed(0)}, ${memory.toFixed(0)} in use; ${Math.max(left, 0)} connections left`,
  );
  return [
    ...[before, during, after].flatMap(({ failures }) =>
      [...failures].map(([what, times]) => `${times} × ${what}`),
    ),
    ...(during.requests < 10 ? ["fewer than 10 polite requests completed"] : []),
    ...(left > MAX_CONNECTIONS_LEFT ? [`${left} connections were not closed`] : []),
    ...(peak > MAX_MEMORY ? [`the peak memory was ${peak.toFixed(0)} MiB`] : []),
    ...(memory > baseline + MAX_LEFT_BEHIND
      ? [`${memory.toFixed(0)} MiB of memory remained in use, from ${baseline.toFixed(0)}`]
      : []),
  ];
}

async function attackAll(attacks: readonly Attack[], tls: boolean): Promise<string[]> {
  if (attacks.length === 0) {
    return [];
  }
  const limit = createMemoryLimit(MAX_MEMORY);
  if (limit === undefined) {
    console.log("without a control group, which root can create: the memory is only measured");
  }
  const target = await startTarget(TRANSPORT, tls, limit);
  const problems: string[] = [];
  // Warm-up: caches fill in normal operation, too.
  const warming = startPoliteClients(target.url, CA);
  await wait(2000);
  await warming.stop();
  const { usedMemory: baseline } = await target.status();
  for (const attack of attacks) {
    const found = await attackOnce(target, attack, baseline);
    problems.push(...found.map((problem) => `${attack.name}: ${problem}`));
    if (target.problem() !== undefined) {
      break;
    }
  }
  await target.stop();
  limit?.remove();
  return problems;
}

/** Returns the maximum number of open files. Node raises its soft limit to the hard limit. */
function openFilesLimit(): number {
  const limit = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  return limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit);
}

function repeat(attacks: readonly Attack[]): Attack[] {
  return Array.from({ length: Number(values.rounds) }, () => attacks).flat();
}

async function main(): Promise<number> {
  const attacks = ATTACKS.filter(({ name }) => values.only === undefined || name.includes(values.only));
  const needed = Math.ceil(Math.max(...attacks.map(({ connections }) => connections)) * SCALE) + 200;
  if (openFilesLimit() < needed) {
    console.error(`a process needs ${needed} open files: ulimit -n ${needed}, or --short`);
    return 2;
  }
  const problems = [
    ...(await attackAll(repeat(attacks.filter(({ tls }) => tls !== true)), false)),
    ...(await attackAll(repeat(attacks.filter(({ tls }) => tls === true)), true)),
  ];
  console.log(
    `\n${"polite requests and event loop in ms, memory in MiB".padEnd(52)}   alone     p50     p99     lag    peak`,
  );
  console.log(table.join("\n"));
  for (const problem of problems) {
    console.error(`FAILED ${problem}`);
  }
  console.log(problems.length === 0 ? `withstood ${attacks.length} attacks` : `${problems.length} problems`);
  return problems.length === 0 ? 0 : 1;
}

process.exitCode = await main();
