/** The shortest and the longest time until a worker is started again, in milliseconds. */
const SHORTEST = 100;
const LONGEST = 30_000;

/** How long a worker has to live for the one after it to be started as if nothing had ever happened, in milliseconds. */
export const SETTLED_AFTER = 10_000;

/** How many milliseconds to wait before the next start, after so many workers in a row that died soon. */
export function backOff(earlyDeaths: number): number {
  return Math.min(LONGEST, SHORTEST * 2 ** earlyDeaths);
}
