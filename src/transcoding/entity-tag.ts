import { hash } from "node:crypto";

/**
 * The entity tag of an answer's body: weak, for the same answer can be sent in several content codings.
 * https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3
 *
 * It is 162 bits of SHA-256, in one call: half of what a Hash object takes for 300 octets, which is mostly the call itself.
 * SHA-1 takes as long, MD5 and BLAKE2 take longer, for the processor has instructions for SHA alone; and what could be
 * written in JavaScript to spare half of the rest would be slower from some kilobytes on.
 */
export function entityTagOf(body: string | Uint8Array): string {
  return `W/"${hash("sha256", body, "base64url").slice(0, 27)}"`;
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
