/** Returns a number from 0 up to but excluding `count`. */
export type Choose = (count: number) => number;

/** Reproducible choices from a seed (a linear congruential generator with the constants of Numerical Recipes). */
export function seededChoices(seed: number): Choose {
  let state = seed >>> 0;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}
