import { CONNECTION_HEADERS } from "../core/field-values.js";
import { httpDate } from "../core/http-date.js";
import { LOWER_CASE_TOKEN } from "../core/rules.js";
import type { HeaderList } from "../request.js";

// An import reads all exports of a module, and those of node:http load the fetch of Node.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** How the body of a response is delimited (RFC 9112, section 6). */
export type Framing =
  /** `Content-Length`, in bytes. */
  | number
  /** The chunked transfer coding, for a body of unknown length. */
  | "chunked"
  /** The end of the connection, for a body of unknown length to an HTTP/1.0 client. */
  | "close"
  /** A response to HEAD, or 304, has no body. Its `Content-Length` is the length for GET or 200. */
  | "described"
  /** 204: without a body and without a length. */
  | "none";

type Kind = "ordinary" | "content-length" | "date";

const NOT_A_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** The kinds of valid names that have been used. */
const kinds = new Map<string, Kind>();
const MAX_KINDS = 512;

/** Returns the framing of a response. `length` is that of its body in bytes, if it is known. */
export function framingOf(
  { httpVersion, method }: { readonly httpVersion: string; readonly method: string },
  status: number,
  length: number | undefined,
): Framing {
  if (status === 204) {
    return "none";
  }
  if (method === "HEAD" || status === 304) {
    return "described";
  }
  return length ?? (httpVersion === "1.0" ? "close" : "chunked");
}

/**
 * Formats the head of a response; one character is one byte. Throws a TypeError for an invalid status or header: a line break
 * in a value would let its author add headers, or a whole response.
 *
 * @param isLast whether the connection closes after the response
 */
export function responseHead(status: number, headers: HeaderList, framing: Framing, isLast: boolean): string {
  let head = status === 200 ? "HTTP/1.1 200 OK\r\n" : statusLine(status);
  let hasLength = false;
  let hasDate = false;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? "";
    const value = headers[index + 1] ?? "";
    const kind = kinds.get(name) ?? kindOf(name);
    if (kind === "content-length") {
      if (hasLength || !isLength(value, framing)) {
        throw new TypeError(`Invalid value of header content-length: ${JSON.stringify(value)}`);
      }
      if (framing === "none" || framing === "chunked" || framing === "close") {
        // RFC 9110, section 8.6; RFC 9112, section 6.2.
        continue;
      }
      hasLength = true;
    } else if (NOT_A_VALUE.test(value)) {
      throw new TypeError(`Invalid character in the value of header ${name}`);
    } else if (kind === "date") {
      hasDate = true;
    }
    head += `${name}: ${value}\r\n`;
  }
  if (framing === "chunked") {
    head += "transfer-encoding: chunked\r\n";
  } else if (typeof framing === "number" && !hasLength) {
    head += `content-length: ${framing}\r\n`;
  }
  if (!hasDate) {
    head += `date: ${httpDate()}\r\n`;
  }
  return head + (isLast ? "connection: close\r\n\r\n" : "connection: keep-alive\r\n\r\n");
}

/**
 * Formats trailers with the empty line after them. Throws a TypeError for an invalid one, and for a header that concerns the
 * framing or the connection (RFC 9110, section 6.5.1).
 */
export function trailerSection(trailers: HeaderList): string {
  let section = "";
  for (let index = 0; index < trailers.length; index += 2) {
    const name = trailers[index] ?? "";
    const value = trailers[index + 1] ?? "";
    if ((kinds.get(name) ?? kindOf(name)) === "content-length" || NOT_A_VALUE.test(value)) {
      throw new TypeError(`Invalid trailer ${JSON.stringify(name)}`);
    }
    section += `${name}: ${value}\r\n`;
  }
  return `${section}\r\n`;
}

function statusLine(status: number): string {
  // An informational response is not a response to the request (RFC 9110, section 15.2).
  if (!Number.isInteger(status) || status < 200 || status > 999) {
    throw new TypeError(`Invalid status ${status}`);
  }
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;
}

function kindOf(name: string): Kind {
  if (!LOWER_CASE_TOKEN.test(name) || CONNECTION_HEADERS.has(name)) {
    throw new TypeError(`Invalid header name ${JSON.stringify(name)}`);
  }
  const kind = name === "content-length" || name === "date" ? name : "ordinary";
  if (kinds.size < MAX_KINDS) {
    kinds.set(name, kind);
  }
  return kind;
}

/** Whether a given `Content-Length` is a valid length and equals that of the body. */
function isLength(value: string, framing: Framing): boolean {
  return typeof framing === "number" ? value === `${framing}` : /^\d+$/.test(value);
}
