import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HpackDecoder } from "../../../src/http2/hpack/decoder.js";
import { encodeHeaders } from "../../../src/http2/hpack/encoder.js";
import { bytesOf } from "./bytes.js";

function encode(list: readonly string[]): Uint8Array {
  const target = Buffer.alloc(100_000, 0x55);
  const end = encodeHeaders(list, target, 3);
  expect(target.subarray(0, 3)).toEqual(Buffer.from([0x55, 0x55, 0x55]));
  return Uint8Array.from(target.subarray(3, end));
}

function decode(block: Uint8Array): readonly string[] | undefined {
  return new HpackDecoder({ maxListSize: 1_000_000, maxFields: 10_000 }).decode(block, 0, block.length)?.list;
}

const latin1 = (text: string) => Buffer.from(text, "latin1").toString("hex");

// RFC 7541, section 6.
test.each([
  ["a status of the static table", [":status", "200"], "88"],
  ["another status", [":status", "201"], `08 03 ${latin1("201")}`],
  ["a name and a value of the static table", ["accept-encoding", "gzip, deflate"], "90"],
  ["a name with an index below 15", [":status", "302"], `08 03 ${latin1("302")}`],
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
  expect(encode(list)).toEqual(bytesOf(hex));
});

test("All statuses of 3 digits", () => {
  for (let status = 100; status <= 999; status++) {
    const list = [":status", String(status)];
    expect(decode(encode(list))).toEqual(list);
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

test("A target that is too short", () => {
  const list = [":status", "200", "grpc-status", "0"];
  const { length } = encode(list);
  for (let size = 0; size < length; size++) expect(encodeHeaders(list, new Uint8Array(size), 0)).toBe(-1);
  for (let size = length; size < 100; size++) {
    expect([-1, length]).toContain(encodeHeaders(list, new Uint8Array(size), 0));
  }
  expect(encodeHeaders(list, new Uint8Array(100), 0)).toBe(length);
  expect(encodeHeaders(list, new Uint8Array(100), 90)).toBe(-1);
});

// RFC 9113, section 8.2.1.
describe("A TypeError that names the header", () => {
  test.each([
    "",
    "A",
    "Content-Type",
    "a b",
    "a:",
    "é",
    "\u0161",
    "a\n",
    ":",
    ":x",
    ":Status",
    "a\0",
    "(a)",
    "ab\x7f",
  ])("The name %j", (name) => {
    const message = `${JSON.stringify(name)} is not a header name of HTTP/2`;
    expect(() => encode(["vary", "x", name, "secret"])).toThrow(new TypeError(message));
  });

  test.each([
    "\0",
    "\r",
    "\n",
    "a\nb",
    "a\r\nb: c",
    "\u0100",
    "a\u2028",
    "\ud83d\ude00",
    "\u010a",
    "a\n",
    "\r\na",
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
    ["a second :status", [":status", "200", ":status", "404"]],
    ["a pseudo-header of requests in a response", [":status", "200", ":path", "/"]],
    ["a pseudo-header after a regular header", [":method", "GET", "te", "trailers", ":path", "/"]],
    [":status after a pseudo-header of requests", [":path", "/", ":status", "200"]],
  ])("%s", (_, list) => {
    expect(() => encode(list)).toThrow(TypeError);
  });

  test("The pseudo-headers of a request are allowed", () => {
    const list = [":method", "GET", ":scheme", "http", ":path", "/", ":authority", "a", "te", "trailers"];
    expect(decode(encode(list))).toEqual(list);
  });
});
