import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Secret, TOTP } from "otpauth";
import { describe, expect, it } from "vitest";
import { hotpCodes, totpCodes } from "../../../src/tools/otp/codes.js";

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

/** Computes a code by RFC 4226, section 5.3, from a counter of eight bytes. */
function hotp(key: Uint8Array, counter: bigint, digits: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(counter);
  const digest = createHmac("sha1", key).update(bytes).digest();
  const value = digest.readUInt32BE((digest[19] ?? 0) % 16) % 2 ** 31;
  return String(value % 10 ** digits).padStart(digits, "0");
}

describe("totpCodes", () => {
  it("computes the vectors of RFC 4226, one time step per counter", () => {
    const codes = RFC_4226_VECTORS.map((_, counter) => totpCodes(KEY, 6, counter * 30_000).current);
    expect(codes).toEqual(RFC_4226_VECTORS);
  });

  it("returns the codes of the time steps around the time", () => {
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
  ])("returns the same codes from the first millisecond of a step to its last: %s", (_, time) => {
    expect(totpCodes(KEY, 6, time).current).toBe(RFC_4226_VECTORS[2]);
  });

  it("counts steps before the epoch as negative numbers in two's complement", () => {
    expect(totpCodes(KEY, 8, 0)).toEqual({
      next: hotp(KEY, 1n, 8),
      current: hotp(KEY, 0n, 8),
      previous: hotp(KEY, -1n, 8),
      secondPrevious: hotp(KEY, -2n, 8),
    });
  });

  it("uses the bytes of a view, not of its buffer", () => {
    const view = Buffer.concat([Buffer.from("xx"), KEY, Buffer.from("xx")]).subarray(2, 22);
    expect(totpCodes(view, 6, 0).current).toBe(RFC_4226_VECTORS[0]);
  });

  it("agrees with RFC 4226 and with otpauth's TOTP for any key and time", () => {
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

// https://www.rfc-editor.org/rfc/rfc6238#appendix-B with the seeds of its errata: as many bytes as the hash has.
const RFC_6238_VECTORS = [
  [59, "94287082", "46119246", "90693936"],
  [1111111109, "07081804", "68084774", "25091201"],
  [1111111111, "14050471", "67062674", "99943326"],
  [1234567890, "89005924", "91819424", "93441116"],
  [2000000000, "69279037", "90698825", "38618901"],
  [20000000000, "65353130", "77737706", "47863826"],
] as const;

describe("totpCodes with options", () => {
  const seed = (size: number) => Buffer.from("1234567890".repeat(7).slice(0, size));

  it.each(RFC_6238_VECTORS)("computes the vectors of RFC 6238 at %i s", (seconds, sha1, sha256, sha512) => {
    const at = (size: number, algorithm: "SHA1" | "SHA256" | "SHA512") =>
      totpCodes(seed(size), 8, seconds * 1000, { algorithm }).current;
    expect([at(20, "SHA1"), at(32, "SHA256"), at(64, "SHA512")]).toEqual([sha1, sha256, sha512]);
  });

  it.each([1, 15, 60, 86_400])("has steps of %i seconds", (period) => {
    expect(totpCodes(KEY, 6, 2 * period * 1000, { period })).toEqual({
      next: RFC_4226_VECTORS[3],
      current: RFC_4226_VECTORS[2],
      previous: RFC_4226_VECTORS[1],
      secondPrevious: RFC_4226_VECTORS[0],
    });
    expect(totpCodes(KEY, 6, 3 * period * 1000 - 1, { period }).current).toBe(RFC_4226_VECTORS[2]);
  });
});

describe("hotpCodes", () => {
  it("computes the vectors of RFC 4226", () => {
    expect(hotpCodes(KEY, 6, 0)).toEqual(RFC_4226_VECTORS.map((code, counter) => ({ counter, code })));
  });

  it("starts at the counter, also at the largest one", () => {
    expect(hotpCodes(KEY, 6, 4)[0]).toEqual({ counter: 4, code: RFC_4226_VECTORS[4] });
    const last = hotpCodes(KEY, 8, 2_147_483_647).at(-1);
    expect(last).toEqual({ counter: 2_147_483_656, code: hotp(KEY, 2_147_483_656n, 8) });
  });

  it("computes the same codes as time steps with other algorithms", () => {
    const [first] = hotpCodes(KEY, 8, 7, "SHA512");
    expect(first?.code).toBe(totpCodes(KEY, 8, 7 * 30_000, { algorithm: "SHA512" }).current);
  });
});
