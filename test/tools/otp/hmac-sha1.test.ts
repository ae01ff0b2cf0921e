import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hmacSha1 } from "../../../src/tools/otp/hmac-sha1.js";

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

describe("hmacSha1", () => {
  it("computes test case 1 of RFC 2202, the one with a message of eight bytes", () => {
    const digest = hmacSha1(new Uint8Array(20).fill(0x0b))(Buffer.from("Hi There"));
    expect(hexOf(digest)).toBe("b617318655057264e28bc0b6fb378c8ef146be00");
  });

  it("agrees with node:crypto for keys of any length, also longer than a block", () => {
    const keys = fc.uint8Array({ maxLength: 200 });
    const counters = fc.uint8Array({ minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(keys, counters, (key, counter) => {
        const expected = createHmac("sha1", key).update(counter).digest("hex");
        expect(hexOf(hmacSha1(key)(counter))).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([0, 1, 63, 64, 65, 80])("agrees with node:crypto for a key of %i bytes", (length) => {
    const key = Uint8Array.from({ length }, (_, index) => 255 - index);
    const counter = Uint8Array.of(255, 254, 253, 252, 251, 250, 249, 248);
    expect(hexOf(hmacSha1(key)(counter))).toBe(createHmac("sha1", key).update(counter).digest("hex"));
  });

  it("keeps two keys apart that are used in turn", () => {
    const keys = ["first key", "second key"].map((text) => Buffer.from(text));
    const hmacs = keys.map(hmacSha1);
    for (const counter of [Buffer.alloc(8, 1), Buffer.alloc(8, 2)]) {
      const expected = keys.map((key) => createHmac("sha1", key).update(counter).digest("hex"));
      expect(hmacs.map((hmac) => hexOf(hmac(counter)))).toEqual(expected);
    }
  });
});
