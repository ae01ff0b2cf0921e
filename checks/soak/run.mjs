// `npm run check -- soak [--seconds 600] [--rate 200]`: a mixed load against the built service for minutes, whose memory must not grow.
// Prints the resident memory each 10 seconds.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { check, conclude, startService } from "../lib/checks.mjs";
import { LOADS } from "./loads.mjs";

const MAIN = join(import.meta.dirname, "..", "..", "dist", "src", "main.js");
/** Seconds between two samples. */
const INTERVAL = 10;
/** Milliseconds that an action takes at most. */
const LONGEST_ACTION = 60_000;
/** The part of the time in which caches fill and code is compiled. */
const WARM_UP = 0.2;
/** How much larger the memory may be at the end. */
const MAX_GROWTH = 1.15;

const { values: args } = parseArgs({
  options: { seconds: { type: "string", default: "600" }, rate: { type: "string", default: "200" } },
});
const seconds = Number(args.seconds);

const service = await startService(process.execPath, ["--max-old-space-size=256", MAIN]);
const end = performance.now() + seconds * 1_000;
/** The number of successful and failed actions of each load. */
const counts = Object.fromEntries(LOADS.map(({ name }) => [name, { done: 0, failed: new Map() }]));
const loads = LOADS.map((load) => repeat(load));
const samples = [];
while (performance.now() < end) {
  await wait(INTERVAL * 1_000);
  samples.push(residentMegabytes());
  console.log(`${samples.length * INTERVAL} s: ${samples.at(-1)} MB`);
}
await Promise.all(loads);

for (const [name, { done, failed }] of Object.entries(counts)) {
  const failures = [...failed].map(([failure, count]) => `${count} × ${failure}`);
  check(`${name}: ${done} done`, done > 0 && failures.length === 0, failures.join("\n"));
}
const steady = samples.slice(Math.ceil(samples.length * WARM_UP));
const third = Math.floor(steady.length / 3);
const [first, last] = [mean(steady.slice(0, third)), mean(steady.slice(-third))];
check(
  `memory: ${first.toFixed(0)} MB in the first third after the warm-up, ${last.toFixed(0)} MB in the last`,
  third > 0 && last <= first * MAX_GROWTH,
);
const code = await service.stop();
check("the service has shut down", code === 0, code);
conclude();
process.exit();

/** Starts the actions of a load at its rate, and waits for those in progress at the end. */
async function repeat({ name, share, act }) {
  const rate = share * Number(args.rate);
  const start = performance.now();
  const pending = new Set();
  for (let started = 0; performance.now() < end; ) {
    for (const due = ((performance.now() - start) / 1_000) * rate; started < due; started++) {
      const action = Promise.race([act(service, started), timedOut()])
        .then(() => {
          counts[name].done += 1;
        })
        .catch(({ code, message }) => {
          const failure = code ?? message;
          counts[name].failed.set(failure, (counts[name].failed.get(failure) ?? 0) + 1);
        })
        .finally(() => pending.delete(action));
      pending.add(action);
    }
    await wait(20);
  }
  await Promise.all(pending);
}

/** Rejects when no action can still be in progress. */
async function timedOut() {
  await wait(LONGEST_ACTION, undefined, { ref: false });
  throw new Error("no end");
}

function residentMegabytes() {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${service.pid}/status`, "utf8"));
  return Math.round(Number(kilobytes) / 1024);
}

function mean(numbers) {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
