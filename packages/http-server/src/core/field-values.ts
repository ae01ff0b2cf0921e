const SPACE = 0x20;
const TAB = 0x09;

/**
 * Removes optional white space from both ends of a header value or a part of it: spaces and tabs alone (RFC 9110, section 5.6.3).
 * `String.prototype.trim` also removes others, such as the byte 0xA0, which another recipient reads as a part of the value.
 */
export function trimField(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) {
    start += 1;
  }
  while (end > start && isBlank(text.charCodeAt(end - 1))) {
    end -= 1;
  }
  return text.slice(start, end);
}

/** The parts of a header value between separators, without optional white space (RFC 9110, sections 5.6.1 and 5.6.6). */
export function fieldParts(value: string, separator: "," | ";"): string[] {
  return value.split(separator).map(trimField);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** A transfer coding with optional parameters (RFC 9112, section 7). */
const CODING = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:[\t ]*;.*)?$/s;

/**
 * Whether the server understands the transfer codings of a request. They are `unsupported` if there are others before `chunked`. They
 * are `invalid` if `chunked` is not the last one and the only one of its name (RFC 9112, section 6.3), and over HTTP/1.0, where recipients
 * differ in whether they ignore them (section 6.1).
 */
export function transferCodingsOf(
  value: string,
  httpVersion: string,
): "supported" | "unsupported" | "invalid" {
  const codings = fieldParts(value.toLowerCase(), ",");
  if (httpVersion !== "1.1" || codings.pop() !== "chunked") {
    return "invalid";
  }
  const isValid = codings.every((coding) => coding !== "chunked" && CODING.test(coding));
  return isValid ? (codings.length === 0 ? "supported" : "unsupported") : "invalid";
}

/** Headers about the connection, which only the server may send (RFC 9110, section 7.6.1; RFC 9113, section 8.2.2). */
export const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

/** The methods of RFC 9110 and RFC 5789 for resources, for the option `methods`. */
export const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The length that a `content-length` announces; undefined if it is invalid. One beyond all limits is infinite. */
export function readContentLength(value: string): number | undefined {
  if (!/^[0-9]+$/.test(value)) {
    return undefined;
  }
  const length = Number(value);
  return length <= Number.MAX_SAFE_INTEGER ? length : Number.POSITIVE_INFINITY;
}
