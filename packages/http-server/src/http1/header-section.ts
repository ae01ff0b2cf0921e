import type { HeaderList, HeaderSection } from "../request.js";

/** One field line with its CRLF (RFC 9112, section 5): a token, a colon without space before it, and a value without controls. */
const FIELD_LINE = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)\r\n/y;

// The next three match values with the white space around them. Only one space before is ordinary: parsers differ in the rest,
// and that of `node:http` rejects a tab after a length.

/** A host and an optional port in ordinary characters (RFC 3986, section 3.2). */
const HOST = /^ ?[0-9A-Za-z._~\-[\]:%]+$/;

/** A length without leading zeros that is a safe integer. */
const CONTENT_LENGTH = /^ ?(?:0|[1-9]\d{0,14})$/;

const CONNECTION = /^ ?(?:close|keep-alive)$/i;

/**
 * Headers that change how a message is delimited or how the connection is used, besides `Content-Length` and `Connection`.
 * Many parsers, that of `node:http` among them, treat `Proxy-Connection` like `Connection`.
 */
const SPECIAL = new Set(["expect", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"]);

const SPACE = 0x20;
const TAB = 0x09;

/** The header section of an ordinary request. */
export class RequestSection implements HeaderSection {
  readonly list: HeaderList;
  /** The value of `Host`. */
  readonly host: string;
  /** The length of the body in bytes. */
  readonly contentLength: number;
  /** Whether the client asks to close the connection after the response. */
  readonly closes: boolean;
  readonly #values: ReadonlyMap<string, string>;

  constructor(list: HeaderList, values: ReadonlyMap<string, string>, host: string) {
    this.list = list;
    this.host = host;
    this.contentLength = Number(values.get("content-length") ?? "0");
    this.closes = values.get("connection")?.toLowerCase() === "close";
    this.#values = values;
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }
}

/**
 * Parses a header section without its empty line. Returns undefined unless it is valid, has exactly one `Host`, and delimits
 * the body by at most one plain `Content-Length`.
 *
 * @param section the field lines, each with its CRLF; one character per byte
 */
export function parseSection(section: string): RequestSection | undefined {
  const list: string[] = [];
  const values = new Map<string, string>();
  let host: string | undefined;
  FIELD_LINE.lastIndex = 0;
  for (let end = 0; end < section.length; end = FIELD_LINE.lastIndex) {
    const match = FIELD_LINE.exec(section);
    if (match === null) {
      return undefined;
    }
    const name = (match[1] ?? "").toLowerCase();
    const text = match[2] ?? "";
    const earlier = values.get(name);
    if (!isOrdinary(name, text, earlier)) {
      return undefined;
    }
    const value = trim(text);
    if (name === "host") {
      host = value;
    }
    list.push(name, value);
    values.set(name, earlier === undefined ? value : `${earlier}${name === "cookie" ? "; " : ", "}${value}`);
  }
  return host === undefined ? undefined : new RequestSection(list, values, host);
}

/** `text` is the value with the white space around it. */
function isOrdinary(name: string, text: string, earlier: string | undefined): boolean {
  switch (name) {
    case "host":
      return earlier === undefined && HOST.test(text);
    case "content-length":
      return earlier === undefined && CONTENT_LENGTH.test(text);
    case "connection":
      return earlier === undefined && CONNECTION.test(text);
    default:
      return !SPECIAL.has(name);
  }
}

/** Removes spaces and tabs around a value, and no other white space: the rest of ISO 8859-1 belongs to the value. */
function trim(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) {
    start += 1;
  }
  while (end > start && isBlank(value.charCodeAt(end - 1))) {
    end -= 1;
  }
  return value.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}
