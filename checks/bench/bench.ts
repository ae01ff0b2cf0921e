import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startLoadProcess } from "../lib/load/load-process.js";
import { isInstalled, PROCESSORS, versionOf } from "../lib/processors.js";
import { ROOT } from "../lib/service.js";
import { type BenchCase, CASES, DEFAULT, onEachNode } from "./cases.js";
import { buildGoPeer, writeGeoIpData } from "./go-programs.js";
import { METHOD_CASES } from "./method-cases.js";
import { type CaseReport, formatCase, formatReport, reportCase } from "./report.js";
import { type Bench, checkAll, type RunOptions, runCase, startContestant } from "./run-case.js";
import { STREAM_CASES } from "./stream-cases.js";

// Compares the service with other servers: `npm run check -- bench --only grpc`; with several `--node`, the service with itself on each
// of them. See docs/reference/benchmarks.md.

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    processes: { type: "string", default: "3" },
    seconds: { type: "string", default: "3" },
    "warm-up": { type: "string", default: "3" },
    only: { type: "string", default: "" },
    ours: { type: "boolean", default: false },
    node: { type: "string", multiple: true, default: [process.execPath] },
    out: { type: "string", default: "bench-results" },
    profile: { type: "string" },
  },
});

/** The versions of Node by the path of the program. Servers run on the first one by default. */
const NODES = new Map(values.node.map((program) => [program, versionOf(program)]));

/** The folder of a certificate and its key. */
const TLS = join(ROOT, "test", "service", "tls");

/** Seconds of load for a profile. */
const PROFILE_SECONDS = 10;

async function main(): Promise<void> {
  const [rounds, processes, seconds, warmUp] = [
    values.rounds,
    values.processes,
    values.seconds,
    values["warm-up"],
  ].map(Number);
  if (!isPositive(rounds) || !isPositive(processes) || !isPositive(seconds) || !isPositive(warmUp)) {
    return fail("--rounds, --processes, --seconds and --warm-up must be whole numbers above 0");
  }
  const pattern = new RegExp(values.profile ?? values.only);
  const all = values.ours ? METHOD_CASES : [...CASES, ...STREAM_CASES];
  const [ours = DEFAULT, ...others] = onEachNode(NODES);
  const cases = all
    .filter(({ name }) => pattern.test(name))
    .map((each): BenchCase => (others.length === 0 ? each : { ...each, contestants: [ours, ...others] }));
  if (cases.length === 0) {
    return fail(`no case matches ${pattern}; there are ${all.map(({ name }) => name).join(", ")}`);
  }
  const needsGo = cases.some(({ contestants }) => contestants.some(({ kind }) => kind === "go"));
  if (needsGo && values.profile === undefined && !isInstalled("go")) {
    return fail("Go is not installed: two of the servers need it (https://go.dev/dl/)");
  }
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  const load = startLoadProcess();
  try {
    const data = join(folder, "geoip.json");
    await writeGeoIpData(data);
    const bench: Bench = {
      load,
      node: values.node[0] ?? process.execPath,
      goPeer: needsGo && values.profile === undefined ? buildGoPeer(folder) : "",
      goEnvironment: { GEOIP_DATA: data },
      tlsEnvironment: {
        TLS_CERT_FILE: join(TLS, "first-cert.pem"),
        TLS_KEY_FILE: join(TLS, "first-key.pem"),
      },
    };
    if (values.profile === undefined) {
      const options = { rounds, processes, seconds, warmUp };
      await compareAll(bench, cases, options);
    } else {
      for (const benchCase of cases) {
        await profile(bench, benchCase);
      }
    }
  } finally {
    load.stop();
    await rm(folder, { recursive: true });
  }
}

async function compareAll(bench: Bench, cases: readonly BenchCase[], options: RunOptions): Promise<void> {
  const conditions = conditionsOf(options);
  console.log(conditions.join("\n"));
  const reports: CaseReport[] = [];
  for (const benchCase of cases) {
    const report = reportCase(benchCase, await runCase(bench, benchCase, options));
    console.log(`\n${formatCase(report)}`);
    reports.push(report);
    // After each case, so that an error in a later one does not lose it.
    await writeFile(
      `${values.out}.json`,
      `${JSON.stringify({ conditions, cases: reports }, undefined, 2)}\n`,
    );
    await writeFile(`${values.out}.md`, formatReport(conditions, reports));
  }
  console.log(`\nreport: ${values.out}.md, all figures: ${values.out}.json`);
}

function conditionsOf({ rounds, processes, seconds, warmUp }: RunOptions): string[] {
  const pinning =
    PROCESSORS === undefined
      ? "server and load share all processors (fewer than two, or no taskset)"
      : `server on processor ${PROCESSORS.server}, load on processor ${PROCESSORS.load}`;
  return [
    `${new Date().toISOString().slice(0, 10)}, Node ${[...NODES.values()].join(", ")}`,
    `${cpus().length} × ${cpus()[0]?.model.trim()}, load average ${loadavg()[0]?.toFixed(1)} before the start; ${pinning}`,
    `${processes} processes per server with ${rounds} rounds of ${seconds} s each in turn, after ${warmUp} s of warm-up`,
    "medians of all rounds; in parentheses, the lowest and the highest median of a process",
  ];
}

/** Records a CPU profile of the service under the load of a case, for Chrome's developer tools. */
async function profile(bench: Bench, benchCase: BenchCase): Promise<void> {
  const profiles = "bench-profiles";
  const name = `${benchCase.name}.cpuprofile`;
  const options = ["--cpu-prof", `--cpu-prof-dir=${profiles}`, `--cpu-prof-name=${name}`];
  const [ours] = benchCase.contestants;
  const server = await startContestant(bench, benchCase, ours, options);
  try {
    const { all } = await checkAll(bench, benchCase, [{ name: ours.name, server }]);
    const duration = { seconds: PROFILE_SECONDS, first: 0 };
    const { requests } = await bench.load.load(server.url, all, benchCase.concurrency, duration);
    console.log(`${benchCase.name}: ${Math.round(requests / PROFILE_SECONDS)} requests/s while profiled`);
  } finally {
    await server.end();
  }
  console.log(`profile: ${join(profiles, name)}`);
}

function isPositive(value: number | undefined): value is number {
  return Number.isInteger(value) && Number(value) > 0;
}

function fail(problem: string): void {
  console.error(`bench: ${problem}`);
  process.exitCode = 1;
}

await main();
