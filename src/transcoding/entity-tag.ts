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

/**
 * 64 bits of a text's code units: two FNV-1a hashes with bases and primes of their own, each finished as MurmurHash3 does
 * so that every bit depends on all.
 * https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
 */
function shortHash(text: string): string {
  let a = 0x811c_9dc5;
  let b = 0x9747_b28c;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x0100_0193);
    b = Math.imul(b ^ unit, 0x5bd1_e995);
    b ^= b >>> 15;
  }
  return finish(a ^ text.length).toString(36) + finish(b).toString(36).padStart(7, "0");
}

function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
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
