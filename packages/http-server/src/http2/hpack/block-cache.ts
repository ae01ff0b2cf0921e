import type { HeaderBlock } from "./header-block.js";

/** A power of two. */
const SLOTS = 32;
const MAX_BYTES = 512;
const MAX_LIST_SIZE = 4096;

interface Entry {
  readonly hash: number;
  readonly bytes: Uint8Array;
  readonly block: HeaderBlock;
}

/**
 * Decoded blocks by their bytes. It is valid while the dynamic table does not change. A block is kept when it comes for the
 * second time, so that blocks that never repeat cost a hash and no memory.
 */
export class BlockCache {
  readonly #entries: (Entry | undefined)[] = [];
  /** By slot: the hash of the block that came last. */
  readonly #seen: number[] = [];
  /** The entry that was used last. */
  #last: Entry | undefined;
  /** The hash of the block that `get` did not find, for `add`. */
  #hash = 0;

  /** The block with these bytes. */
  get(bytes: Uint8Array, start: number, end: number): HeaderBlock | undefined {
    const last = this.#last;
    if (last !== undefined && isEqual(last.bytes, bytes, start, end)) return last.block;
    // A client that changes the table with each block has an empty cache, and must not pay for hashes.
    if (this.#seen.length === 0 || end - start > MAX_BYTES) return undefined;
    const hash = hashOf(bytes, start, end);
    const entry = this.#entries[hash & (SLOTS - 1)];
    if (entry !== undefined && entry.hash === hash && isEqual(entry.bytes, bytes, start, end)) {
      this.#last = entry;
      return entry.block;
    }
    this.#hash = hash;
    return undefined;
  }

  /** Adds the block that `get` was just called for and did not find. */
  add(bytes: Uint8Array, start: number, end: number, block: HeaderBlock): void {
    if (end - start > MAX_BYTES || block.size > MAX_LIST_SIZE) return;
    if (this.#seen.length === 0) {
      this.#hash = hashOf(bytes, start, end);
      for (let i = 0; i < SLOTS; i++) {
        this.#seen.push(0);
        this.#entries.push(undefined);
      }
    }
    const hash = this.#hash;
    const slot = hash & (SLOTS - 1);
    if (this.#seen[slot] === hash) {
      // A copy, because the input is a view of a larger buffer.
      const entry = { hash, bytes: new Uint8Array(bytes.subarray(start, end)), block };
      this.#entries[slot] = entry;
      this.#last = entry;
    } else {
      this.#seen[slot] = hash;
    }
  }

  /** Removes all blocks. */
  clear(): void {
    if (this.#seen.length === 0) return;
    this.#seen.length = 0;
    this.#entries.length = 0;
    this.#last = undefined;
  }
}

function isEqual(known: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (known.length !== length) return false;
  for (let i = 0; i < length; i++) {
    if (known[i] !== bytes[start + i]) return false;
  }
  return true;
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 1;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
  // The low bits select the slot; the high ones depend on all bytes just as well.
  return hash ^ (hash >>> 15);
}
