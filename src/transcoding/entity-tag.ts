import { hash } from "node:crypto";

/** Up to this many code units a text is hashed in JavaScript: a call of a hash function costs more than that. */
const MAX_SHORT = 1024;

/**
 * The entity tag of an answer's body: weak, for the same answer can be sent in several content codings.
 * https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3
 *
 * It tells versions of one resource apart, nothing more, so that 64 well-mixed bits do for a short text; what is longer
 * or is octets has 162 bits of SHA-256.
 */
export function entityTagOf(body: string | Uint8Array): string {
  return typeof body === "string" && body.length <= MAX_SHORT
    ? `W/"${shortHash(body)}"`
    : `W/"${hash("sha256", body, "base64url").slice(0, 27)}"`;
}

// Where short texts are put to be read by words of four octets; nothing outlives a call. A code unit is three octets or less.
const WORDS = new Int32Array((3 * MAX_SHORT) / 4 + 1);
const OCTETS = Buffer.from(WORDS.buffer);

/**
 * 64 bits of a text's UTF-8: two hashes of its words, one as MurmurHash3 has it and one of multiplications and shifts, both
 * finished as in MurmurHash3 so that every bit depends on all.
 * https://github.com/aappleby/smhasher/blob/61a0530f28277f2e850bfc39600ce61d02b518de/src/MurmurHash3.cpp
 */
function shortHash(text: string): string {
  const length = OCTETS.write(text);
  OCTETS.writeUInt32LE(0, length);
  let a = length;
  let b = 0x9747_b28c;
  for (let index = 0; 4 * index < length; index++) {
    const word = WORDS[index] ?? 0;
    const mixed = Math.imul(word, 0xcc9e_2d51);
    a ^= Math.imul((mixed << 15) | (mixed >>> 17), 0x1b87_3593);
    a = Math.imul((a << 13) | (a >>> 19), 5) + 0xe654_6b64;
    b = Math.imul(b ^ word, 0x5bd1_e995);
    b ^= b >>> 15;
  }
  // Numbers with a sign are the quickest to write, and a tag may have one.
  return `${finish(a)}.${finish(b)}`;
}

function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}

/**
 * Whether an `If-None-Match` header names an entity tag, by the weak comparison.
 * https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function matchesEntityTag(ifNoneMatch: string, entityTag: string): boolean {
  if (ifNoneMatch.trim() === "*") {
    return true;
  }
  const opaque = (tag: string) => tag.replace(/^W\//, "");
  const tags = ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? [];
  return tags.some((tag) => opaque(tag) === opaque(entityTag));
}
