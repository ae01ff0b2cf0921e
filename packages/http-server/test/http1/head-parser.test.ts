import { describe, expect, test } from "vitest";
import { trimField } from "../../src/core/field-values.js";
import { type Http1Head, parseHead, rejectIncomplete } from "../../src/http1/head-parser.js";

const LIMITS = { maxHeaderBytes: 1_000, maxHeaderFields: 10 };

function parse(head: string) {
  const before = "before";
  const bytes = Buffer.from(`${before}${head}after`, "latin1");
  return parseHead(bytes, before.length, before.length + head.length, LIMITS);
}

const GET = "GET / HTTP/1.1\r\nHost: a\r\n";

const DEFAULTS: Omit<Http1Head, "headers"> = {
  httpVersion: "1.1",
  method: "GET",
  target: "/",
  scheme: "",
  authority: "a",
  contentLength: 0,
  expect: undefined,
  isLast: false,
};

test.each<readonly [title: string, head: string, expected: Partial<Http1Head>]>([
  ["GET", `${GET}\r\n`, {}],
  // Methods (RFC 9110, section 9.1): whether the server knows them is another rule.
  ["POST", `POST / HTTP/1.1\r\nHost: a\r\n\r\n`, { method: "POST" }],
  ["another method", "M-SEARCH / HTTP/1.1\r\nHost: a\r\n\r\n", { method: "M-SEARCH" }],
  ["a method that starts like a frequent one", "GETS / HTTP/1.1\r\nHost: a\r\n\r\n", { method: "GETS" }],
  // Targets (RFC 9112, section 3.2).
  ["a query", `GET /a?b=c HTTP/1.1\r\nHost: a\r\n\r\n`, { target: "/a?b=c" }],
  ["a path of two slashes", `GET //a HTTP/1.1\r\nHost: a\r\n\r\n`, { target: "//a" }],
  [
    "absolute-form",
    `GET http://b:81/c?d HTTP/1.1\r\nHost: a\r\n\r\n`,
    { target: "/c?d", scheme: "http", authority: "b:81" },
  ],
  [
    "absolute-form in upper case",
    `GET HTTP://B/C HTTP/1.1\r\nHost: a\r\n\r\n`,
    { target: "/C", scheme: "HTTP", authority: "B" },
  ],
  [
    "absolute-form without a path",
    `GET http://b HTTP/1.1\r\nHost: a\r\n\r\n`,
    { scheme: "http", authority: "b" },
  ],
  [
    "absolute-form with a query alone",
    `GET http://b?c HTTP/1.1\r\nHost: a\r\n\r\n`,
    { target: "/?c", scheme: "http", authority: "b" },
  ],
  [
    "absolute-form with another scheme",
    `GET coap+tcp://b/ HTTP/1.1\r\nHost: a\r\n\r\n`,
    { scheme: "coap+tcp", authority: "b" },
  ],
  ["asterisk-form", `OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n`, { method: "OPTIONS", target: "*" }],
  [
    "authority-form",
    `CONNECT b:80 HTTP/1.1\r\nHost: a\r\n\r\n`,
    { method: "CONNECT", target: "b:80", isLast: true },
  ],
  // Versions (RFC 9112, section 2.3).
  ["HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", { httpVersion: "1.0", authority: undefined, isLast: true }],
  ["HTTP/1.0 with a host", "GET / HTTP/1.0\r\nHost: a\r\n\r\n", { httpVersion: "1.0", isLast: true }],
  [
    "HTTP/1.0 with keep-alive",
    "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
    { httpVersion: "1.0", authority: undefined },
  ],
  [
    "HTTP/1.0 with keep-alive and close",
    "GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n",
    { httpVersion: "1.0", authority: undefined, isLast: true },
  ],
  [
    "an expectation over HTTP/1.0 (RFC 9110, section 10.1.1)",
    "GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n",
    { httpVersion: "1.0", authority: undefined, isLast: true },
  ],
  ["HTTP/1.2 is read as HTTP/1.1", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", {}],
  // Framing (RFC 9112, section 6).
  ["a length", `${GET}Content-Length: 12\r\n\r\n`, { contentLength: 12 }],
  ["a length with zeros", `${GET}Content-Length: 0012\r\n\r\n`, { contentLength: 12 }],
  [
    "a length beyond 2^53",
    `${GET}Content-Length: 18446744073709551619\r\n\r\n`,
    { contentLength: Number.POSITIVE_INFINITY },
  ],
  ["chunked", `${GET}Transfer-Encoding: chunked\r\n\r\n`, { contentLength: undefined }],
  ["chunked in another case", `${GET}transfer-encoding:CHUNKED \r\n\r\n`, { contentLength: undefined }],
  ["an expectation", `${GET}Expect: x\r\nexpect: y\r\n\r\n`, { expect: "x, y" }],
  // Connection (RFC 9112, section 9.3).
  ["close", `${GET}Connection: a, CLOSE ,b\r\n\r\n`, { isLast: true }],
  ["keep-alive", `${GET}Connection: keep-alive\r\n\r\n`, {}],
  [
    "close with a byte that is no white space (RFC 9110, section 5.6.3)",
    `${GET}Connection: close\xa0\r\n\r\n`,
    {},
  ],
  ["an option that contains close", `${GET}Connection: closed, not-close\r\n\r\n`, {}],
])("%s", (_title, head, expected) => {
  const { headers, ...rest } = parse(head) as Http1Head;
  expect(rest).toEqual({ ...DEFAULTS, ...expected });
  const fields = head.split("\r\n").slice(1, -2);
  expect(headers.list).toEqual(
    fields.flatMap((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      trimField(line.slice(line.indexOf(":") + 1)),
    ]),
  );
});

test("limits of target and section", () => {
  const target = (length: number) => `GET /${"x".repeat(length - 1)} HTTP/1.1\r\nHost: a\r\n\r\n`;
  // The header counts for 37 bytes: `Host`, `a` and 32.
  expect(parse(target(963))).toMatchObject({ contentLength: 0 });
  expect(parse(target(964))).toMatchObject({ status: 431 });
  expect(parse(target(1_000))).toMatchObject({ status: 431 });
  expect(parse(target(1_001))).toMatchObject({ status: 414 });
  expect(parse(`${GET}X:${" ".repeat(2_000)}\r\n\r\n`)).toMatchObject({ status: 431 });
  expect(parse(`${GET}${"X:\r\n".repeat(9)}\r\n`)).toMatchObject({ contentLength: 0 });
  expect(parse(`${GET}${"X:\r\n".repeat(10)}\r\n`)).toMatchObject({ status: 431 });
});

test("a target is visible ASCII without #", () => {
  const characters = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte));
  const valid = characters.filter(
    (character) => "target" in parse(`GET /${character} HTTP/1.1\r\nHost: a\r\n\r\n`),
  );
  const isVisible = (character: string) => character > " " && character < "\x7f";
  expect(valid).toEqual(characters.filter((character) => isVisible(character) && character !== "#"));
});

describe("an incomplete head", () => {
  test.each<readonly [title: string, text: string, status: number | undefined]>([
    ["nothing but a method", "GET", undefined],
    ["an unknown method, which may become valid", "BREW", undefined],
    ["a request line without its end", "GET / HTTP/1.1\r", undefined],
    ["a request line", "GET / HTTP/1.1\r\n", undefined],
    ["headers", `${GET}X: 1\r\n`, undefined],
    ["an empty line without its LF", `${GET}\r`, undefined],
    ["garbage that is a line", "garbage\r\n", 400],
    ["a line of TLS", "\x16\x03\x01\x02\0", 400],
    ["a control character", "GET /\x01", 400],
    ["DEL", "GET /\x7f", 400],
    ["a bare LF", "GET / HTTP/1.1\n", 400],
    ["a bare LF in the headers", `${GET}X: 1\nY`, 400],
    ["a bare CR", `${GET}X: 1\rY`, 400],
    ["two CRs", `${GET}X: 1\r\r`, 400],
    ["two spaces in the request line", "GET  / HTTP/1.1\r\n", 400],
    ["no version", "GET /\r\n", 400],
    ["another version, whose head must be complete", "GET / HTTP/3.1\r\n", undefined],
    ["a long target", `GET /${"x".repeat(1_996)}`, 414],
    ["a target that is not too long yet", `GET /${"x".repeat(1_995)}`, undefined],
    ["a long header", `${GET}X: ${"x".repeat(1_973)}`, 431],
    ["a header that is not too long yet", `${GET}X: ${"x".repeat(1_972)}`, undefined],
  ])("%s", (_title, text, status) => {
    const bytes = Buffer.from(`before${text}`, "latin1");
    const start = "before".length;
    expect(rejectIncomplete(bytes, start, start, LIMITS)?.status).toBe(status);
    // Byte by byte, as each byte is examined once.
    let found: number | undefined;
    for (let at = start; at < bytes.length && found === undefined; at++) {
      found = rejectIncomplete(bytes.subarray(0, at + 1), start, at, LIMITS)?.status;
    }
    expect(found).toBe(status);
  });
});
