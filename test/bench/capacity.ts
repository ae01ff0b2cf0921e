import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { METHODS, PROTOCOLS } from "./capacity/cases.js";
import { tablesOf, withTables } from "./capacity/document.js";
import { type Measurements, parseMix, planFor, type Surroundings } from "./capacity/model.js";
import type { CaseReport } from "./report.js";
import { ROOT } from "./server-process.js";

// Computes what a load takes, from measurements: `npm run capacity -- --rate 1000000 --mix geoIp:rest=60,otpVerify:rest=40`.
// `npm run capacity -- bench-results.json --update` replaces the measurements and the tables of docs/guide/capacity.md.

const GUIDE = join(ROOT, "docs", "guide");
const KEPT = join(GUIDE, "capacity.json");
const DOCUMENT = join(GUIDE, "capacity.md");

/** The report of `npm run bench -- --ours`. */
interface BenchReport {
  readonly conditions: readonly string[];
  readonly cases: readonly CaseReport[];
  readonly surroundings: Surroundings;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rate: { type: "string", default: "1000000" },
    mix: { type: "string" },
    utilization: { type: "string", default: "0.6" },
    "hit-ratio": { type: "string", default: "0" },
    update: { type: "boolean", default: false },
  },
});

async function main(): Promise<void> {
  const measurements = await read(positionals[0] ?? KEPT);
  if (values.update) {
    const document = await readFile(DOCUMENT, "utf8");
    await writeFile(DOCUMENT, withTables(document, tablesOf(measurements, METHODS, PROTOCOLS)));
    await writeFile(KEPT, `${JSON.stringify(measurements, undefined, 2)}\n`);
  }
  if (values.mix !== undefined) {
    const plan = planFor(measurements, {
      rate: Number(values.rate),
      mix: parseMix(values.mix),
      utilization: Number(values.utilization),
      hitRatio: Number(values["hit-ratio"]),
    });
    console.log(JSON.stringify(plan, undefined, 2));
  } else if (!values.update) {
    for (const [title, table] of tablesOf(measurements, METHODS, PROTOCOLS)) {
      console.log(`${title}\n\n${table}\n`);
    }
  }
}

/** Reads measurements, or extracts them from the report of a benchmark. */
async function read(file: string): Promise<Measurements> {
  // Written by this program or by the benchmark.
  const content: Measurements | BenchReport = JSON.parse(await readFile(file, "utf8"));
  if (!("cases" in content)) {
    return content;
  }
  const { conditions, cases, surroundings } = content;
  const methods = cases.flatMap(({ name, contestants: [ours] }) =>
    ours === undefined
      ? []
      : {
          name,
          microseconds: rounded(ours.processorTime.median),
          requestBytes: Math.round(ours.requestBytes.median),
          responseBytes: Math.round(ours.responseBytes.median),
          residentMemory: Math.round(ours.residentMemory.median),
        },
  );
  const { limits, proxies } = surroundings;
  return {
    conditions,
    methods,
    limits: limits.map((each) => ({ ...each, ...roundedFigures(each) })),
    proxies: proxies.map(({ name, microseconds }) => ({ name, microseconds: rounded(microseconds) })),
  };
}

function roundedFigures(figures: object): Record<string, number> {
  const numbers = Object.entries(figures).filter(([, value]) => typeof value === "number");
  return Object.fromEntries(numbers.map(([name, value]) => [name, rounded(value)]));
}

/** Rounds to two decimals. */
function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

try {
  await main();
} catch (error) {
  console.error(`capacity: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
