/** A number from 0 up to, and without, `count`. */
export type Choose = (count: number) => number;

/** Choices that a seed fixes (a linear congruential generator, with the numbers of Numerical Recipes). */
export function seededChoices(seed: number): Choose {
  let state = seed >>> 0;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}
