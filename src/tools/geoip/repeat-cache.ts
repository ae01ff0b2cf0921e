/** The number of texts whose results are kept at a time. A power of two. */
const SLOTS = 4096;

/** The length of the longest text whose result is kept. No address is longer. */
const MAX_LENGTH = 45;

/**
 * Returns a function that creates the result of a text, and keeps it if the same text occurred shortly before. `create` is
 * called with a text to keep or a passing one; it must not keep a passing one, which can be a slice of a large request.
 *
 * Each text has one of {@link SLOTS} slots, by its hash. A text that occurs once costs no more than its hash.
 */
export function keepRepeated<T>(create: (text: string, isKept: boolean) => T): (text: string) => T {
  const kept = new Array<{ readonly text: string; readonly result: T } | undefined>(SLOTS).fill(undefined);
  const lastHashes = new Int32Array(SLOTS);
  return (text) => {
    if (text.length > MAX_LENGTH) {
      return create(text, false);
    }
    const hash = hashOf(text);
    const slot = hash & (SLOTS - 1);
    const entry = kept[slot];
    if (entry?.text === text) {
      return entry.result;
    }
    if (lastHashes[slot] !== hash) {
      lastHashes[slot] = hash;
      return create(text, false);
    }
    const copy = Buffer.from(text).toString();
    const result = create(copy, true);
    kept[slot] = { text: copy, result };
    return result;
  };
}

/** FNV-1a of the code units. http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193);
  }
  return hash;
}
