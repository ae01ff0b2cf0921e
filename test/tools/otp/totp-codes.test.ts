import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Secret, TOTP } from "otpauth";
import { describe, expect, it } from "vitest";
import { totpCodes } from "../../../src/tools/otp/totp-codes.js";

const KEY = Buffer.from("12345678901234567890");

// https://www.rfc-editor.org/rfc/rfc4226#appendix-D
const RFC_4226_VECTORS = [
  "755224",
  "287082",
  "359152",
  "969429",
  "338314",
  "254676",
  "287922",
  "162583",
  "399871",
  "520489",
];

/** A code as RFC 4226, section 5.3 defines it, from a counter of eight octets. */
function hotp(key: Uint8Array, counter: bigint, digits: number): string {
  const octets = Buffer.alloc(8);
  octets.writeBigInt64BE(counter);
  const digest = createHmac("sha1", key).update(octets).digest();
  const value = digest.readUInt32BE((digest[19] ?? 0) % 16) % 2 ** 31;
  return String(value % 10 ** digits).padStart(digits, "0");
}

describe("totpCodes", () => {
  it("gives RFC 4226's vectors, a time step for each counter", () => {
    const codes = RFC_4226_VECTORS.map((_, counter) => totpCodes(KEY, 6, counter * 30_000).current);
    expect(codes).toEqual(RFC_4226_VECTORS);
  });

  it("gives the codes of the steps around the time", () => {
    expect(totpCodes(KEY, 6, 2 * 30_000)).toEqual({
      next: RFC_4226_VECTORS[3],
      current: RFC_4226_VECTORS[2],
      previous: RFC_4226_VECTORS[1],
      secondPrevious: RFC_4226_VECTORS[0],
    });
  });

  it.each([
    ["the first millisecond", 60_000],
    ["the last", 89_999],
    ["a fraction of one", 89_999.9],
  ])("stays with a step from its first millisecond to its last: %s", (_, time) => {
    expect(totpCodes(KEY, 6, time).current).toBe(RFC_4226_VECTORS[2]);
  });

  it("counts the steps before the epoch as negative numbers in two's complement", () => {
    expect(totpCodes(KEY, 8, 0)).toEqual({
      next: hotp(KEY, 1n, 8),
      current: hotp(KEY, 0n, 8),
      previous: hotp(KEY, -1n, 8),
      secondPrevious: hotp(KEY, -2n, 8),
    });
  });

  it("uses the octets of a view, not those of the memory behind it", () => {
    const view = Buffer.concat([Buffer.from("xx"), KEY, Buffer.from("xx")]).subarray(2, 22);
    expect(totpCodes(view, 6, 0).current).toBe(RFC_4226_VECTORS[0]);
  });

  it("agrees with RFC 4226 written out, and with otpauth's TOTP, for any key and time", () => {
    const keys = fc.uint8Array({ minLength: 10, maxLength: 80 });
    const times = fc.integer({ min: 0, max: 8_640_000_000_000_000 });
    fc.assert(
      fc.property(keys, fc.constantFrom(6 as const, 8 as const), times, (key, digits, time) => {
        const step = BigInt(Math.floor(time / 30_000));
        const codes = totpCodes(key, digits, time);
        expect(codes).toEqual({
          next: hotp(key, step + 1n, digits),
          current: hotp(key, step, digits),
          previous: hotp(key, step - 1n, digits),
          secondPrevious: hotp(key, step - 2n, digits),
        });
        const totp = new TOTP({ digits, secret: Secret.fromHex(Buffer.from(key).toString("hex")) });
        expect(totp.generate({ timestamp: time })).toBe(codes.current);
      }),
    );
  });
});
