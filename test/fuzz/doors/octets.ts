import type { Random } from "../random.js";

const EDGES = [0, 1, 0x0a, 0x0d, 0x20, 0x7f, 0x80, 0xff] as const;

/** Flips bits, cuts off, takes out, puts in, says twice: once, or a few times. */
export function mutateOctets(random: Random, octets: Uint8Array): Buffer {
  let mutated = Buffer.from(octets);
  for (let times = 1 + random.size(8); times > 0; times--) {
    const start = random.below(mutated.length + 1);
    const end = Math.min(start + 1 + random.size(64), mutated.length);
    const [before, middle, after] = [
      mutated.subarray(0, start),
      mutated.subarray(start, end),
      mutated.subarray(end),
    ];
    switch (random.below(6)) {
      case 0:
        if (start < mutated.length) {
          mutated[start] = (mutated[start] ?? 0) ^ (1 << random.below(8));
        }
        break;
      case 1:
        if (start < mutated.length) {
          mutated[start] = random.pick(EDGES);
        }
        break;
      case 2:
        mutated = Buffer.from(before);
        break;
      case 3:
        mutated = Buffer.concat([before, after]);
        break;
      case 4:
        mutated = Buffer.concat([before, middle, middle, after]);
        break;
      default:
        mutated = Buffer.concat([before, randomOctets(random, 1 + random.size(64)), middle, after]);
    }
  }
  return mutated;
}

/** Octets of every value. */
export function randomOctets(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}

/** Cuts octets into up to four pieces. */
export function inPieces(random: Random, octets: Uint8Array): Uint8Array[] {
  const cuts = Array.from({ length: random.below(4) }, () => random.below(octets.length + 1));
  const ends = [...cuts, octets.length].sort((a, b) => a - b);
  return ends
    .map((end, index) => octets.subarray(ends[index - 1] ?? 0, end))
    .filter((piece) => piece.length > 0);
}
