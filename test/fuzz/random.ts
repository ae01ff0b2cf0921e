import { parseArgs } from "node:util";

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

/** Which requests a run sends: those of a seed, from an index on. */
export interface RunArguments {
  readonly count: number;
  readonly from: number;
  readonly seed: number;
}

/** Reads `--count`, `--from` and `--seed` from the command line, and tells of them. Throws an Error for what is no integer. */
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
  console.log(`seed ${seed}, ${count} requests`);
  return { count, from, seed };
}

/** What decides about the request at an index, whichever requests come before it. */
export function randomAt(seed: number, index: number): Random {
  return createRandom(seed + Math.imul(index, 0x9e3779b1));
}

/**
 * A random address, nine times of ten an IPv4 one. It need not be a public one, and of some public ones nothing is known:
 * whoever needs an answer has to ask first.
 */
export function randomAddress({ below, oneIn }: Random): string {
  const group = () => (1 + below(0xffff)).toString(16);
  // In 2a00::/12 most networks are in use; of all of IPv6 nearly none are.
  return oneIn(10)
    ? `2a0${below(16).toString(16)}:${group()}:${group()}::${group()}`
    : `${1 + below(223)}.${below(256)}.${below(256)}.${below(256)}`;
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** A random secret of 160 bits in base32. */
export function randomSecret({ below }: Random): string {
  return Array.from({ length: 32 }, () => BASE32.charAt(below(BASE32.length))).join("");
}
