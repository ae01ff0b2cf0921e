import fc from "fast-check";
import { Secret } from "otpauth";
import { describe, expect, it } from "vitest";
import { decodeBase32, encodeBase32 } from "../../../src/text/otp/base32.js";

// https://www.rfc-editor.org/rfc/rfc4648#section-10
const RFC_4648_VECTORS = [
  ["", ""],
  ["f", "MY======"],
  ["fo", "MZXQ===="],
  ["foo", "MZXW6==="],
  ["foob", "MZXW6YQ="],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI======"],
] as const;

const textOf = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString("latin1");

describe("encodeBase32", () => {
  it.each(RFC_4648_VECTORS)("encodes %j of RFC 4648 as %s, without padding", (text, base32) => {
    expect(encodeBase32(Buffer.from(text))).toBe(base32.replaceAll("=", ""));
  });

  it("encodes the bytes of a view, not of its buffer", () => {
    expect(encodeBase32(Uint8Array.from(Buffer.from("xxfooxx")).subarray(2, 5))).toBe("MZXW6");
  });
});

describe("decodeBase32", () => {
  it.each(RFC_4648_VECTORS)("decodes the vector of RFC 4648 for %j: %s", (text, base32) => {
    expect(textOf(decodeBase32(base32))).toBe(text);
    expect(textOf(decodeBase32(base32.replaceAll("=", "")))).toBe(text);
    expect(textOf(decodeBase32(base32.toLowerCase()))).toBe(text);
  });

  it.each([
    ["1 symbol", "M"],
    ["3 symbols", "MZX"],
    ["6 symbols", "MZXW6Y"],
    ["9 symbols", "MZXW6YTBO"],
    ["too little padding", "MY====="],
    ["too much padding", "MY======="],
    ["padding where none belongs", "MZXW6YTB="],
    ["a whole group of padding", "MZXW6YTB========"],
    ["padding alone", "="],
    ["padding in between", "MY======MY======"],
    ["padding in front", "=MZXW6YT"],
    ["the digits 0, 1, 8 and 9", "MZXW0189"],
    ["a space", "MZXW 6YTB"],
    ["a hyphen", "MZXW-6YT"],
    ["a line feed at the end", "MZXW6YTB\n"],
    ["a dotless i, whose upper case is I", "MZXW6YTı"],
    ["a long s, whose upper case is S", "MZXW6YTſ"],
    ["full-width letters", "ＭＺＸＷ６ＹＴＢ"],
  ])("rejects %s", (_, text) => {
    expect(decodeBase32(text)).toBeUndefined();
  });

  it("ignores the bits after the last byte", () => {
    expect(textOf(decodeBase32("MZ"))).toBe("f");
    expect(textOf(decodeBase32("MZXW7==="))).toBe("foo");
  });

  it("agrees with otpauth for any symbols, also with bits after the last byte", () => {
    const unit = fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz234567");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 128 }), (symbols) => {
        const isPossible = [0, 2, 4, 5, 7].includes(symbols.length % 8);
        expect(decodeBase32(symbols)).toEqual(isPossible ? Secret.fromBase32(symbols).bytes : undefined);
      }),
      { numRuns: 1000 },
    );
  });

  it("decodes the result of encodeBase32", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(decodeBase32(encodeBase32(bytes))).toEqual(bytes);
      }),
    );
  });

  it("never throws", () => {
    const unit = fc.constantFrom(..."ABCXYZabcxyz234567=0189 -ıſ");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 24 }), (text) => {
        const bytes = decodeBase32(text);
        const symbols = text.replace(/=+$/, "").length;
        expect(bytes === undefined || bytes.length === Math.floor((symbols * 5) / 8)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
