import type { RequestFields } from "../core/base-request.js";
import { fieldParts, readContentLength, transferCodingsOf } from "../core/field-values.js";
import { badRequest, type Rejection, rejection } from "../core/rejection.js";
import {
  INVALID_HOST,
  isAuthority,
  REPEATED_LENGTH,
  type SectionLimits,
  sectionTooLarge,
} from "../core/rules.js";
import { FieldSection, parseSection } from "./field-section.js";

/** The head of a request: its request line and its header section. */
export interface Http1Head extends RequestFields {
  readonly httpVersion: "1.0" | "1.1";
  /** The scheme of a target in absolute-form; empty otherwise. */
  readonly scheme: string;
  readonly headers: FieldSection;
  /** Whether the client closes the connection after the response, or expects the server to. */
  readonly isLast: boolean;
}

const SLASH = 0x2f;
const LINE_END = Buffer.from("\r\n");

const ABSOLUTE_FORM = /^([A-Za-z][A-Za-z0-9+\-.]*):\/\/([^/?#]*)(\/[^#]*|\?[^#]*|)$/;

/** RFC 9112, section 3: a method, a target without `#`, which begins a fragment, and a version. */
const REQUEST_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([!-"$-~]+) HTTP\/(\d)\.(\d)$/;

/** What no request line and no header section contains: controls, a bare CR, or a bare LF. */
const IMPLAUSIBLE = /[^\t\r\n\x20-\x7e\x80-\xff]|(?<!\r|^)\n|\r[^\n]/;

const NOT_A_REQUEST_LINE = badRequest(
  "the request line is not a method, a target in visible ASCII without #, and a version",
);

/** Parses the head that ends at `end`, after its empty line (RFC 9112, sections 2 to 5). */
export function parseHead(
  bytes: Buffer,
  start: number,
  end: number,
  limits: SectionLimits,
): Http1Head | Rejection {
  const { maxHeaderBytes } = limits;
  const lineEnd = bytes.indexOf(LINE_END, start);
  const line = REQUEST_LINE.exec(bytes.toString("latin1", start, lineEnd));
  if (line === null) {
    return NOT_A_REQUEST_LINE;
  }
  const [, method = "", target = "", major, minor] = line;
  if (major !== "1") {
    return rejection(
      "UNSUPPORTED_HTTP_VERSION",
      "this HTTP version is not supported here; allowed: HTTP/1.1 and HTTP/1.0",
    );
  }
  if (target.length > maxHeaderBytes) {
    return targetTooLong(maxHeaderBytes);
  }
  if (end - start > 2 * maxHeaderBytes) {
    return sectionTooLarge(limits);
  }
  const headers = parseSection(
    bytes,
    lineEnd + LINE_END.length,
    end - LINE_END.length,
    target.length,
    limits,
  );
  return headers instanceof FieldSection
    ? readHead(minor === "0" ? "1.0" : "1.1", method, target, headers)
    : headers;
}

/**
 * Returns why a head that is incomplete so far is rejected; undefined if it may become valid. The time is linear in the new bytes.
 *
 * @param start the position of the head
 * @param from the position of the new bytes
 */
export function rejectIncomplete(
  bytes: Buffer,
  start: number,
  from: number,
  limits: SectionLimits,
): Rejection | undefined {
  const { maxHeaderBytes } = limits;
  const newStart = Math.max(start, from - 1);
  if (IMPLAUSIBLE.test(bytes.toString("latin1", newStart))) {
    return badRequest("the request has a control character, or a line does not end with CRLF");
  }
  const lineEnd = bytes.indexOf(LINE_END, newStart);
  if (lineEnd >= 0 && bytes.indexOf(LINE_END, start) === lineEnd) {
    if (!REQUEST_LINE.test(bytes.toString("latin1", start, lineEnd))) {
      return NOT_A_REQUEST_LINE;
    }
  }
  if (bytes.length - start <= 2 * maxHeaderBytes) {
    return undefined;
  }
  return bytes.indexOf(LINE_END, start) < 0 ? targetTooLong(maxHeaderBytes) : sectionTooLarge(limits);
}

function readHead(
  httpVersion: Http1Head["httpVersion"],
  method: string,
  fullTarget: string,
  headers: FieldSection,
): Http1Head | Rejection {
  let target = fullTarget;
  let scheme = "";
  // HTTP/1.0 needs no Host, and an empty one names no host.
  let authority = headers.get("host") || undefined;
  // Values of repeated headers are joined by a comma, which neither a host nor a length has.
  if (authority === undefined ? httpVersion === "1.1" : !isAuthority(authority)) {
    return INVALID_HOST;
  }
  if (target.charCodeAt(0) !== SLASH) {
    const isAsterisk = target === "*" && method === "OPTIONS";
    const absolute = isAsterisk || method === "CONNECT" ? null : ABSOLUTE_FORM.exec(target);
    if (absolute !== null) {
      // The authority of the target takes precedence (RFC 9112, section 3.2.2).
      [, scheme = "", authority = "", target = ""] = absolute;
      target = target.startsWith("/") ? target : `/${target}`;
      if (!isAuthority(authority)) {
        return INVALID_HOST;
      }
    } else if (!isAsterisk && method !== "CONNECT") {
      return badRequest("the request target is neither a path nor an absolute URL");
    }
  }
  const contentLength = bodyLength(httpVersion, headers);
  if (typeof contentLength === "object") {
    return contentLength;
  }
  return {
    httpVersion,
    method,
    target,
    scheme,
    authority,
    headers,
    contentLength,
    // HTTP/1.0 has no expectations.
    expect: httpVersion === "1.1" ? headers.get("expect") : undefined,
    isLast: isLast(httpVersion, headers.get("connection")) || method === "CONNECT",
  };
}

/** The length of a body (RFC 9112, section 6.3); undefined for the chunked transfer coding. */
function bodyLength(
  httpVersion: Http1Head["httpVersion"],
  headers: FieldSection,
): number | undefined | Rejection {
  const lengthText = headers.get("content-length");
  const codings = headers.get("transfer-encoding");
  if (codings !== undefined) {
    return lengthText === undefined
      ? rejectCoding(httpVersion, codings)
      : badRequest("the request has both content-length and transfer-encoding");
  }
  if (lengthText === undefined) {
    return 0;
  }
  const length = readContentLength(lengthText);
  if (length !== undefined) {
    return length;
  }
  return lengthText.includes(",") ? REPEATED_LENGTH : badRequest("content-length is not a number of bytes");
}

function rejectCoding(httpVersion: Http1Head["httpVersion"], codings: string): Rejection | undefined {
  if (httpVersion === "1.0") {
    // RFC 9112, section 6.1: such a message has a faulty framing.
    return badRequest("HTTP/1.0 has no transfer-encoding");
  }
  switch (transferCodingsOf(codings, httpVersion)) {
    case "supported":
      return undefined;
    case "unsupported":
      return rejection(
        "UNSUPPORTED_TRANSFER_CODING",
        "the transfer coding of the body is not supported; allowed: chunked",
      );
    default:
      return badRequest("transfer-encoding is not a list of codings that ends with chunked");
  }
}

/** RFC 9112, section 9.3. */
function isLast(httpVersion: Http1Head["httpVersion"], connection: string | undefined): boolean {
  if (connection === undefined) {
    return httpVersion === "1.0";
  }
  const options = fieldParts(connection.toLowerCase(), ",");
  return options.includes("close") || (httpVersion === "1.0" && !options.includes("keep-alive"));
}

function targetTooLong(maxBytes: number): Rejection {
  return rejection("TARGET_TOO_LONG", `the request target is too long; allowed: ${maxBytes} bytes`);
}
