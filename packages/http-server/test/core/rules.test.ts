import { describe, expect, test } from "vitest";
import { METHODS } from "../../src/core/field-values.js";
import {
  type RuleContext,
  rejectionOf,
  sectionTooLarge,
  TOKEN_BYTES,
  VALUE_BYTES,
} from "../../src/core/rules.js";

/** The bytes of a class, as characters. */
const charactersOf = (bytes: Uint8Array) =>
  [...bytes].map((isIn, byte) => (isIn === 1 ? String.fromCharCode(byte) : "")).join("");
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index)).join("");

describe("bytes", () => {
  test("of tokens (RFC 9110, section 5.6.2)", () => {
    const expected = `!#$%&'*+-.0123456789${range(0x41, 0x5a)}^_\`${range(0x61, 0x7a)}|~`;
    expect(charactersOf(TOKEN_BYTES)).toBe(expected);
  });

  test("of values (RFC 9110, section 5.5)", () => {
    expect(charactersOf(VALUE_BYTES)).toBe(`\t${range(0x20, 0x7e)}${range(0x80, 0xff)}`);
  });
});

describe("rejectionOf", () => {
  const CLEARTEXT: RuleContext = { methods: new Set(METHODS), isSecure: false, isGateway: false };
  const SECURE: RuleContext = { ...CLEARTEXT, isSecure: true };
  const ALL: RuleContext = { ...CLEARTEXT, methods: undefined };
  const GATEWAY: RuleContext = { ...CLEARTEXT, isGateway: true };

  test.each<
    readonly [
      method: string,
      scheme: string,
      expectation: string | undefined,
      context: RuleContext,
      status: number | undefined,
    ]
  >([
    ["GET", "", undefined, CLEARTEXT, undefined],
    ["DELETE", "http", undefined, CLEARTEXT, undefined],
    // Methods (RFC 9110, section 9.1).
    ["get", "http", undefined, CLEARTEXT, 501],
    ["TRACE", "http", undefined, CLEARTEXT, 501],
    ["BREW", "", undefined, CLEARTEXT, 501],
    ["BREW", "", undefined, ALL, undefined],
    ["CONNECT", "", undefined, CLEARTEXT, 501],
    ["CONNECT", "", undefined, ALL, 501],
    ["CONNECT", "", undefined, { ...CLEARTEXT, methods: new Set(["CONNECT"]) }, 501],
    // Schemes (RFC 9110, section 7.4), which have no case (RFC 3986, section 3.1).
    ["GET", "HTTP", undefined, CLEARTEXT, undefined],
    ["GET", "https", undefined, CLEARTEXT, 421],
    ["GET", "ftp", undefined, CLEARTEXT, 421],
    ["GET", "https", undefined, SECURE, undefined],
    ["GET", "HTTPS", undefined, SECURE, undefined],
    ["GET", "http", undefined, SECURE, undefined],
    ["GET", "https", undefined, GATEWAY, undefined],
    ["GET", "HTTPS", undefined, GATEWAY, undefined],
    ["GET", "http", undefined, { ...SECURE, isGateway: true }, undefined],
    ["GET", "ftp", undefined, GATEWAY, 421],
    ["GET", "httpss", undefined, GATEWAY, 421],
    // Expectations (RFC 9110, section 10.1.1).
    ["POST", "http", "100-continue", CLEARTEXT, undefined],
    ["POST", "http", "100-Continue", CLEARTEXT, undefined],
    ["POST", "http", "", CLEARTEXT, 417],
    ["POST", "http", "100-continue, x", CLEARTEXT, 417],
    // It is a list: httpwg/http-core #203.
    ["POST", "http", "100-continue, 100-Continue", CLEARTEXT, undefined],
    ["POST", "http", "100-continue,", CLEARTEXT, 417],
    ["POST", "http", "200-ok", CLEARTEXT, 417],
    // The first rule decides.
    ["BREW", "ftp", "x", CLEARTEXT, 501],
    ["GET", "ftp", "x", CLEARTEXT, 421],
  ])("%s %j, expect %j, %j: %j", (method, scheme, expectation, context, status) => {
    expect(rejectionOf(method, scheme, expectation, context)?.status).toBe(status);
  });

  test("says what is allowed", () => {
    expect(rejectionOf("BREW", "", undefined, CLEARTEXT)).toEqual({
      reason: "UNSUPPORTED_HTTP_METHOD",
      status: 501,
      message: "the HTTP method is not supported; allowed: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    });
    expect(sectionTooLarge({ maxHeaderBytes: 16_384, maxHeaderFields: 100 })).toEqual({
      reason: "HEADERS_TOO_LARGE",
      status: 431,
      message: "the header section is too large; allowed: 100 fields and 16384 bytes, with 32 for each field",
    });
  });
});
