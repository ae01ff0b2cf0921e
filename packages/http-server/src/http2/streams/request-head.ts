import type { RequestFields } from "../../core/base-request.js";
import { readContentLength } from "../../core/field-values.js";
import { FIELD_OVERHEAD, isAuthority } from "../../core/rules.js";
import { requestBytes } from "../../core/weights.js";
import { HeaderBlock } from "../hpack/header-block.js";
import { Section } from "./section.js";

/** The header section of a request, and the fields that HTTP/2 itself uses. */
export class RequestHead extends Section implements RequestFields {
  /** Whether the request is malformed (RFC 9113, sections 8.1.1, 8.2 and 8.3). If so, do not use the other properties. */
  readonly isMalformed: boolean;
  readonly method: string;
  /** Empty for CONNECT. */
  readonly scheme: string;
  /** The path and query, or `*`. Empty for CONNECT. */
  readonly target: string;
  /** From `:authority` or `host`; undefined if both are missing, if they differ, and if it is not a host and an optional port. */
  readonly authority: string | undefined;
  readonly contentLength: number | undefined;
  /** The bytes of memory of a request with this head. */
  readonly requestBytes: number;
  readonly expect: string | undefined;

  constructor({ list, special, pseudoCount, size, isMalformed }: HeaderBlock) {
    // Repeated values are joined by a comma and a space, which none of these may have.
    const [method, scheme, path, authority, status, host, length, expect] = special;
    super(list.slice(2 * pseudoCount));
    this.method = method ?? "";
    this.scheme = scheme ?? "";
    this.target = path ?? "";
    const isAmbiguous = authority !== undefined && host !== undefined && !isSameHost(authority, host);
    this.authority = isAmbiguous ? undefined : validAuthority(authority ?? host);
    this.contentLength = length === undefined ? undefined : readContentLength(length);
    this.expect = expect;
    const fields = list.length / 2;
    this.requestBytes = requestBytes(fields, size - FIELD_OVERHEAD * fields);
    this.isMalformed =
      isMalformed ||
      status !== undefined ||
      (length !== undefined && this.contentLength === undefined) ||
      authority?.includes(", ") === true ||
      host?.includes(", ") === true ||
      !isTargetValid(method, scheme, path, authority !== undefined);
  }
}

/** RFC 9110, section 9.1. */
const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 3986, section 3.1. */
const SCHEME = /^[A-Za-z][A-Za-z0-9+\-.]*$/;
/** Visible ASCII characters except `#` (RFC 9112, section 3.2): no others could be forwarded over HTTP/1.1. */
const TARGET = /^\/[!-"$-~]*$/;

/** RFC 9113, sections 8.3.1 and 8.5. */
function isTargetValid(
  method: string | undefined,
  scheme: string | undefined,
  path: string | undefined,
  hasAuthority: boolean,
): boolean {
  if (method === undefined || !METHOD.test(method)) return false;
  if (method === "CONNECT") return scheme === undefined && path === undefined && hasAuthority;
  if (scheme === undefined || !SCHEME.test(scheme) || path === undefined) return false;
  return TARGET.test(path) || (path === "*" && method === "OPTIONS");
}

/** The latest valid authority: most requests have the same one. */
let latestAuthority = "";

/** An authority without user information (RFC 9113, section 8.3.1), which is valid in HTTP/1.1 as well. */
function validAuthority(text: string | undefined): string | undefined {
  if (text !== undefined && text !== latestAuthority) {
    if (!isAuthority(text)) {
      return undefined;
    }
    latestAuthority = text;
  }
  return text === "" ? undefined : text;
}

/** Host names are case-insensitive (RFC 3986, section 3.2.2). */
function isSameHost(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase();
}

/** The head of a request whose header section is too large: only the method, on which the response depends. */
export function methodOnly({ special: [method] }: HeaderBlock): RequestHead {
  const block = new HeaderBlock();
  block.special[0] = method;
  return new RequestHead(block);
}
