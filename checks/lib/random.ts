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

/** Returns random bytes. */
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

/** Edge cases of various types, separated by spaces. The last ones have none in the list. */
const VALUES = [
  ..."0 -0 1 -1 1.5 1e2 1e999 1e-999 1e9999999999 NaN Infinity -Infinity 2147483648 -2147483649".split(" "),
  ..."9007199254740993 9223372036854775808 18446744073709551616 true false null novel GENRE_ESSAY".split(" "),
  ..."borrow return AA== _-8 = 1s -315576000001s 1.0000000001s 2026-01-02T03:04:05Z a.bC,d .. {} []".split(
    " ",
  ),
  ..."2026-02-30T24:60:60Z 0001-01-01T00:00:00+23:59 __proto__ constructor é 😀 \ud800 \0 \u2028".split(" "),
  "",
];

/** Percent-encodes text for a query or form. An unpaired surrogate becomes a question mark, since it has no encoding. */
export function escapeText(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "?"));
}

/** Returns an edge case of some type, or noise; rarely a long text. */
export function anyValue(random: Random): string {
  switch (random.below(12)) {
    case 0:
      return anyNoise(random, 30);
    case 1:
      return random.pick(VALUES) + random.pick(VALUES);
    case 2:
      return random.oneIn(50)
        ? random.pick(["1", "a", "%41", "AAAA", " "]).repeat(random.size(16_384))
        : random.pick(VALUES);
    default:
      return random.pick(VALUES);
  }
}

/** Returns text with many characters that have a special meaning somewhere. */
export function anyNoise(random: Random, max: number): string {
  const characters = "/%%2FfcC3A9:?&=+#;.,*{}[]\"\\'<> \0\u007f\u0080éa1é😀\ud800\udc00\uffff";
  return listOf(random, max, () => characters.charAt(random.below(characters.length))).join("");
}

/** Repeats one or two strings up to a maximum length. */
export function tower(random: Random, max: number, texts: readonly string[]): string {
  const text = random.oneIn(3) ? random.pick(texts) + random.pick(texts) : random.pick(texts);
  return text.repeat(Math.floor(max / text.length));
}

/** Deletes, inserts or duplicates parts of a text. */
export function damageText(random: Random, text: string): string {
  let damaged = text;
  for (let index = 1 + random.below(3); index > 0; index--) {
    const start = random.below(damaged.length + 1);
    const end = start + random.below(4);
    const middle = random.pick([
      () => anyNoise(random, 4),
      () => "",
      () => damaged.slice(start, end).repeat(2),
      () => random.pick(VALUES),
    ])();
    damaged = damaged.slice(0, start) + middle + damaged.slice(end);
  }
  return damaged;
}
