/** Random choices that a seed fixes, so that a run can be done again. */
export interface Random {
  /** An integer from 0 up to, and without, `count`. */
  below(count: number): number;
  /** True once in `count` times. */
  oneIn(count: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** Small most of the time; now and then as large as `max`. */
  size(max: number): number;
}

/** Makes the choices of one seed: the 32-bit generator "mulberry32". */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    below,
    oneIn: (count) => below(count) === 0,
    pick: (items) => items[below(items.length)] ?? items[0],
    size: (max) => Math.floor(max * next() ** 8),
  };
}
