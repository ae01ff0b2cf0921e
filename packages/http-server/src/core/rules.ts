import type { HttpMethods, ServerLimits } from "../options.js";
import { fieldParts } from "./field-values.js";
import { badRequest, type Rejection, rejection } from "./rejection.js";

// The rules for requests of both HTTP versions. A request that violates the syntax is malformed: HTTP/1 responds with 400 and
// closes the connection, HTTP/2 resets the stream (RFC 9113, section 8.1.1). Other rejected requests get their status.

/** 1 for each byte of a token (RFC 9110, section 5.6.2): method and header names. */
export const TOKEN_BYTES: Uint8Array = bytesOf(/[!#$%&'*+\-.^_`|~0-9A-Za-z]/);

/** 1 for each byte of a field value (RFC 9110, section 5.5): no control character but a tab. */
export const VALUE_BYTES: Uint8Array = bytesOf(/[\t\x20-\x7e\x80-\xff]/);

/** A token without upper-case letters: a header name of HTTP/2, or one of a response. */
export const LOWER_CASE_TOKEN: RegExp = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;

function bytesOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => Number(pattern.test(String.fromCharCode(byte))));
}

/** The properties of a connection and its server on which the rules depend. */
export interface RuleContext {
  /** The methods that the server understands; undefined for all but CONNECT. */
  readonly methods: HttpMethods | undefined;
  readonly isSecure: boolean;
  /** Whether the peer is a gateway that may end TLS for this server (RFC 9110, section 7.4). */
  readonly isGateway: boolean;
}

/**
 * Returns why a request is rejected whose syntax is valid.
 *
 * @param scheme empty for HTTP/1 in origin-form
 */
export function rejectionOf(
  method: string,
  scheme: string,
  expect: string | undefined,
  { methods, isSecure, isGateway }: RuleContext,
): Rejection | undefined {
  if (method === "CONNECT") {
    return rejection("UNSUPPORTED_HTTP_METHOD", "this server is not a proxy: CONNECT is not supported");
  }
  if (methods !== undefined && !methods.has(method)) {
    const allowed = [...methods].join(", ");
    return rejection("UNSUPPORTED_HTTP_METHOD", `the HTTP method is not supported; allowed: ${allowed}`);
  }
  const lowerCase = scheme.toLowerCase();
  // RFC 9110, section 7.4, rejects `https` without TLS.
  const isHttps = lowerCase === "https" && (isSecure || isGateway);
  if (lowerCase !== "" && lowerCase !== "http" && !isHttps) {
    return rejection(
      "MISDIRECTED_REQUEST",
      isSecure
        ? "this connection serves http and https only"
        : "this connection serves http only; https needs TLS, or a proxy that the server trusts",
    );
  }
  if (expect !== undefined && fieldParts(expect.toLowerCase(), ",").some((each) => each !== "100-continue")) {
    return rejection("UNSUPPORTED_EXPECTATION", "the expectation is not supported; allowed: 100-continue");
  }
  return undefined;
}

/** The limits of a header section. One size for both versions: that of RFC 9113, section 6.5.2. */
export type SectionLimits = Pick<ServerLimits, "maxHeaderBytes" | "maxHeaderFields">;

export function sectionTooLarge({ maxHeaderBytes, maxHeaderFields }: SectionLimits): Rejection {
  return rejection(
    "HEADERS_TOO_LARGE",
    `the header section is too large; allowed: ${maxHeaderFields} fields and ${maxHeaderBytes} bytes, with 32 for each field`,
  );
}

/** The bytes that a field adds to the size of its section, besides its characters. */
export const FIELD_OVERHEAD = 32;

/** A host and an optional port (RFC 3986, section 3.2), without user information. */
const AUTHORITY = /^(?:\[[0-9A-Fa-f:.]+\]|(?:[0-9A-Za-z\-._~!$&'()*+;=]|%[0-9A-Fa-f]{2})+)(?::[0-9]*)?$/;

/** Whether a `Host` or the authority of a target is unambiguous. */
export function isAuthority(text: string): boolean {
  return AUTHORITY.test(text);
}

export const INVALID_HOST: Rejection = rejection(
  "INVALID_HOST",
  "the request needs exactly one Host header: a host and an optional port",
);
export const REPEATED_LENGTH: Rejection = badRequest("the request has more than one content-length");
