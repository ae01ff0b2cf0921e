/** Returns the value that `part` (0 to 1) of the sorted values do not exceed. NaN without values. */
export function percentile(sorted: ArrayLike<number>, part: number): number {
  const rank = Math.max(Math.ceil(sorted.length * part), 1);
  return sorted[rank - 1] ?? Number.NaN;
}

/** Returns the median. NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  return (low + high) / 2;
}

/** Returns the slope of the least squares line. NaN for fewer than two different x. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return covariance / variance;
}

/** A function to measure. `run` executes it `times` times. */
export interface Contestant {
  readonly name: string;
  run(times: number): void;
}

/** The duration of one execution in nanoseconds: median and interquartile range of the rounds. */
export interface Measurement {
  readonly name: string;
  readonly median: number;
  readonly quartiles: readonly [number, number];
}

/** The minimum duration of a round, in milliseconds. */
const ROUND_MILLISECONDS = 20;

/** Results are stored here, so that the compiler cannot remove the computation. */
export const sink: { last: unknown } = { last: undefined };

/** Measures functions side by side. Rounds alternate, so that other load on the machine affects all of them alike. */
export function measure(contestants: readonly Contestant[], rounds: number): Measurement[] {
  const times = contestants.map(({ run }) => calibrate(run));
  const samples = contestants.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { run }] of contestants.entries()) {
      const count = times[index] ?? 1;
      samples[index]?.push((elapsed(run, count) / count) * 1e6);
    }
  }
  return contestants.map(({ name }, index) => {
    const sorted = (samples[index] ?? []).toSorted((a, b) => a - b);
    const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
    return { name, median: at(0.5), quartiles: [at(0.25), at(0.75)] };
  });
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
