import type { HeaderList, HeaderSection } from "../request.js";

/** One field line with its CRLF (RFC 9112, section 5): a token, a colon without space before it, and a value without controls. */
const FIELD_LINE = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)\r\n/y;

// The next three match values with the white space around them. Only one space before is ordinary: parsers differ in the rest,
// and that of `node:http` rejects a tab after a length.

/** A host and an optional port in ordinary characters (RFC 3986, section 3.2). */
const HOST = /^ ?[0-9A-Za-z._~\-[\]:%]+$/;

/** A length without leading zeros that is a safe integer. */
const LENGTH = /^ ?(?:0|[1-9]\d{0,14})$/;

/**
 * A list of connection options. Those of an upgrade are ordinary, because a server may ignore `Upgrade` and respond as without
 * it (RFC 9110, section 7.8).
 */
const CONNECTION =
  /^ ?(?:close|keep-alive|upgrade|http2-settings)(?:, ?(?:close|keep-alive|upgrade|http2-settings))*$/i;

const CLOSE = /\bclose\b/i;

/**
 * Headers that change how a message is delimited or how the connection is used, besides `Content-Length` and `Connection`.
 * Many parsers, that of `node:http` among them, treat `Proxy-Connection` like `Connection`.
 */
const SPECIAL = new Set(["expect", "proxy-connection", "te", "trailer", "transfer-encoding"]);

const CONTENT_LENGTH = "content-length";

const SPACE = 0x20;
const TAB = 0x09;

/** The header section of an ordinary request. */
export class RequestSection implements HeaderSection {
  /** The value of `Host`. */
  readonly host: string;
  /** Whether the client asks to close the connection after the response. */
  readonly closes: boolean;
  /** The length of the body in bytes. */
  readonly contentLength: number;
  /** The names and values, perhaps with the content length of another section. */
  #list: HeaderList;
  readonly #values: ReadonlyMap<string, string>;

  constructor(list: HeaderList, values: ReadonlyMap<string, string>, host: string, contentLength: number) {
    this.#list = list;
    this.#values = values;
    this.host = host;
    this.closes = CLOSE.test(values.get("connection") ?? "");
    this.contentLength = contentLength;
  }

  /** Returns this section with another value of its `content-length`. The section must have one. */
  withContentLength(contentLength: number): RequestSection {
    return new RequestSection(this.#list, this.#values, this.host, contentLength);
  }

  get list(): HeaderList {
    const list = this.#list;
    const index = list.findIndex((text, at) => at % 2 === 0 && text === CONTENT_LENGTH) + 1;
    if (index > 0 && list[index] !== `${this.contentLength}`) {
      this.#list = list.with(index, `${this.contentLength}`);
    }
    return this.#list;
  }

  get(name: string): string | undefined {
    const value = this.#values.get(name);
    return name === CONTENT_LENGTH && value !== undefined ? `${this.contentLength}` : value;
  }
}

/** A section, and where its content length is. */
export interface ParsedSection {
  readonly section: RequestSection;
  /** The positions of the first digit and after the last one; undefined if the section has no content length. */
  readonly lengthAt: readonly [start: number, end: number] | undefined;
}

/**
 * Parses a header section without its empty line. Returns undefined unless it is valid, has exactly one `Host`, and delimits
 * the body by at most one plain `Content-Length`.
 *
 * @param text the field lines, each with its CRLF; one character per byte
 */
export function parseSection(text: string): ParsedSection | undefined {
  const list: string[] = [];
  const values = new Map<string, string>();
  let host: string | undefined;
  let lengthAt: ParsedSection["lengthAt"];
  FIELD_LINE.lastIndex = 0;
  for (let end = 0; end < text.length; end = FIELD_LINE.lastIndex) {
    const match = FIELD_LINE.exec(text);
    if (match === null) {
      return undefined;
    }
    const name = (match[1] ?? "").toLowerCase();
    const padded = match[2] ?? "";
    const earlier = values.get(name);
    if (!isOrdinary(name, padded, earlier)) {
      return undefined;
    }
    const value = trim(padded);
    if (name === "host") {
      host = value;
    } else if (name === CONTENT_LENGTH) {
      const lengthEnd = FIELD_LINE.lastIndex - 2;
      lengthAt = [lengthEnd - value.length, lengthEnd];
    }
    list.push(name, value);
    values.set(name, earlier === undefined ? value : `${earlier}${name === "cookie" ? "; " : ", "}${value}`);
  }
  if (host === undefined) {
    return undefined;
  }
  const contentLength = Number(values.get(CONTENT_LENGTH) ?? "0");
  return { section: new RequestSection(list, values, host, contentLength), lengthAt };
}

/** `padded` is the value with the white space around it. */
function isOrdinary(name: string, padded: string, earlier: string | undefined): boolean {
  switch (name) {
    case "host":
      return earlier === undefined && HOST.test(padded);
    case CONTENT_LENGTH:
      return earlier === undefined && LENGTH.test(padded);
    case "connection":
      return earlier === undefined && CONNECTION.test(padded);
    default:
      return !SPECIAL.has(name);
  }
}

/** Removes spaces and tabs around a value. Other white space of ISO 8859-1 is part of the value. */
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
