import { describe, expect, test } from "vitest";
import { HpackDecoder } from "../../../src/http2/hpack/decoder.js";
import type { HeaderBlock } from "../../../src/http2/hpack/header-block.js";
import { RequestHead } from "../../../src/http2/streams/request-head.js";
import { readTrailers } from "../../../src/http2/streams/section.js";
import { string } from "../hpack/reference-encoder.js";

/** The block with these headers. It is decoded, as the decoder checks names and values. */
function blockOf(list: readonly string[], isHuffman = false): HeaderBlock {
  const bytes: number[] = [];
  for (let i = 0; i < list.length; i += 2) {
    bytes.push(0x00, ...string(list[i] ?? "", isHuffman), ...string(list[i + 1] ?? "", isHuffman));
  }
  const block = new HpackDecoder({ maxHeaderBytes: 1_000_000, maxHeaderFields: 10_000 }).decode(
    Buffer.from(bytes),
    0,
    bytes.length,
  );
  if (block === undefined) throw new Error("The block is invalid");
  return block;
}

const headOf = (list: readonly string[]) => new RequestHead(blockOf(list));

const GET = [":method", "GET", ":scheme", "https", ":path", "/a?b=c"];

test("A request", () => {
  const list = ["accept", "*/*", "x-a", "", "cookie", "a=b"];
  const head = headOf([...GET, ":authority", "example.com:81", ...list]);
  expect(head).toMatchObject({
    isMalformed: false,
    method: "GET",
    scheme: "https",
    target: "/a?b=c",
    authority: "example.com:81",
    contentLength: undefined,
    expect: undefined,
  });
  expect(head.list).toEqual(list);
});

test("A block may be both a head and trailers", () => {
  const block = blockOf(["x-a", "b"]);
  expect(readTrailers(block)?.list).toEqual(["x-a", "b"]);
  expect(new RequestHead(block).isMalformed).toBe(true);
  expect(readTrailers(block)?.list).toEqual(["x-a", "b"]);
});

describe("get", () => {
  // The longer list is read in another way.
  test.each([0, 40])("With %i other headers", (count) => {
    const others = Array.from({ length: count }, (_, i) => [`x-${i}`, `${i}`]);
    const head = headOf(
      [
        GET,
        ["accept", "a", "cookie", "a=1", "vary", ""],
        ...others,
        ["cookie", "b=2", "accept", "b, c"],
      ].flat(),
    );
    expect(head.get("accept")).toBe("a, b, c");
    expect(head.get("cookie")).toBe("a=1; b=2");
    expect(head.get("vary")).toBe("");
    expect(head.get("x-39")).toBe(count === 0 ? undefined : "39");
    expect(head.get("host")).toBeUndefined();
    expect(head.get(":method")).toBeUndefined();
    expect(head.get("Accept")).toBeUndefined();
    // A value is not a name.
    expect(head.get("a")).toBeUndefined();
  });
});

// RFC 9113, section 8.3.1.
test.each([
  ["neither", [], undefined],
  [":authority", [":authority", "a:1"], "a:1"],
  ["host", ["host", "a:1"], "a:1"],
  ["both", [":authority", "a:1", "host", "a:1"], "a:1"],
  ["both in different case", [":authority", "Example.com", "host", "example.COM"], "Example.com"],
  ["both, with another port", [":authority", "a:1", "host", "a:2"], undefined],
  ["both, with another host", [":authority", "a", "host", "b"], undefined],
  ["both, host empty", [":authority", "a", "host", ""], undefined],
  // netty #17528
  ["a host with user information", [":authority", "user@a"], undefined],
  ["a host that is no URL host", ["host", "a/b"], undefined],
  ["an empty one", [":authority", ""], undefined],
])("The authority of %s", (_, list, authority) => {
  expect(headOf([...GET, ...list])).toMatchObject({ isMalformed: false, authority });
});

// RFC 9110, section 8.6.
test.each([
  [["0"], 0],
  [["5"], 5],
  [["005"], 5],
  [["9007199254740991"], Number.MAX_SAFE_INTEGER],
  [["9007199254740993"], Number.POSITIVE_INFINITY],
  [["9".repeat(400)], Number.POSITIVE_INFINITY],
  [["5", "5"], undefined],
  [["5", "6"], undefined],
  [["6", "5", "6"], undefined],
  [["x", "5"], undefined],
  [["5, 5"], undefined],
  [[""], undefined],
  [["-1"], undefined],
  [["+1"], undefined],
  [["1.0"], undefined],
  [["1e3"], undefined],
  [["0x10"], undefined],
  [["1 2"], undefined],
  [["\xb2"], undefined],
])("content-length %j", (values, contentLength) => {
  const head = headOf([...GET, ...values.flatMap((value) => ["content-length", value])]);
  expect(head.isMalformed).toBe(contentLength === undefined);
  if (contentLength !== undefined) expect(head.contentLength).toBe(contentLength);
});

test.each([
  [["100-continue"], "100-continue"],
  [["100-Continue"], "100-Continue"],
  [["other"], "other"],
  [[""], ""],
  [["100-continue", "other"], "100-continue, other"],
])("expect: %j", (values, expected) => {
  const head = headOf([...GET, ...values.flatMap((value) => ["expect", value])]);
  expect(head).toMatchObject({ isMalformed: false, expect: expected });
});

/** A request with another pseudo-header, or without. */
function requestWith(changes: Record<string, string | undefined>): string[] {
  const fields = { ":method": "GET", ":scheme": "https", ":path": "/", ...changes };
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

/** All visible characters except `#`. */
const VISIBLE = Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i))
  .filter((c) => c !== "#")
  .join("");

const CONNECT = { ":method": "CONNECT", ":scheme": undefined, ":path": undefined, ":authority": "a:1" };

test.each([
  ["another method", requestWith({ ":method": "M-SEARCH" })],
  ["a method in lower case", requestWith({ ":method": "get" })],
  ["another scheme", requestWith({ ":scheme": "coap+tcp" })],
  ["OPTIONS *", requestWith({ ":method": "OPTIONS", ":path": "*" })],
  ["OPTIONS with a path", requestWith({ ":method": "OPTIONS" })],
  ["a path of two slashes", requestWith({ ":path": "//a" })],
  ["a path with all characters that are visible", requestWith({ ":path": `/${VISIBLE}` })],
  ["CONNECT", requestWith(CONNECT)],
  ["te: trailers", [...GET, "te", "trailers"]],
  ["te: Trailers", [...GET, "te", "Trailers"]],
  ["a name with all characters of a token", [...GET, "!#$%&'*+-.^_`|~09az", ""]],
  ["a value with spaces, tabs and bytes above 0x7f inside", [...GET, "x", "a \t\x80\xff b"]],
  ["a value with all characters that are visible", [...GET, "x", `#${VISIBLE}`]],
  ["a name without a colon after the pseudo-headers", [...GET, "method", "x"]],
])("Well-formed: %s", (_, list) => {
  expect(headOf(list).isMalformed).toBe(false);
});

test("The target of CONNECT", () => {
  expect(headOf(requestWith(CONNECT))).toMatchObject({
    method: "CONNECT",
    scheme: "",
    target: "",
    authority: "a:1",
  });
});

// RFC 9113, sections 8.2.1, 8.2.2, 8.3, 8.3.1 and 8.5.
test.each([
  ["nothing", []],
  ["no pseudo-headers", ["host", "a"]],
  ["no method", requestWith({ ":method": undefined })],
  ["an empty method", requestWith({ ":method": "" })],
  ["a method that is no token", requestWith({ ":method": "GE T" })],
  ["no scheme", requestWith({ ":scheme": undefined })],
  ["an empty scheme", requestWith({ ":scheme": "" })],
  ["a scheme with a colon", requestWith({ ":scheme": "http:" })],
  ["no path", requestWith({ ":path": undefined })],
  ["an empty path", requestWith({ ":path": "" })],
  ["a path without a slash", requestWith({ ":path": "a" })],
  ["a whole URL as the path", requestWith({ ":path": "http://a/" })],
  ["a query as the path", requestWith({ ":path": "?a" })],
  ["* for GET", requestWith({ ":path": "*" })],
  ["** for OPTIONS", requestWith({ ":method": "OPTIONS", ":path": "**" })],
  ["a path with a space", requestWith({ ":path": "/a HTTP/1.1" })],
  ["a path with a tab", requestWith({ ":path": "/a\tb" })],
  ["a path with DEL", requestWith({ ":path": "/a\x7fb" })],
  ["a path with #", requestWith({ ":path": "/a#b" })],
  ["a path with bytes above 0x7f", requestWith({ ":path": "/\xc3\xa9" })],
  ["a path with CR LF", requestWith({ ":path": "/a\r\nb" })],
  ["CONNECT with a path", requestWith({ ...CONNECT, ":path": "/" })],
  ["CONNECT with a scheme", requestWith({ ...CONNECT, ":scheme": "https" })],
  ["CONNECT without an authority", requestWith({ ...CONNECT, ":authority": undefined })],
  ["extended CONNECT, which the server does not enable", [...requestWith(CONNECT), ":protocol", "websocket"]],
  [":status", [...GET, ":status", "200"]],
  ["an unknown pseudo-header", [...GET, ":x", "y"]],
  ["a colon as a name", [...GET, ":", "y"]],
  ["two methods", [":method", "GET", ...GET]],
  ["two schemes", [...GET, ":scheme", "https"]],
  ["two paths", [...GET, ":path", "/a?b=c"]],
  ["two authorities", [...GET, ":authority", "a", ":authority", "a"]],
  ["a pseudo-header after a regular one", [...GET, "accept", "a", ":authority", "b"]],
  ["a regular header before the pseudo-headers", ["accept", "a", ...GET]],
  ["a pseudo-header in upper case", [...GET, ":Authority", "a"]],
  ["a name in upper case", [...GET, "Accept", "a"]],
  ["a name with one upper-case letter", [...GET, "x-A", "a"]],
  ["an empty name", [...GET, "", "a"]],
  ["a name with a space", [...GET, "a b", "a"]],
  ["a name with a colon at its end", [...GET, "a:", "a"]],
  ["a name with NUL", [...GET, "a\0", "a"]],
  ["a name with CR LF", [...GET, "a\r\n", "a"]],
  ["a name above 0x7f", [...GET, "\xe4", "a"]],
  ["a name with DEL", [...GET, "a\x7f", "a"]],
  ["two equal hosts", [...GET, "host", "a", "host", "a"]],
  ["two hosts", [...GET, "host", "a", "host", "b"]],
  ["two equal hosts beside :authority", [...GET, ":authority", "a", "host", "a", "host", "a"]],
  ["CONNECT with host only", requestWith({ ...CONNECT, ":authority": undefined, host: "a" })],
  ["a value with NUL", [...GET, "x", "a\0b"]],
  ["a value with CR", [...GET, "x", "a\rb"]],
  ["a value with LF", [...GET, "x", "a\nb"]],
  ["a value that is LF", [...GET, "x", "\n"]],
  ["a value with a space at its beginning", [...GET, "x", " a"]],
  ["a value with a tab at its beginning", [...GET, "x", "\ta"]],
  ["a value with a space at its end", [...GET, "x", "a "]],
  ["a value with a tab at its end", [...GET, "x", "a\t"]],
  ["a value that is a space", [...GET, "x", " "]],
  ["an authority with a space at its end", [...GET, ":authority", "a "]],
  ["connection", [...GET, "connection", "close"]],
  ["keep-alive", [...GET, "keep-alive", "timeout=5"]],
  ["proxy-connection", [...GET, "proxy-connection", "keep-alive"]],
  ["transfer-encoding", [...GET, "transfer-encoding", "chunked"]],
  ["upgrade", [...GET, "upgrade", "h2c"]],
  ["an empty connection", [...GET, "connection", ""]],
  ["te: gzip", [...GET, "te", "gzip"]],
  ["te: trailers, gzip", [...GET, "te", "trailers, gzip"]],
  ["an empty te", [...GET, "te", ""]],
])("Malformed: %s", (_, list) => {
  expect(headOf(list).isMalformed).toBe(true);
  // The Huffman decoder classifies bytes by a table of its own.
  expect(new RequestHead(blockOf(list, true)).isMalformed).toBe(true);
});

// RFC 9110, section 5.5.
test("Malformed: a value with any control character except tab", () => {
  for (let code = 0; code < 256; code++) {
    const list = [...GET, "x", `a${String.fromCharCode(code)}b`];
    const isMalformed = (code < 0x20 && code !== 0x09) || code === 0x7f;
    for (const isHuffman of [false, true]) {
      expect([code, new RequestHead(blockOf(list, isHuffman)).isMalformed]).toEqual([code, isMalformed]);
    }
  }
});

test("Names and values of the tables are checked as those of literals are", () => {
  const decoder = new HpackDecoder({ maxHeaderBytes: 10_000, maxHeaderFields: 10_000 });
  const decode = (bytes: number[]) => decoder.decode(Buffer.from(bytes), 0, bytes.length);
  const isMalformed = (bytes: number[]) => {
    const block = decode([0x82, 0x86, 0x84, ...bytes]);
    return block === undefined ? undefined : new RequestHead(block).isMalformed;
  };
  decode([0x40, ...string("X", false), ...string("a", false)]);
  decode([0x40, ...string("y", false), ...string("a\n", false)]);
  decode([0x40, ...string("connection", false), ...string("a", false)]);
  decode([0x40, ...string("te", false), ...string("trailers", false)]);
  expect(isMalformed([])).toBe(false);
  expect(isMalformed([0xbe])).toBe(false);
  expect(isMalformed([0xbf])).toBe(true);
  expect(isMalformed([0xc0])).toBe(true);
  expect(isMalformed([0xc1])).toBe(true);
  // The name of an entry with another value.
  expect(isMalformed([0x0f, 0xc0 - 0x80 - 15, ...string("a", false)])).toBe(false);
  expect(isMalformed([0x0f, 0xbe - 0x80 - 15, ...string("a", false)])).toBe(true);
  // The static table has transfer-encoding, and :status.
  expect(isMalformed([0x80 | 57])).toBe(true);
  expect(isMalformed([0x88])).toBe(true);
});

describe("Trailers", () => {
  test("They have a list and values", () => {
    const trailers = readTrailers(blockOf(["x-a", "b", "x-a", "c"]));
    expect(trailers?.list).toEqual(["x-a", "b", "x-a", "c"]);
    expect(trailers?.get("x-a")).toBe("b, c");
  });

  test("They may be empty", () => {
    expect(readTrailers(blockOf([]))?.list).toEqual([]);
  });

  // RFC 9113, sections 8.1 and 8.2.
  test.each([
    ["a pseudo-header of requests", [":path", "/"]],
    ["a pseudo-header of responses", [":status", "200"]],
    ["an unknown pseudo-header", [":x", "y"]],
    ["a name in upper case", ["X-A", "b"]],
    ["a value with LF", ["x-a", "b\nc"]],
    ["a value with a space at its end", ["x-a", "b "]],
    ["a header of the connection", ["connection", "close"]],
    ["te: gzip", ["te", "gzip"]],
  ])("Malformed: %s", (_, list) => {
    expect(readTrailers(blockOf(["x", "y", ...list]))).toBeUndefined();
    expect(readTrailers(blockOf(list, true))).toBeUndefined();
  });
});
