import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBase32, encodeBase32 } from "../../../src/tools/otp/base32.js";

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

const textOf = (octets: Uint8Array | undefined) => octets && Buffer.from(octets).toString("latin1");

describe("encodeBase32", () => {
  it.each(RFC_4648_VECTORS)("writes RFC 4648's %j as %s, without the padding", (text, base32) => {
    expect(encodeBase32(Buffer.from(text))).toBe(base32.replaceAll("=", ""));
  });

  it("writes the octets of a view, not those of the memory behind it", () => {
    expect(encodeBase32(Uint8Array.from(Buffer.from("xxfooxx")).subarray(2, 5))).toBe("MZXW6");
  });
});

describe("decodeBase32", () => {
  it.each(RFC_4648_VECTORS)("reads RFC 4648's vector for %j: %s", (text, base32) => {
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
  ])("refuses %s", (_, text) => {
    expect(decodeBase32(text)).toBeUndefined();
  });

  it("drops the bits beyond the last octet", () => {
    expect(textOf(decodeBase32("MZ"))).toBe("f");
    expect(textOf(decodeBase32("MZXW7==="))).toBe("foo");
  });

  it("reads back whatever encodeBase32 writes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (octets) => {
        expect(decodeBase32(encodeBase32(octets))).toEqual(octets);
      }),
    );
  });

  it("never throws", () => {
    const unit = fc.constantFrom(..."ABCXYZabcxyz234567=0189 -ıſ");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 24 }), (text) => {
        const octets = decodeBase32(text);
        const symbols = text.replace(/=+$/, "").length;
        expect(octets === undefined || octets.length === Math.floor((symbols * 5) / 8)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});
