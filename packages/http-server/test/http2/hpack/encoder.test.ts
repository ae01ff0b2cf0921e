import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HpackDecoder } from "../../../src/http2/hpack/decoder.js";
import { encodeHeaders, encodeStatus } from "../../../src/http2/hpack/encoder.js";
import { bytesOf } from "./bytes.js";

function encode(list: readonly string[], status?: number): Uint8Array {
  const target = Buffer.alloc(100_000, 0x55);
  const end = encodeHeaders(list, target, status === undefined ? 3 : encodeStatus(status, target, 3));
  expect(target.subarray(0, 3)).toEqual(Buffer.from([0x55, 0x55, 0x55]));
  return Uint8Array.from(target.subarray(3, end));
}

function decode(block: Uint8Array): readonly string[] | undefined {
  return new HpackDecoder({ maxHeaderBytes: 1_000_000, maxHeaderFields: 10_000 }).decode(
    Buffer.from(block),
    0,
    block.length,
  )?.list;
}

const latin1 = (text: string) => Buffer.from(text, "latin1").toString("hex");

// RFC 7541, section 6.
test.each([
  ["a name and a value of the static table", ["accept-encoding", "gzip"], `0f 01 04 ${latin1("gzip")}`],
  ["a name with index 15", ["accept-charset", "x"], "0f 00 01 78"],
  ["a name with index 61", ["www-authenticate", "x"], "0f 2e 01 78"],
  ["a name that the static table has not", ["grpc-status", "0"], `00 0b ${latin1("grpc-status")} 01 30`],
  ["an empty value", ["vary", ""], "0f 2c 00"],
  ["a value of 127 bytes", ["vary", "v".repeat(127)], `0f 2c 7f 00 ${latin1("v".repeat(127))}`],
  ["a value above 0x7f", ["vary", "\x80\xff\t "], "0f 2c 02 80 ff"],
  ["spaces and tabs around a value", ["vary", " \t a\t b \t"], `0f 2c 04 ${latin1("a\t b")}`],
  ["a value of spaces", ["vary", "  "], "0f 2c 00"],
  ["nothing", [], ""],
])("%s", (_, list, hex) => {
  expect(encode(list)).toEqual(Uint8Array.from(bytesOf(hex)));
});

test.each([
  ["of the static table", 200, "88"],
  ["that is the last one of the static table", 500, "8e"],
  ["that the static table has not", 201, `08 03 ${latin1("201")}`],
])("A status %s", (_, status, hex) => {
  expect(encode([], status)).toEqual(Uint8Array.from(bytesOf(hex)));
});

test("All statuses of 3 digits", () => {
  for (let status = 100; status <= 999; status++) {
    expect(decode(encode([], status))).toEqual([":status", String(status)]);
  }
});

test("Any list is decoded to itself", () => {
  const name = fc.stringMatching(/^[a-z0-9!#$%&'*+.^_`|~-]{1,200}$/);
  const value = fc
    .array(fc.integer({ min: 1, max: 255 }), { maxLength: 300 })
    .map((codes) => String.fromCharCode(...codes.filter((code) => code !== 10 && code !== 13)))
    .map((text) => text.replace(/^[ \t]+|[ \t]+$/g, ""));
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 10 }), (fields) => {
      const list = fields.flat();
      expect(decode(encode(list))).toEqual(list);
    }),
  );
});

// RFC 9113, section 8.2.1.
describe("A TypeError that names the header", () => {
  test.each([
    ...["", "A", "Content-Type", "a b", "a:", "é", "\u0161", "a\n", ":", ":x", ":Status", "a\0"],
    ...["(a)", "ab\x7f"],
  ])("The name %j", (name) => {
    const message = `${JSON.stringify(name)} is not a header name of HTTP/2`;
    expect(() => encode(["vary", "x", name, "secret"])).toThrow(new TypeError(message));
  });

  test.each([
    ...["\0", "\r", "\n", "a\nb", "a\r\nb: c", "\u0100", "a\u2028", "\ud83d\ude00", "\u010a"],
    ...["a\n", "\r\na"],
  ])("The value %j", (value) => {
    const message = "The value of the header x-secret has a character that HTTP does not allow";
    expect(() => encode(["vary", "x", "x-secret", value])).toThrow(new TypeError(message));
  });

  test.each(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"])(
    "%s",
    (name) => {
      expect(() => encode(["vary", "x", name, "close"])).toThrow(`HTTP/2 does not allow the header ${name}`);
    },
  );

  // A pseudo-header of an application would be a second one, or come after regular headers (section 8.3).
  test.each([
    [":status", [":status", "404"]],
    ["a pseudo-header of requests", [":path", "/"]],
    ["a pseudo-header after a regular header", ["te", "trailers", ":path", "/"]],
  ])("%s", (_, list) => {
    expect(() => encode(list)).toThrow(TypeError);
  });
});
