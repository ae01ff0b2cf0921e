import { parseArgs } from "node:util";

/** A seeded, reproducible source of random choices. */
export interface Random {
  /** Returns an integer from 0 to `count`, exclusive. */
  below(count: number): number;
  /** Returns true with a probability of 1 / `count`. */
  oneIn(count: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** Returns a size up to `max`, usually a small one. */
  size(max: number): number;
}

/** Creates the 32-bit generator "mulberry32" for a seed. */
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

/** The cases of a run, such as requests or files: `count` cases of a seed, starting at index `from`. */
export interface RunArguments {
  readonly count: number;
  readonly from: number;
  readonly seed: number;
}

/** Reads and prints `--count`, `--from` and `--seed`. Throws an Error if one is not an integer. */
export function readRunArguments(): RunArguments {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "1000000" },
      from: { type: "string", default: "0" },
      seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 32)) },
    },
  });
  const [count, from, seed] = [Number(values.count), Number(values.from), Number(values.seed)];
  if (![count, from, seed].every(Number.isSafeInteger)) {
    throw new Error("--count, --from and --seed must be integers");
  }
  console.log(`seed ${seed}, ${count} cases`);
  return { count, from, seed };
}

/** Creates the source of randomness for the case at an index, independent of other cases. */
export function randomAt(seed: number, index: number): Random {
  return createRandom(seed + Math.imul(index, 0x9e3779b1));
}

/** Returns a random address, IPv4 nine times out of ten. It may be a special-purpose address or have no data. */
export function randomAddress({ below, oneIn }: Random): string {
  const group = () => (1 + below(0xffff)).toString(16);
  // Most networks in 2a00::/12 are in use; of IPv6 as a whole, hardly any are.
  return oneIn(10)
    ? `2a0${below(16).toString(16)}:${group()}:${group()}::${group()}`
    : `${1 + below(223)}.${below(256)}.${below(256)}.${below(256)}`;
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Returns a random 160-bit secret in base32. */
export function randomSecret({ below }: Random): string {
  return Array.from({ length: 32 }, () => BASE32.charAt(below(BASE32.length))).join("");
}
