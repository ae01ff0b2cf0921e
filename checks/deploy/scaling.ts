import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../../test/ports.js";
import { type BenchCase, CASES } from "../bench/cases.js";
import { buildLoadProgram, hasGo } from "../bench/go-programs.js";
import {
  createLoad,
  fetchResponses,
  type LoadOptions,
  type LoadResult,
  writeWorkload,
} from "../bench/load.js";
import { problemOf } from "../bench/run-case.js";
import { processorTimeOf } from "../bench/server-process.js";
import { median } from "../bench/statistics.js";
import { type ControlGroup, createProcessorLimit } from "../lib/control-group.js";
import { findEnvoy, startEnvoy } from "./envoy/envoy.js";
import { childrenOf, endServices, startService } from "./service-process.js";

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

async function start(topology: Topology, envoyProgram: string): Promise<Running> {
  const { replicas, workers, hasEnvoy } = topology;
  const ports: [number, number] = [await freePort(), await freePort()];
  const used = ports.slice(0, replicas);
  const settings = { WORKERS: String(workers), TRUSTED_PROXIES: "127.0.0.1" };
  const services = await Promise.all(used.map((port) => startService({ ...settings, PORT: String(port) })));
  await Promise.all(
    services.map((service) => service.says(/worker \d+ is ready/g, workers > 1 ? workers : 0)),
  );
  const pids = services.map(({ process }) => process.pid ?? 0);
  const envoy = hasEnvoy
    ? await startEnvoy(envoyProgram, [ports[0], ports[replicas - 1] ?? 0], { threads: 2 })
    : undefined;
  return {
    topology,
    url: envoy?.url ?? services[0]?.url ?? "",
    service: workers > 1 ? pids.flatMap(childrenOf) : pids,
    envoy: envoy?.pid,
    stop: async () => {
      await envoy?.stop();
      await Promise.all(services.map((service) => service.end("SIGTERM")));
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

async function measure({ topology, url, service, envoy }: Running, load: LoadOptions): Promise<Round> {
  const spent = () => ({
    service: service.reduce((sum, pid) => sum + processorTimeOf(pid), 0),
    envoy: envoy === undefined ? 0 : processorTimeOf(envoy),
  });
  const before = spent();
  const result: LoadResult = await createLoad(url, load, { seconds: SECONDS, first: 0 });
  const after = spent();
  const problem = problemOf(result);
  if (problem !== undefined) {
    throw new Error(`${topology.name}: ${problem}`);
  }
  const perRequest = (seconds: number) => (seconds / result.requests) * 1e6;
  return {
    rate: result.requests / result.seconds,
    p50: result.p50,
    p99: result.p99,
    serviceTime: perRequest(after.service - before.service),
    envoyTime: perRequest(after.envoy - before.envoy),
    loadTime: perRequest(result.processorSeconds),
  };
}

/** Writes the requests of a case that succeed, without TLS and with TLS. */
async function writeRequests(folder: string, program: string, url: string, benchCase: BenchCase) {
  const { name, candidates, concurrency } = benchCase;
  const write = async (tls: boolean, requests = candidates.requests): Promise<LoadOptions> => {
    const workload = join(folder, `${name}-${tls}.json`);
    await writeWorkload(workload, { ...candidates, requests }, tls);
    return { program, workload, concurrency };
  };
  const responses = await fetchResponses(url, await write(false));
  const successful = candidates.requests.filter((_, index) => responses[index]?.status === 200);
  return { cleartext: await write(false, successful), tls: await write(true, successful) };
}

/** Measures topologies in turn, after a round to warm up, and prints the medians. */
async function compare(
  title: string,
  running: readonly Running[],
  benchCase: BenchCase,
  requests: Awaited<ReturnType<typeof writeRequests>>,
): Promise<void> {
  const rounds = running.map((): Round[] => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [index, each] of running.entries()) {
      const measured = await measure(each, each.topology.hasEnvoy ? requests.tls : requests.cleartext);
      if (round > 0) {
        rounds[index]?.push(measured);
      }
    }
  }
  console.log(`\n${benchCase.title}; ${title}\n`);
  console.log("| | Requests/s | Ratio | p50 | p99 | Service, per request | Envoy | Load program |");
  console.log("|---|---:|---:|---:|---:|---:|---:|---:|");
  let first = Number.NaN;
  for (const [index, { topology }] of running.entries()) {
    const medianOf = (field: keyof Round) => median((rounds[index] ?? []).map((round) => round[field]));
    const rate = medianOf("rate");
    first = Number.isNaN(first) ? rate : first;
    const milliseconds = [medianOf("p50"), medianOf("p99")].map((time) => `${time.toFixed(1)} ms`);
    const times = [medianOf("serviceTime"), medianOf("envoyTime"), medianOf("loadTime")];
    const cells = [rate.toFixed(0), (rate / first).toFixed(2), ...milliseconds];
    console.log(
      `| ${[topology.name, ...cells, ...times.map((time) => `${time.toFixed(0)} µs`)].join(" | ")} |`,
    );
  }
}

const envoyProgram = await findEnvoy();
if (envoyProgram === undefined || !hasGo()) {
  console.error("Go and Envoy must be installed");
  process.exit(1);
}
process.on("exit", endServices);
const folder = mkdtempSync(join(tmpdir(), "utility-tools-scaling-"));
const loadProgram = buildLoadProgram(folder);
const running: Running[] = [];
for (const topology of TOPOLOGIES) {
  running.push(await start(topology, envoyProgram));
}
const groups: ControlGroup[] = [];
const measured = CASES.filter(({ name }) => CASE_NAMES.includes(name));
const requests = new Map(
  await Promise.all(
    measured.map(
      async (each) => [each, await writeRequests(folder, loadProgram, running[0]?.url ?? "", each)] as const,
    ),
  ),
);
for (const [benchCase, written] of requests) {
  await compare("all processors", running, benchCase, written);
}
const behindEnvoy = running.filter(({ topology }) => BEHIND_ENVOY.includes(topology));
for (const pid of behindEnvoy.flatMap(({ service }) => service)) {
  const group = createProcessorLimit(SHARE);
  group?.add(pid);
  groups.push(...(group === undefined ? [] : [group]));
}
if (groups.length === 0) {
  console.log("\nskipped: replicas with a share of a processor (requires root)");
} else {
  for (const [benchCase, written] of requests) {
    await compare(`each replica has ${SHARE} of a processor`, behindEnvoy, benchCase, written);
  }
}
await Promise.all(running.map((each) => each.stop()));
for (const group of groups) {
  group.remove();
}
rmSync(folder, { recursive: true });
process.exit(0);
