/**
 * Percent-encodes a text as UTF-8, all but the unreserved characters (letters, digits, `-`, `.`, `_`, `~`),
 * so that it can stand anywhere in a URI: a space becomes `%20`.
 * https://www.rfc-editor.org/rfc/rfc3986#section-2
 *
 * Throws a URIError where the text contains a lone surrogate.
 */
export function percentEncode(text: string): string {
  // encodeURIComponent follows RFC 2396, which left these five unreserved.
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
