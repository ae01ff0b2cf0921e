import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PROCESSORS, pinThisProcess } from "connect-transcoding-testing/processes/processors.js";
import { ROOT } from "../lib/processes/service.js";
import { CASES } from "./cases.js";
import { METHOD_CASES } from "./method-cases.js";
import { formatCase } from "./report.js";
import { runCase } from "./run-case.js";

// Compares the service with other servers: `npm run check -- bench --only grpc`. Prints Markdown. See docs/reference/benchmarks.md.

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    processes: { type: "string", default: "3" },
    seconds: { type: "string", default: "3" },
    "warm-up": { type: "string", default: "3" },
    only: { type: "string", default: "" },
    ours: { type: "boolean", default: false },
  },
});

async function main(): Promise<void> {
  const [rounds = 0, processes = 0, seconds = 0, warmUp = 0] = [
    values.rounds,
    values.processes,
    values.seconds,
    values["warm-up"],
  ].map(Number);
  if (![rounds, processes, seconds, warmUp].every((value) => Number.isInteger(value) && value > 0)) {
    return fail("--rounds, --processes, --seconds and --warm-up must be whole numbers above 0");
  }
  const pattern = new RegExp(values.only);
  const all = values.ours ? METHOD_CASES : CASES;
  const cases = all.filter(({ name }) => pattern.test(name));
  if (cases.length === 0) {
    return fail(`no case matches ${pattern}; there are ${all.map(({ name }) => name).join(", ")}`);
  }
  const pinning =
    PROCESSORS === undefined
      ? "server and load share all processors (fewer than two, or no taskset)"
      : `server on processor ${PROCESSORS.server}, load on processor ${PROCESSORS.load}`;
  console.log(`- ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}
- ${cpus().length} × ${cpus()[0]?.model.trim()}, load average ${loadavg()[0]?.toFixed(1)} before the start; ${pinning}
- ${processes} processes per server with ${rounds} rounds of ${seconds} s each in turn, after ${warmUp} s of warm-up
- medians of all rounds; in parentheses, the lowest and the highest median of a process`);

  const tls = join(ROOT, "packages/testing/tls");
  const options = {
    ...{ rounds, processes, seconds, warmUp },
    tlsEnvironment: {
      TLS_CERT_FILE: join(tls, "first-cert.pem"),
      TLS_KEY_FILE: join(tls, "first-key.pem"),
    },
  };
  pinThisProcess(PROCESSORS?.load);
  for (const benchCase of cases) {
    console.log(`\n${formatCase(benchCase, await runCase(benchCase, options))}`);
  }
}

function fail(problem: string): void {
  console.error(`bench: ${problem}`);
  process.exitCode = 1;
}

await main();
