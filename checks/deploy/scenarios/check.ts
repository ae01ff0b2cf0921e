import { parseArgs } from "node:util";
import type { Failed } from "connect-transcoding-testing/load/open-loop.js";
import { raisePriority } from "connect-transcoding-testing/processes/priority.js";
import { startShippedEnvoy, startShippedNginx } from "../shipped.js";
import type { Pace, Trial } from "./clients.js";
import { NEW_CONNECTIONS } from "./new-connections.js";
import {
  killWorkers,
  restartBehind,
  stopService,
  stopServiceWithTls,
  suspendBehindEnvoy,
} from "./processes.js";
import { replaceInstallation } from "./upgrade.js";

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
  "service stopped": (each) => stopService(each),
  "service stopped, TLS": stopServiceWithTls,
  "replica restarted behind nginx": restartBehind(startShippedNginx),
  "replica restarted behind Envoy": restartBehind(startShippedEnvoy),
  "replica suspended behind Envoy": suspendBehindEnvoy,
  "worker killed": killWorkers,
  "installation and data replaced": replaceInstallation,
  ...NEW_CONNECTIONS,
};

function printKinds(what: string, failed: readonly Failed[]): void {
  const kinds = failed.map(({ protocol, failure }) => `${protocol}: ${failure}`);
  for (const kind of new Set(kinds)) {
    console.error(`  ${what}: ${kinds.filter((each) => each === kind).length} × ${kind}`);
  }
}

raisePriority();
let lost = 0;
const isChosen = (name: string) => args.scenario?.some((part) => name.includes(part)) ?? true;
for (const [name, run] of Object.entries(SCENARIOS).filter(([each]) => isChosen(each))) {
  const { requests, rate, retried, failed, expected, p99, worst, done } = await run(pace);
  const unexpected = failed.filter((failure) => !expected.includes(failure));
  lost += unexpected.length;
  const counts = `${unexpected.length} lost, ${expected.length} in progress in a killed or hung process`;
  console.log(`${name}: ${done}: ${requests} requests, ${rate.toFixed(0)}/s, ${retried} retried, ${counts}`);
  console.log(`  p99 ${p99.toFixed(0)} ms, maximum ${worst.toFixed(0)} ms`);
  printKinds("lost", unexpected);
  printKinds("in progress", expected);
}
process.exit(lost === 0 ? 0 : 1);
