import { parseArgs } from "node:util";
import type { Failed } from "../../lib/load/open-loop.js";
import { raisePriority } from "../../lib/service.js";
import { swapDatabase, updateFromPublishers } from "./data-files.js";
import { restartBehindEnvoy, restartBehindNginx, suspendBehindEnvoy } from "./replicas.js";
import type { Pace, Trial } from "./scenario.js";
import { stopService, stopServiceWithTls } from "./stop.js";
import { killWorkers } from "./workers.js";

// Sends requests at a fixed rate while something happens to the service, and counts requests without a correct response.

const { values: args } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    rate: { type: "string", default: "2400" },
    scenario: { type: "string", multiple: true },
  },
});
const pace: Pace = { seconds: Number(args.seconds), rate: Number(args.rate) };

const SCENARIOS: Readonly<Record<string, (pace: Pace) => Promise<Trial>>> = {
  "service stopped": stopService,
  "service stopped, TLS": stopServiceWithTls,
  "replica restarted behind nginx": restartBehindNginx,
  "replica restarted behind Envoy": restartBehindEnvoy,
  "replica suspended behind Envoy": suspendBehindEnvoy,
  "worker killed": killWorkers,
  "database replaced every second": swapDatabase,
  "data updated from each publisher": updateFromPublishers,
};

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

raisePriority();
console.log(
  "| Scenario | Done | Requests | Requests/s | Retried | Lost | In progress in a killed or hung process | p99 | Maximum |",
);
console.log("|---|---|---:|---:|---:|---:|---:|---:|---:|");
let lost = 0;
const isChosen = (name: string) => args.scenario?.some((part) => name.includes(part)) ?? true;
for (const [name, run] of Object.entries(SCENARIOS).filter(([each]) => isChosen(each))) {
  const { requests, rate, retried, failed, expected, p99, worst, done } = await run(pace);
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
