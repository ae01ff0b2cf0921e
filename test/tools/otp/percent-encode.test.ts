import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { percentEncode } from "../../../src/tools/otp/percent-encode.js";

describe("percentEncode", () => {
  it.each([
    ["the unreserved characters of RFC 3986, as they are", "AZaz09-._~", "AZaz09-._~"],
    ["its gen-delims", ":/?#[]@", "%3A%2F%3F%23%5B%5D%40"],
    ["its sub-delims", "!$&'()*+,;=", "%21%24%26%27%28%29%2A%2B%2C%3B%3D"],
    ["a space, never as a plus sign", "a b", "a%20b"],
    ["a percent sign", "100%", "100%25"],
    ["two octets", "é", "%C3%A9"],
    ["four octets", "😀", "%F0%9F%98%80"],
  ])("writes %s", (_, text, encoded) => {
    expect(percentEncode(text)).toBe(encoded);
  });

  it("uses unreserved characters and triplets alone, and is undone by decoding", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const encoded = percentEncode(text);
        expect(encoded).toMatch(/^(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})*$/);
        expect(decodeURIComponent(encoded)).toBe(text);
      }),
    );
  });
});
