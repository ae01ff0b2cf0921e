import { expect } from "vitest";

const FACTOR = 8;
/** Eight runs of linear work take as long as one run of eight times the size; for quadratic work the latter takes 8 times as long. */
const MAX_RATIO = 3;
const ATTEMPTS = 25;
/** Shorter times are not distinguished, in milliseconds. */
const RESOLUTION = 0.5;

/**
 * Checks that work takes processor time in proportion to its size. Other work of the process and the collection of garbage make single runs
 * longer, so the shortest ones count, and there are several attempts.
 *
 * @param prepare returns the work of a size
 * @param size the smaller one of two sizes
 */
export function expectLinear(prepare: (size: number) => () => unknown, size: number): void {
  const [small, large] = [prepare(size), prepare(FACTOR * size)];
  let [shortest, longest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const ratio = () => longest / Math.max(shortest, RESOLUTION);
  for (let attempt = 0; attempt < ATTEMPTS && !(ratio() < MAX_RATIO); attempt++) {
    shortest = Math.min(shortest, processorTime(small, FACTOR));
    longest = Math.min(longest, processorTime(large, 1));
  }
  expect(
    ratio(),
    `the time of one large input is in proportion to that of ${FACTOR} small ones`,
  ).toBeLessThan(MAX_RATIO);
}

/** Milliseconds of all threads of the process. */
function processorTime(work: () => unknown, runs: number): number {
  const start = process.cpuUsage();
  for (let run = 0; run < runs; run++) {
    work();
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
