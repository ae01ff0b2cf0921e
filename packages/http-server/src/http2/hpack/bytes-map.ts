/** How many hashes of new keys are remembered; a power of two. */
const SLOTS = 64;

interface Entry<T> {
  readonly key: Uint8Array;
  readonly value: T;
}

/**
 * A bounded map from bytes to what was decoded from them. An entry is kept when its key is added for the second time: keys
 * that never repeat cost a hash each and no memory.
 */
export class BytesMap<T> {
  readonly #maxLength: number;
  readonly #maxEntries: number;
  /** By hash. Of two keys with the same hash only the last one is kept. */
  readonly #entries = new Map<number, Entry<T>>();
  /** By slot: the hash of the key that was added last. */
  #seen: number[] | undefined;
  /** The entry that was used last. */
  #last: Entry<T> | undefined;
  /** Whether no key has been added since the map was made or cleared. */
  #isUnused = true;
  /** The start of all hashes. A new one makes those in `#seen` void. */
  #seed = 1;
  /** The hash of the key that `get` did not find, for `add`. */
  #hash = 0;

  constructor(maxLength: number, maxEntries: number) {
    this.#maxLength = maxLength;
    this.#maxEntries = maxEntries;
  }

  /** The value for the bytes from `start` to `end`. */
  get(bytes: Uint8Array, start: number, end: number): T | undefined {
    const last = this.#last;
    if (last !== undefined && isEqual(last.key, bytes, start, end)) return last.value;
    // Hashing is a large part of the cost of a miss: without entries it is left to `add`, which may not be called.
    if (this.#isUnused || end - start > this.#maxLength) return undefined;
    const hash = hashOf(bytes, start, end, this.#seed);
    const entry = this.#entries.get(hash);
    if (entry !== undefined && isEqual(entry.key, bytes, start, end)) {
      this.#last = entry;
      return entry.value;
    }
    this.#hash = hash;
    return undefined;
  }

  /** Adds the value for bytes that `get` was just called for and did not find. */
  add(bytes: Uint8Array, start: number, end: number, value: T): void {
    if (end - start > this.#maxLength) return;
    const hash = this.#isUnused ? hashOf(bytes, start, end, this.#seed) : this.#hash;
    this.#isUnused = false;
    const slot = hash & (SLOTS - 1);
    this.#seen ??= new Array<number>(SLOTS).fill(0);
    if (this.#seen[slot] !== hash) {
      this.#seen[slot] = hash;
      return;
    }
    if (this.#entries.size >= this.#maxEntries) this.#entries.clear();
    // A copy, as the bytes are a part of a larger buffer.
    const entry = { key: new Uint8Array(bytes.subarray(start, end)), value };
    this.#entries.set(hash, entry);
    this.#last = entry;
  }

  /** Removes all entries. */
  clear(): void {
    if (this.#isUnused) return;
    if (this.#entries.size > 0) this.#entries.clear();
    this.#last = undefined;
    this.#isUnused = true;
    this.#seed = (this.#seed + 1) | 0;
  }
}

function isEqual(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (key.length !== length) return false;
  for (let i = 0; i < length; i++) {
    if (key[i] !== bytes[start + i]) return false;
  }
  return true;
}

function hashOf(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let hash = seed;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
  return hash ^ (hash >>> 15);
}
