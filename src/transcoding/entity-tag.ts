import { createHash } from "node:crypto";

/**
 * The entity tag of an answer's body: weak, for the same answer can be sent in several content codings.
 * https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3
 */
export function entityTagOf(body: string | Uint8Array): string {
  return `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
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
