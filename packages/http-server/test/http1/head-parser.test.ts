import { describe, expect, test } from "vitest";
import { parseHead, rejectIncomplete } from "../../src/http1/head-parser.js";

const LIMITS = { maxHeaderBytes: 1_000, maxHeaderFields: 10 };

function parse(head: string) {
  const before = "before";
  const bytes = Buffer.from(`${before}${head}after`, "latin1");
  return parseHead(bytes, before.length, before.length + head.length, LIMITS);
}

const GET = "GET / HTTP/1.1\r\nHost: a\r\n";

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
