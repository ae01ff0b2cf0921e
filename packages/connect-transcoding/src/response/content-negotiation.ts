import { hash } from "node:crypto";
import { forbidsStoring } from "./response-encoder.js";

/** A way to compress an answer (RFC 9110, section 8.4.1). */
export type ContentCoding = "br" | "gzip";

/** The codings that answers can have, the preferred first. */
const CODINGS: readonly ContentCoding[] = ["br", "gzip"];

/**
 * Selects the preferred coding of an `Accept-Encoding` header; undefined for `identity`. Without the header nothing is
 * compressed, although that would be allowed: the client may not be able to decompress.
 * https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
export function negotiateContentCoding(acceptEncoding: string | undefined): ContentCoding | undefined {
  if (acceptEncoding === undefined) {
    return undefined;
  }
  const weights = new Map<string, number>();
  for (const element of acceptEncoding.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = element.split(";").map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    const weight = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 0;
    weights.set(coding === "x-gzip" ? "gzip" : coding, weight);
  }
  const weightOf = (coding: string, otherwise: number) =>
    weights.get(coding) ?? weights.get("*") ?? otherwise;
  const identity = weights.get("identity") ?? 0;
  let best: ContentCoding | undefined;
  let bestWeight = 0;
  for (const coding of CODINGS) {
    const weight = weightOf(coding, 0);
    if (weight > bestWeight && weight >= identity) {
      best = coding;
      bestWeight = weight;
    }
  }
  return best;
}

/** Octets from which on compressing an answer is worth its while. */
const MIN_COMPRESSED_BYTES = 1024;

/**
 * Whether an answer gains from being compressed: it is text, or a message, of some length. One that must not be stored may hold a
 * secret beside what the caller chose, and the length of such an answer, compressed, can give the secret away
 * (https://www.rfc-editor.org/rfc/rfc7457#section-2.6).
 */
export function isCompressible(headers: Readonly<Record<string, string>>, length: number): boolean {
  return (
    length >= MIN_COMPRESSED_BYTES &&
    /^(?:text\/|application\/(?:json|proto)\b|image\/svg\+xml\b)/.test(headers["content-type"] ?? "") &&
    !forbidsStoring(headers["cache-control"])
  );
}

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
