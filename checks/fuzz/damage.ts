import type { Random } from "./random.js";

/** Changes bytes at one place, whatever they mean. */
export function damage(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length);
  const kind = random.below(3);
  if (kind === 0) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
    return flipped;
  }
  const to = at + random.below(20);
  return kind === 1
    ? Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)])
    : Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]);
}
