import { trimField } from "@utility-tools/http-server/portable";
import { hashOf } from "#platform";
import { forbidsStoring } from "./response-encoder.js";
import { weightsIn } from "./weights.js";

/** A compression of responses (RFC 9110, section 8.4.1). */
export interface ContentCoding {
  readonly name: string;
  compress(body: Uint8Array): Promise<Uint8Array>;
}

/**
 * Selects the coding that an `Accept-Encoding` header prefers, the first of several; undefined for `identity`. Without the header nothing is
 * compressed, although that would be allowed: the client may not be able to decompress.
 * https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
export function negotiateContentCoding<C extends { readonly name: string }>(
  acceptEncoding: string | undefined,
  codings: readonly C[],
): C | undefined {
  if (acceptEncoding === undefined) {
    return undefined;
  }
  const weights = weightsIn(acceptEncoding);
  const weightOf = (coding: string, otherwise: number) =>
    weights.get(coding) ??
    (coding === "gzip" ? weights.get("x-gzip") : undefined) ??
    weights.get("*") ??
    otherwise;
  const identity = weights.get("identity") ?? 0;
  let best: C | undefined;
  let bestWeight = 0;
  for (const coding of codings) {
    const weight = weightOf(coding.name, 0);
    if (weight > bestWeight && weight >= identity) {
      best = coding;
      bestWeight = weight;
    }
  }
  return best;
}

/** Shorter responses are not compressed, in bytes: compressing them gains nothing. */
export const MIN_COMPRESSED_BYTES = 1024;

/**
 * Whether a response is worth compressing: it is a long text or message, and can be stored. A response that must not be stored may
 * contain a secret beside text that the client chose, and its compressed length can reveal the secret
 * (https://www.rfc-editor.org/rfc/rfc7457#section-2.6).
 */
export function isCompressible(headers: Readonly<Record<string, string>>, length: number): boolean {
  return (
    length >= MIN_COMPRESSED_BYTES &&
    /^(?:text\/|application\/(?:json|proto)\b|image\/svg\+xml\b)/.test(headers["content-type"] ?? "") &&
    !forbidsStoring(headers["cache-control"])
  );
}

/** Texts of up to this many code units are hashed in JavaScript, which costs less than calling a hash function. */
const MAX_SHORT = 1024;

/**
 * Returns the entity tag of a response body. It is weak, because the same response can be sent in several content codings.
 * https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3
 *
 * It only distinguishes versions of one resource, so 64 well-mixed bits suffice for a short text. Longer texts and bytes have
 * 162 bits of SHA-256; undefined if the runtime cannot compute them.
 */
export function entityTagOf(body: string | Uint8Array): string | undefined {
  const hash = typeof body === "string" && body.length <= MAX_SHORT ? shortHash(body) : hashOf(body);
  return hash === undefined ? undefined : `W/"${hash}"`;
}

// Scratch space to read a short text in words of four bytes. A code unit takes at most three bytes.
const WORDS = new Int32Array((3 * MAX_SHORT) / 4 + 1);
const BYTES = Buffer.from(WORDS.buffer);

/**
 * Returns 64 bits of a hash of a text in UTF-8: two hashes of its words, one of MurmurHash3 and one of multiplications and shifts.
 * Both end with the finalizer of MurmurHash3, so that every bit depends on all input bits.
 * https://github.com/aappleby/smhasher/blob/61a0530f28277f2e850bfc39600ce61d02b518de/src/MurmurHash3.cpp
 */
function shortHash(text: string): string {
  const length = BYTES.write(text);
  BYTES.writeUInt32LE(0, length);
  let a = length;
  let b = 0x9747_b28c | 0;
  for (let index = 0; 4 * index < length; index++) {
    const word = WORDS[index] ?? 0;
    const mixed = Math.imul(word, 0xcc9e_2d51);
    a ^= Math.imul((mixed << 15) | (mixed >>> 17), 0x1b87_3593);
    // A sum beyond 32 bits would make V8 compute with doubles, which takes three times as long.
    a = (Math.imul((a << 13) | (a >>> 19), 5) + 0xe654_6b64) | 0;
    b = Math.imul(b ^ word, 0x5bd1_e995);
    b ^= b >>> 15;
  }
  // Signed numbers are the fastest to format, and an entity tag can contain a sign.
  return `${finish(a)}.${finish(b)}`;
}

function finish(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}

/**
 * Whether an `If-None-Match` header contains an entity tag, by weak comparison.
 * https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function matchesEntityTag(ifNoneMatch: string, entityTag: string): boolean {
  const opaque = (tag: string) => tag.replace(/^W\//, "");
  return hasTag(ifNoneMatch, (tag) => opaque(tag) === opaque(entityTag));
}

/**
 * Whether an `If-Match` header contains an entity tag, by strong comparison: no weak tag equals another.
 * https://www.rfc-editor.org/rfc/rfc9110#section-13.1.1
 */
export function matchesStrongly(ifMatch: string, entityTag: string): boolean {
  return hasTag(ifMatch, (tag) => tag === entityTag && !tag.startsWith("W/"));
}

function hasTag(header: string, isEqual: (tag: string) => boolean): boolean {
  return trimField(header) === "*" || (header.match(/(?:W\/)?"[^"]*"/g) ?? []).some(isEqual);
}
