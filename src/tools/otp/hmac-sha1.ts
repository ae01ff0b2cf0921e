import { hash } from "node:crypto";

/** Computes the HMAC of a message of eight bytes. The next call overwrites the 20 bytes that it returns. */
type CounterHmac = (counter: Uint8Array) => Uint8Array;

/** The block size of SHA-1 in bytes. */
const BLOCK_SIZE = 64;
const COUNTER_SIZE = 8;
const DIGEST_SIZE = 20;

/** The initial hash value. https://doi.org/10.6028/NIST.FIPS.180-4, section 5.3.1 */
const INITIAL = Int32Array.of(0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0);

/** The message schedule. The first 16 words are the block to hash; {@link compress} computes the others. */
const words = new Int32Array(80);
/** The result of the last block. */
const state = new Int32Array(5);

/**
 * Returns HMAC-SHA-1 with a key, for the counters of one-time passwords: https://www.rfc-editor.org/rfc/rfc2104
 *
 * One call of `createHmac` takes as long as the four codes of a response here: a key takes two blocks, and each counter
 * two. The time does not depend on the bytes of the key.
 */
export function hmacSha1(key: Uint8Array): CounterHmac {
  const shortKey = key.length > BLOCK_SIZE ? hash("sha1", key, "buffer") : key;
  const inner = hashPaddedKey(shortKey, 0x3636_3636);
  const outer = hashPaddedKey(shortKey, 0x5c5c_5c5c);
  const digest = new Uint8Array(DIGEST_SIZE);
  return (counter) => {
    words[0] = wordAt(counter, 0);
    words[1] = wordAt(counter, 4);
    hashLastBlock(inner, COUNTER_SIZE);
    for (let index = 0; index < 5; index++) {
      words[index] = state[index] ?? 0;
    }
    hashLastBlock(outer, DIGEST_SIZE);
    for (let index = 0; index < 5; index++) {
      const word = state[index] ?? 0;
      digest[4 * index] = word >>> 24;
      digest[4 * index + 1] = word >>> 16;
      digest[4 * index + 2] = word >>> 8;
      digest[4 * index + 3] = word;
    }
    return digest;
  };
}

/** Returns the state after the first block of the inner or outer hash: the key XOR the pad. */
function hashPaddedKey(key: Uint8Array, pad: number): Int32Array {
  for (let index = 0; index < 16; index++) {
    words[index] = wordAt(key, 4 * index) ^ pad;
  }
  const after = new Int32Array(5);
  compress(INITIAL, after);
  return after;
}

/**
 * Hashes the second and last block: `size` bytes, which are in {@link words}, and the padding of FIPS 180-4, section 5.1.1.
 */
function hashLastBlock(before: Int32Array, size: number): void {
  const end = size >> 2;
  words[end] = 0x8000_0000;
  for (let t = end + 1; t < 15; t++) {
    words[t] = 0;
  }
  words[15] = 8 * (BLOCK_SIZE + size);
  compress(before, state);
}

/** Reads four bytes, most significant first. Bytes after the end are 0. */
function wordAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] ?? 0) << 24) |
    ((bytes[at + 1] ?? 0) << 16) |
    ((bytes[at + 2] ?? 0) << 8) |
    (bytes[at + 3] ?? 0)
  );
}

/**
 * Hashes the block in {@link words}. https://doi.org/10.6028/NIST.FIPS.180-4, section 6.1.2
 *
 * The four parts differ in the function and the constant. A single loop that selects them takes three times as long.
 */
function compress(before: Int32Array, after: Int32Array): void {
  for (let t = 16; t < 80; t++) {
    words[t] = rotate(word(t - 3) ^ word(t - 8) ^ word(t - 14) ^ word(t - 16), 1);
  }
  const h0 = before[0] ?? 0;
  const h1 = before[1] ?? 0;
  const h2 = before[2] ?? 0;
  const h3 = before[3] ?? 0;
  const h4 = before[4] ?? 0;
  let a = h0;
  let b = h1;
  let c = h2;
  let d = h3;
  let e = h4;
  let next = 0;
  for (let t = 0; t < 20; t++) {
    next = (rotate(a, 5) + ((b & c) | (~b & d)) + e + 0x5a82_7999 + word(t)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  for (let t = 20; t < 40; t++) {
    next = (rotate(a, 5) + (b ^ c ^ d) + e + 0x6ed9_eba1 + word(t)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  for (let t = 40; t < 60; t++) {
    next = (rotate(a, 5) + ((b & c) | (b & d) | (c & d)) + e + 0x8f1b_bcdc + word(t)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  for (let t = 60; t < 80; t++) {
    next = (rotate(a, 5) + (b ^ c ^ d) + e + 0xca62_c1d6 + word(t)) | 0;
    e = d;
    d = c;
    c = rotate(b, 30);
    b = a;
    a = next;
  }
  after[0] = h0 + a;
  after[1] = h1 + b;
  after[2] = h2 + c;
  after[3] = h3 + d;
  after[4] = h4 + e;
}

function word(t: number): number {
  return words[t] ?? 0;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
