import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type BenchCase, CASES } from "./cases.js";
import { type CaseReport, printCase, reportCase } from "./report.js";
import { checkResponses, makeLoad, type RunOptions, runCase } from "./run-case.js";
import { missingPackages, OURS, PROCESSORS, startProcess } from "./server-process.js";

// Compares the service's requests per second with those of other libraries: `npm run bench -- --only geoIp`. See
// docs/benchmarks.md.

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "5" },
    connections: { type: "string", default: "50" },
    only: { type: "string", default: "" },
    out: { type: "string", default: "bench-results.json" },
    profile: { type: "string" },
  },
});

/** Seconds of load for a profile. */
const PROFILE_SECONDS = 10;

async function main(): Promise<void> {
  const missing = missingPackages();
  if (missing.length > 0) {
    return fail(`the load tools are not installed: apt-get install ${missing.join(" ")}`);
  }
  const [rounds, seconds, connections] = [values.rounds, values.seconds, values.connections].map(Number);
  if (!isPositive(rounds) || !isPositive(seconds) || !isPositive(connections)) {
    return fail("--rounds, --seconds and --connections must be whole numbers above 0");
  }
  const pattern = new RegExp(values.profile ?? values.only);
  const cases = CASES.filter(({ name }) => pattern.test(name));
  if (cases.length === 0) {
    return fail(`no case matches ${pattern}; there are ${CASES.map(({ name }) => name).join(", ")}`);
  }
  const options = { rounds, seconds, connections };
  if (values.profile === undefined) {
    await compareAll(cases, options, values.out);
  } else {
    for (const benchCase of cases) {
      await profile(benchCase, options);
    }
  }
}

async function compareAll(cases: readonly BenchCase[], options: RunOptions, out: string): Promise<void> {
  const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`;
  const pinning =
    PROCESSORS === undefined
      ? "server and load share all processors (fewer than two, or no taskset)"
      : `server on processor ${PROCESSORS.server}, load on processor ${PROCESSORS.load}`;
  const { rounds, seconds, connections } = options;
  console.log(`${machine}; ${pinning}`);
  console.log(`medians of ${rounds} rounds of ${seconds} s each in turn, ${connections} requests at once`);
  const reports: CaseReport[] = [];
  for (const benchCase of cases) {
    const report = reportCase(benchCase.name, benchCase.title, await runCase(benchCase, options));
    console.log(printCase(report));
    reports.push(report);
  }
  await writeFile(out, `${JSON.stringify({ machine, pinning, ...options, cases: reports }, undefined, 2)}\n`);
  console.log(`\nall figures: ${out}`);
}

/** Records a CPU profile of the service under the load of a case, for Chrome's developer tools. */
async function profile(benchCase: BenchCase, { connections }: RunOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  const profiles = "bench-profiles";
  const server = await startProcess([
    "--cpu-prof",
    `--cpu-prof-dir=${profiles}`,
    `--cpu-prof-name=${benchCase.name}.cpuprofile`,
    ...OURS,
  ]);
  try {
    const checked = await checkResponses(benchCase, [{ name: "ours", url: server.url }]);
    const load = await makeLoad(benchCase, checked, benchCase.connections ?? connections, folder);
    const { requestsPerSecond } = await load(server.url, PROFILE_SECONDS);
    console.log(`${benchCase.name}: ${Math.round(requestsPerSecond)} requests/s while profiled`);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
  console.log(`profile: ${join(profiles, `${benchCase.name}.cpuprofile`)}`);
}

function isPositive(value: number | undefined): value is number {
  return Number.isInteger(value) && Number(value) > 0;
}

function fail(problem: string): void {
  console.error(`bench: ${problem}`);
  process.exitCode = 1;
}

await main();
