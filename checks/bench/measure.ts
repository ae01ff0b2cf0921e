import { parseArgs } from "node:util";
import { percentile } from "../lib/statistics.js";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "30" } } });
const ROUNDS = Number(values.rounds);

/** A function to measure. `run` executes it `times` times. */
export interface Measured {
  readonly name: string;
  run(times: number): void;
}

/** Returns a function to measure. */
export function measured(name: string, run: () => unknown): Measured {
  return {
    name,
    run: (times) => {
      for (let index = 0; index < times; index++) {
        sink.last = run();
      }
    },
  };
}

/** Returns a function that is measured with the items in turn. */
export function inTurn<T>(name: string, items: readonly T[], run: (item: T) => unknown): Measured {
  let next = 0;
  return measured(name, () => {
    next = (next + 1) % items.length;
    return run(items[next] as T);
  });
}

/** The minimum duration of a round, in milliseconds. */
const ROUND_MILLISECONDS = 20;

/** Results are stored here, so that the compiler cannot remove the computation. */
const sink: { last: unknown } = { last: undefined };

/**
 * Measures functions side by side and prints nanoseconds for one execution: the median of all rounds, and the middle half of them.
 * Rounds alternate, so that other load on the machine affects all functions alike.
 */
export function compare(title: string, functions: readonly Measured[]): void {
  const times = functions.map(({ run }) => calibrate(run));
  const samples = functions.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { run }] of functions.entries()) {
      const count = times[index] ?? 1;
      samples[index]?.push((elapsed(run, count) / count) * 1e6);
    }
  }
  console.log(`\n${title}: nanoseconds, Node ${process.version}, ${ROUNDS} rounds`);
  for (const [index, { name }] of functions.entries()) {
    const sorted = (samples[index] ?? []).toSorted((a, b) => a - b);
    const at = (part: number) => Math.round(percentile(sorted, part)).toLocaleString("en");
    console.log(`  ${name.padEnd(32)} ${at(0.5).padStart(8)}  (${at(0.25)} to ${at(0.75)})`);
  }
}

/** Returns how often to run per round. This is also the warm-up. */
function calibrate(run: (times: number) => void): number {
  let count = 1;
  while (elapsed(run, count) < ROUND_MILLISECONDS) {
    count *= 2;
  }
  elapsed(run, count * 5);
  return count;
}

function elapsed(run: (times: number) => void, times: number): number {
  const start = performance.now();
  run(times);
  return performance.now() - start;
}
