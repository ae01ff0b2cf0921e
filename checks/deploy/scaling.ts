import { parseArgs } from "node:util";
import { freePort } from "../../test/ports.js";
import { type BenchCase, CASES } from "../bench/cases.js";
import { table } from "../bench/report.js";
import { problemOf } from "../bench/run-case.js";
import { type ControlGroup, createProcessorLimit } from "../lib/control-group.js";
import { createLoad, fetchResponses } from "../lib/load/closed-loop.js";
import { childrenOf, processorTime } from "../lib/process-state.js";
import { startService } from "../lib/service.js";
import { median } from "../lib/statistics.js";
import { startShippedEnvoy } from "./shipped.js";

// Measures one and two processes, and one and two replicas behind Envoy: `npm run check -- deploy/scaling`. Load program, Envoy and service
// share all processors, so their processor time per request is the result on a small machine. In a second part, each replica has
// only a share of a processor, so that replicas limit the rate as they do on machines of their own.

const { values: args } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    /** The share of a processor that each replica has in the second part. */
    share: { type: "string", default: "0.1" },
  },
});
const [SECONDS, ROUNDS, SHARE] = [Number(args.seconds), Number(args.rounds), Number(args.share)];

/** A way to run the service. Through Envoy, the connections of clients have TLS. */
interface Topology {
  readonly name: string;
  readonly replicas: 1 | 2;
  readonly workers: 1 | 2;
  readonly hasEnvoy: boolean;
}

const BEHIND_ENVOY: readonly Topology[] = [
  { name: "one replica behind Envoy", replicas: 1, workers: 1, hasEnvoy: true },
  { name: "two replicas behind Envoy", replicas: 2, workers: 1, hasEnvoy: true },
];
const TOPOLOGIES: readonly Topology[] = [
  { name: "one process", replicas: 1, workers: 1, hasEnvoy: false },
  { name: "two workers", replicas: 1, workers: 2, hasEnvoy: false },
  ...BEHIND_ENVOY,
];
const CASE_NAMES = ["geoIp", "grpc"];

/** A running topology. */
interface Running {
  readonly topology: Topology;
  readonly url: string;
  /** The processes of the service that handle requests. */
  readonly service: readonly number[];
  readonly envoy: number | undefined;
  stop(): Promise<void>;
}

async function start(topology: Topology): Promise<Running> {
  const { replicas, workers, hasEnvoy } = topology;
  const ports: [number, number] = [await freePort(), await freePort()];
  const settings = { WORKERS: String(workers), TRUSTED_PROXIES: "127.0.0.1" };
  const services = await Promise.all(
    ports
      .slice(0, replicas)
      .map((port) => startService({ environment: { ...settings, PORT: String(port) } })),
  );
  await Promise.all(
    services.map((service) => service.says(/worker \d+ is ready/g, workers > 1 ? workers : 0)),
  );
  const pids = services.map(({ pid }) => pid);
  const envoy = hasEnvoy ? await startShippedEnvoy([ports[0], ports[replicas - 1] ?? 0], 2) : undefined;
  return {
    topology,
    url: envoy?.url ?? services[0]?.url ?? "",
    service: workers > 1 ? pids.flatMap(childrenOf) : pids,
    envoy: envoy?.pid,
    stop: async () => {
      await envoy?.stop();
      await Promise.all(services.map((service) => service.end()));
    },
  };
}

/** A round of load. Processor times are in microseconds per request. */
interface Round {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly serviceTime: number;
  readonly envoyTime: number;
  readonly loadTime: number;
}

async function measure({ topology, url, service, envoy }: Running, benchCase: BenchCase): Promise<Round> {
  const spent = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + processorTime(pid), 0);
  const proxy = envoy === undefined ? [] : [envoy];
  const [serviceBefore, envoyBefore] = [spent(service), spent(proxy)];
  const duration = { seconds: SECONDS, first: 0 };
  const result = await createLoad(url, benchCase.candidates, benchCase.concurrency, duration);
  const problem = problemOf(result);
  if (problem !== undefined) {
    throw new Error(`${topology.name}: ${problem}`);
  }
  const perRequest = (seconds: number) => (seconds / result.requests) * 1e6;
  return {
    rate: result.requests / result.seconds,
    p50: result.p50,
    p99: result.p99,
    serviceTime: perRequest(spent(service) - serviceBefore),
    envoyTime: perRequest(spent(proxy) - envoyBefore),
    loadTime: perRequest(result.processorSeconds),
  };
}

/** Returns a case with its requests that succeed. */
async function successful(benchCase: BenchCase, url: string): Promise<BenchCase> {
  const { candidates, concurrency } = benchCase;
  const responses = await fetchResponses(url, candidates, concurrency);
  const requests = candidates.requests.filter((_, index) => responses[index]?.status === 200);
  return { ...benchCase, candidates: { ...candidates, requests } };
}

/** Measures topologies in turn, after a round to warm up, and prints the medians. */
async function compare(title: string, running: readonly Running[], benchCase: BenchCase): Promise<void> {
  const rounds = running.map((): Round[] => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, each] of running.entries()) {
      const measured = await measure(each, benchCase);
      if (round > 0) {
        rounds[index]?.push(measured);
      }
    }
  }
  const medianOf = (index: number, field: keyof Round) =>
    median((rounds[index] ?? []).map((round) => round[field]));
  const rows = running.map(({ topology }, index) => {
    const rate = medianOf(index, "rate");
    const ratio = (rate / medianOf(0, "rate")).toFixed(2);
    const milliseconds = (["p50", "p99"] as const).map((field) => `${medianOf(index, field).toFixed(1)} ms`);
    const times = (["serviceTime", "envoyTime", "loadTime"] as const).map(
      (field) => `${medianOf(index, field).toFixed(0)} µs`,
    );
    return [topology.name, rate.toFixed(0), ratio, ...milliseconds, ...times];
  });
  const columns = ["", "Requests/s", "Ratio", "p50", "p99", "Service, per request", "Envoy", "Load program"];
  console.log(`\n${benchCase.title}; ${title}\n\n${table(columns, "lrrrrrrr", rows)}`);
}

const running: Running[] = [];
for (const topology of TOPOLOGIES) {
  running.push(await start(topology));
}
const cases: BenchCase[] = [];
for (const each of CASES.filter(({ name }) => CASE_NAMES.includes(name))) {
  cases.push(await successful(each, running[0]?.url ?? ""));
}
for (const benchCase of cases) {
  await compare("all processors", running, benchCase);
}
const behindEnvoy = running.filter(({ topology }) => BEHIND_ENVOY.includes(topology));
const groups: ControlGroup[] = [];
for (const pid of behindEnvoy.flatMap(({ service }) => service)) {
  const group = createProcessorLimit(SHARE);
  group?.add(pid);
  groups.push(...(group === undefined ? [] : [group]));
}
if (groups.length === 0) {
  console.log("\nskipped: replicas with a share of a processor (requires root)");
} else {
  for (const benchCase of cases) {
    await compare(`each replica has ${SHARE} of a processor`, behindEnvoy, benchCase);
  }
}
await Promise.all(running.map((each) => each.stop()));
for (const group of groups) {
  group.remove();
}
process.exit(0);
