import { boundedCache } from "../bounded-cache.js";
import { forbidsStoring } from "./cache-control.js";

/** A way to compress an answer (RFC 9110, section 8.4.1). */
export type ContentCoding = "br" | "gzip";

/** The codings that answers can have, the preferred first. */
const CODINGS: readonly ContentCoding[] = ["br", "gzip"];

/**
 * The coding that an `Accept-Encoding` header likes best; undefined for none, which is `identity`. Without the header
 * nothing is compressed, though it would be allowed: who does not ask may not be able to read it.
 * https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
export function negotiateContentCoding(acceptEncoding: string | undefined): ContentCoding | undefined {
  if (acceptEncoding === undefined) {
    return undefined;
  }
  const known = NEGOTIATED.get(acceptEncoding);
  if (known !== undefined) {
    return known.coding;
  }
  const coding = negotiate(acceptEncoding);
  if (acceptEncoding.length <= MAX_KEPT_LENGTH) {
    NEGOTIATED.set(acceptEncoding, { coding });
  }
  return coding;
}

/** What headers come to: clients send the same few again and again. Kept small, for anybody can send others. */
const NEGOTIATED = boundedCache<string, { readonly coding: ContentCoding | undefined }>(64);
const MAX_KEPT_LENGTH = 128;

function negotiate(acceptEncoding: string): ContentCoding | undefined {
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
