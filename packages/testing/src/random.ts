/** A seeded, reproducible source of random choices. */
export interface Random {
  /** Returns an integer from 0 to `count`, exclusive. */
  below(count: number): number;
  /** Returns true with a probability of 1 / `count`. */
  oneIn(count: number): boolean;
  /** Returns one of the items, of which there is at least one. */
  pick<T>(items: readonly T[]): T;
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
    pick: <T>(items: readonly T[]) => items[below(items.length)] as T,
    size: (max) => Math.floor(max * next() ** 8),
  };
}

/** Creates the source of randomness for the case at an index, independent of other cases. */
export function randomAt(seed: number, index: number): Random {
  return createRandom(seed + Math.imul(index, 0x9e3779b1));
}

/** Returns a list of random length, below `count`. */
export function listOf<T>(random: Random, count: number, item: (index: number) => T): T[] {
  return Array.from({ length: random.below(count) }, (_, index) => item(index));
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

export function randomBytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}

/** Bytes that have a meaning somewhere. */
const EDGES = Buffer.from("\0\x01\n\r \t:,;/0#\x7f\x80\xff", "latin1");

/** Changes one place of bytes: flips a bit, replaces a byte, or deletes, duplicates, inserts or cuts off some. */
export function damage(random: Random, bytes: Uint8Array): Buffer {
  const start = random.below(bytes.length);
  const end = Math.min(start + 1 + random.size(64), bytes.length);
  const [before, middle, after] = [bytes.subarray(0, start), bytes.subarray(start, end), bytes.subarray(end)];
  switch (random.below(12)) {
    case 0:
      return Buffer.from(before);
    case 1:
    case 2:
      return Buffer.concat([before, after]);
    case 3:
    case 4:
      return Buffer.concat([before, middle, middle, after]);
    case 5:
      return Buffer.concat([before, randomBytes(random, 1 + random.size(64)), middle, after]);
    case 6:
    case 7:
      return Buffer.concat([before, Buffer.from([random.pick([...EDGES])]), bytes.subarray(start + 1)]);
    default: {
      const flipped = Buffer.from(bytes);
      flipped[start] = (flipped[start] ?? 0) ^ (1 << random.below(8));
      return flipped;
    }
  }
}

/** Splits bytes at random places: usually into a few pieces, sometimes into single bytes. */
export function splitAnywhere(random: Random, bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  const longest = bytes.length < 400 && random.oneIn(8) ? 1 : 1 + random.below(bytes.length);
  for (let start = 0; start < bytes.length; start += pieces.at(-1)?.length ?? 0) {
    pieces.push(bytes.subarray(start, start + 1 + random.below(longest)));
  }
  return pieces.length <= 400 ? pieces : [bytes];
}
