import fc from "fast-check";
import { expect, test } from "vitest";
import { huffmanDecode } from "../../../src/http2/hpack/huffman.js";
import { bytesOf, bytesOfBits } from "./bytes.js";
import { HUFFMAN_CODES } from "./huffman-codes.js";

function encode(text: string): Uint8Array {
  return bytesOfBits(Array.from(text, (character) => HUFFMAN_CODES[character.charCodeAt(0)] ?? "").join(""));
}

function decode(bytes: Uint8Array): string | undefined {
  return huffmanDecode(bytes, 0, bytes.length);
}

const ALL_BYTES = HUFFMAN_CODES.map((code, byte) => ({ byte, code }));

test("The table of codes has 256 entries", () => {
  expect(ALL_BYTES).toHaveLength(256);
});

test.each(ALL_BYTES)("Byte $byte has the code $code", ({ byte, code }) => {
  const text = String.fromCharCode(byte);
  const bytes = bytesOfBits(code);
  expect(decode(bytes)).toBe(text);
  // After another symbol each bit has another position.
  for (const other of ["0", "%", ":", "Z"]) {
    const both = bytesOfBits((HUFFMAN_CODES[other.charCodeAt(0)] ?? "") + code);
    expect(decode(both)).toBe(other + text);
  }
});

test("Any text has the same form after it was encoded and decoded", () => {
  const text = fc
    .array(fc.integer({ min: 0, max: 255 }), { maxLength: 10_000, size: "+1" })
    .map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(text, (original) => {
      const bytes = encode(original);
      expect(decode(bytes)).toBe(original);
    }),
  );
});

test("Only the bytes from start to end are decoded", () => {
  expect(huffmanDecode(bytesOf("00 f1e3c2e5f23a6ba0ab90f4ff 00"), 1, 13)).toBe("www.example.com");
  expect(huffmanDecode(bytesOf("00"), 1, 1)).toBe("");
});

// "a" has the code 00011; RFC 7541, section 5.2.
test.each([
  ["padding of 3 zeros", "00011 000"],
  ["padding that is not all ones", "00011 110"],
  ["padding of 8 bits", "11111111"],
  ["padding of 8 bits after a symbol of 8 bits", "11111000 11111111"],
  ["padding of 11 bits", "00011 11111111111"],
  ["padding of 16 bits", "11111111 11111111"],
  ["padding of 24 bits", "11111111 11111111 11111111"],
  ["a symbol that is cut off", "11111110"],
  ["EOS", `${"1".repeat(30)} 11`],
  ["EOS after a symbol", `00011 ${"1".repeat(30)} 11111`],
  ["EOS before a symbol", `${"1".repeat(30)} 00011 11111`],
])("%s is invalid", (_, bits) => {
  expect(decode(bytesOfBits(bits.replaceAll(" ", "")))).toBeUndefined();
});

test.each([
  ["0 bits", "11111000", "&"],
  ["1 bit", "1011100 1", ":"],
  ["2 bits", "010100 11", " "],
  ["3 bits", "00011 111", "a"],
  ["7 bits after 5 symbols of 5 bits", "00011 00011 00011 00011 00011 1111111", "aaaaa"],
])("Padding of %s is valid", (_, bits, text) => {
  expect(decode(bytesOfBits(bits.replaceAll(" ", "")))).toBe(text);
});
