/**
 * Decodes `%XX` (RFC 3986, section 2.1). Returns undefined for a malformed escape and for bytes that are not UTF-8.
 */
export function decodePercent(text: string): string | undefined {
  if (!text.includes("%")) {
    return text;
  }
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Like {@link decodePercent}, but keeps `%2F` and `%2f`, so that an encoded slash in a variable of several segments
 * remains distinct from a separator.
 */
export function decodePercentExceptSlash(text: string): string | undefined {
  const parts = text.split(/(%2[Ff])/);
  const decoded = parts.map((part, index) => (index % 2 === 1 ? part : decodePercent(part)));
  return decoded.includes(undefined) ? undefined : decoded.join("");
}
