import type { HeaderBlock } from "./header-block.js";

/** The limits of a block, and how many of them a cache has. */
const MAX_LENGTH = 256;
const MAX_LIST_SIZE = 1024;
const MAX_BLOCKS = 8;

/** How many hashes of new blocks are remembered. */
const MAX_SEEN = 16;

/** The memory of these hashes. */
const SEEN_BYTES = 48 + 8 * MAX_SEEN;

/** The memory of a block with its key and memo, of each of its fields, and of a field that no table has, without its text. */
const BLOCK_BYTES = 800;
const FIELD_BYTES = 40;
const LITERAL_BYTES = 112;

/** The memory of all caches, and its limit. */
const MAX_CACHED_BYTES = 4 * 1024 * 1024;
let cachedBytes = 0;
/** The caches that have blocks; first the one that has had some for the longest time. */
const caches = new Set<BlockCache>();

interface Entry {
  /** The bytes of the block. */
  readonly key: Uint8Array;
  readonly block: HeaderBlock;
}

/**
 * A bounded map from the bytes of header blocks to what was decoded from them. A block is kept when it is added for the
 * second time: blocks that never repeat cost a hash each and no memory.
 */
export class BlockCache {
  #entries: Entry[] = [];
  /** The hashes of the blocks that were added last: a ring. */
  #seen: number[] | undefined;
  #nextSeen = 0;
  #blockBytes = 0;

  /** The memory of the cache. */
  get heldBytes(): number {
    return this.#blockBytes + (this.#seen === undefined ? 0 : SEEN_BYTES);
  }

  /** The block for the bytes from `start` to `end`. */
  get(bytes: Uint8Array, start: number, end: number): HeaderBlock | undefined {
    const entries = this.#entries;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i] as Entry;
      if (isEqual(entry.key, bytes, start, end)) return entry.block;
    }
    return undefined;
  }

  /**
   * Adds a block for bytes that have none.
   *
   * @param literals how many of its fields are in no table
   */
  add(bytes: Uint8Array, start: number, end: number, block: HeaderBlock, literals: number): void {
    const length = end - start;
    if (length > MAX_LENGTH || block.size > MAX_LIST_SIZE || block.isTooLarge) return;
    const hash = hashOf(bytes, start, end);
    this.#seen ??= new Array<number>(MAX_SEEN).fill(0);
    if (!this.#seen.includes(hash)) {
      this.#seen[this.#nextSeen] = hash;
      this.#nextSeen = (this.#nextSeen + 1) % MAX_SEEN;
      return;
    }
    if (this.#entries.length === MAX_BLOCKS) this.clear();
    // A copy, as the bytes are a part of a larger buffer.
    const key = new Uint8Array(bytes.subarray(start, end));
    this.#entries.push({ key, block });
    this.#count(BLOCK_BYTES + 2 * length + (FIELD_BYTES / 2) * block.list.length + LITERAL_BYTES * literals);
  }

  /** Counts memory of this cache. The oldest caches make room for it if all of them have too much. */
  #count(weight: number): void {
    this.#blockBytes += weight;
    cachedBytes += weight;
    caches.add(this);
    for (const cache of caches) {
      if (cachedBytes <= MAX_CACHED_BYTES) break;
      cache.clear();
    }
  }

  /** Removes all blocks. */
  clear(): void {
    if (this.#entries.length === 0) return;
    this.#entries = [];
    cachedBytes -= this.#blockBytes;
    this.#blockBytes = 0;
    caches.delete(this);
  }

  /** Removes all blocks, and forgets which ones have come before. */
  release(): void {
    this.clear();
    this.#seen = undefined;
  }
}

/** Whether the bytes from `start` to `end` are those of the key. */
function isEqual(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (key.length !== length) return false;
  for (let i = 0; i < length; i++) {
    if (key[i] !== bytes[start + i]) return false;
  }
  return true;
}

/** A hash of the bytes from `start` to `end`. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 1;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
  return hash ^ (hash >>> 15);
}
