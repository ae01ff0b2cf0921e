import { expect, test } from "vitest";
import { BlockCache } from "../../../src/http2/hpack/block-cache.js";
import { HeaderBlock } from "../../../src/http2/hpack/header-block.js";

function newBlock(size = 100): HeaderBlock {
  const block = new HeaderBlock();
  block.size = size;
  return block;
}

function lookUp(cache: BlockCache, text: string, block = newBlock()): HeaderBlock {
  const bytes = Buffer.from(`<${text}>`, "latin1");
  const known = cache.get(bytes, 1, bytes.length - 1);
  if (known === undefined) cache.add(bytes, 1, bytes.length - 1, block, 0);
  return known ?? block;
}

/** Whether a block is known after it came twice. */
function isKept(cache: BlockCache, text: string, size?: number): boolean {
  const [, second, third] = [1, 2, 3].map(() => lookUp(cache, text, newBlock(size)));
  return second === third;
}

test("A block is known after it was added twice", () => {
  const cache = new BlockCache();
  const blocks = [1, 2, 3, 4].map(() => newBlock());
  const found = blocks.map((block) => lookUp(cache, "key", block));
  expect(found.map((block) => blocks.indexOf(block))).toEqual([0, 1, 1, 1]);
});

test("Blocks that come in turn", () => {
  const cache = new BlockCache();
  const keys = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const [, second, third, fourth] = [1, 2, 3, 4].map(() => keys.map((key) => lookUp(cache, key)));
  for (const round of [third, fourth]) expect(round?.every((block, i) => block === second?.[i])).toBe(true);
});

test("Blocks that differ in their last byte, in their first byte, and in their length", () => {
  const cache = new BlockCache();
  const kept = new Set<HeaderBlock>();
  for (const key of ["abc", "abd", "bbc", "ab", "abcc", ""]) {
    expect(isKept(cache, key)).toBe(true);
    kept.add(lookUp(cache, key));
  }
  expect(kept.size).toBe(6);
});

// 31 × 1 + 31 = 31 × 2 + 0: both have the same hash.
test("Blocks with the same hash are not mistaken", () => {
  const cache = new BlockCache();
  for (const key of ["\x01\x1f", "\x02\x00"]) lookUp(cache, key);
  const [one, other] = ["\x01\x1f", "\x02\x00"].map((key) => lookUp(cache, key));
  expect(one).not.toBe(other);
  expect(lookUp(cache, "\x01\x1f")).toBe(one);
  expect(lookUp(cache, "\x02\x00")).toBe(other);
});

test("Only small blocks are kept", () => {
  const cache = new BlockCache();
  expect(isKept(cache, "a".repeat(256), 1024)).toBe(true);
  expect(isKept(cache, "b".repeat(257), 1024)).toBe(false);
  expect(isKept(cache, "c".repeat(256), 1025)).toBe(false);
});

test("A block that is too large is not kept", () => {
  const block = newBlock();
  block.isTooLarge = true;
  const cache = new BlockCache();
  for (let i = 0; i < 3; i++) lookUp(cache, "a", block);
  expect(lookUp(cache, "a")).not.toBe(block);
});

test("It has no more than 8 blocks", () => {
  const cache = new BlockCache();
  const blocks = Array.from({ length: 9 }, (_, i) => `key ${i}`).map((key) => {
    lookUp(cache, key);
    return lookUp(cache, key);
  });
  expect(lookUp(cache, "key 8")).toBe(blocks[8]);
  expect(lookUp(cache, "key 0")).not.toBe(blocks[0]);
});

test("A cleared cache knows no block, and holds next to nothing", () => {
  const cache = new BlockCache();
  expect(cache.heldBytes).toBe(0);
  isKept(cache, "key");
  expect(cache.heldBytes).toBeGreaterThan(500);
  const block = lookUp(cache, "key");
  cache.clear();
  expect(cache.heldBytes).toBeLessThan(200);
  expect(lookUp(cache, "key")).not.toBe(block);
  cache.release();
  expect(cache.heldBytes).toBe(0);
});

test("All caches together hold 4 MB: then the one that has had blocks for the longest time loses them", () => {
  const caches = Array.from({ length: 1000 }, () => new BlockCache());
  for (const cache of caches) {
    for (let i = 0; i < 8; i++) isKept(cache, `${i}`.repeat(200));
  }
  // Without what even an empty one holds.
  const held = caches.map((cache) => cache.heldBytes - 176);
  const kept = held.filter((bytes) => bytes > 1000);
  const total = kept.reduce((sum, bytes) => sum + bytes, 0);
  expect(total).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(total).toBeGreaterThan(4 * 1024 * 1024 - 20_000);
  // The oldest ones are empty.
  expect(held.slice(-kept.length).every((bytes) => bytes > 1000)).toBe(true);
  for (const cache of caches) cache.release();
  expect(isKept(new BlockCache(), "key")).toBe(true);
});

test("The key is a copy", () => {
  const cache = new BlockCache();
  const bytes = Buffer.from("abc");
  const block = newBlock();
  for (let i = 0; i < 2; i++) {
    expect(cache.get(bytes, 0, 3)).toBeUndefined();
    cache.add(bytes, 0, 3, block, 0);
  }
  bytes[0] = 0x78;
  expect(cache.get(bytes, 0, 3)).toBeUndefined();
  expect(cache.get(Buffer.from("abc"), 0, 3)).toBe(block);
});
