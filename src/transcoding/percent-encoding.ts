/**
 * Decodes `%XX` (RFC 3986, section 2.1). Undefined when an escape is cut short or malformed, or when the octets
 * are not UTF-8.
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
 * Decodes like {@link decodePercent} but leaves `%2F` and `%2f` as they are, so that an encoded slash in a
 * variable of several segments is not taken for a separator.
 */
export function decodePercentExceptSlash(text: string): string | undefined {
  const parts = text.split(/(%2[Ff])/);
  const decoded = parts.map((part, index) => (index % 2 === 1 ? part : decodePercent(part)));
  return decoded.includes(undefined) ? undefined : decoded.join("");
}

/** One name and value of a query or a form. */
export type NameValue = readonly [name: string, value: string];

/**
 * Reads `application/x-www-form-urlencoded` text, which is what queries are written in as well: pairs joined by
 * `&`, `+` for a space, the rest percent-encoded. Unlike the WHATWG URL Standard's parser it does not guess:
 * undefined when an escape is malformed or not UTF-8.
 */
export function parseFormUrlEncoded(text: string): NameValue[] | undefined {
  const pairs: NameValue[] = [];
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  for (let start = 0; start < spaced.length; ) {
    const ampersand = spaced.indexOf("&", start);
    const end = ampersand === -1 ? spaced.length : ampersand;
    const equals = spaced.indexOf("=", start);
    const nameEnd = equals === -1 || equals > end ? end : equals;
    const name = decodePercent(spaced.slice(start, nameEnd));
    const value = decodePercent(spaced.slice(nameEnd + 1, Math.max(end, nameEnd + 1)));
    if (name === undefined || value === undefined) {
      return undefined;
    }
    if (end > start) {
      pairs.push([name, value]);
    }
    start = end + 1;
  }
  return pairs;
}
