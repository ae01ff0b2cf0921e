import { createHmac, randomBytes } from "node:crypto";
import fc from "fast-check";
import { Secret, TOTP } from "otpauth";
import { describe, expect, it } from "vitest";
import { generateSecret } from "../../../src/tools/otp/generate-otp.js";
import {
  decodeBase32,
  encodeBase32,
  MAX_SECRET_LENGTH,
  parseDigits,
  parseSecret,
  totpCodes,
} from "../../../src/tools/otp/totp.js";

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

describe("parseDigits", () => {
  it.each([
    [undefined, 6],
    [6, 6],
    [8, 8],
  ])("reads %s as %i", (digits, value) => {
    expect(parseDigits(digits)).toEqual({ ok: true, value });
  });

  it.each([0, 1, 5, 7, 9, 10, -6, 2 ** 31 - 1, -(2 ** 31)])("rejects %i", (digits) => {
    expect(parseDigits(digits)).toEqual({
      ok: false,
      failure: { reason: "INVALID_DIGITS", description: `must be 6 or 8, is ${digits}` },
    });
  });
});

const NOT_BASE32 =
  "must be base32 (RFC 4648): letters A to Z and digits 2 to 7, with a length that encodes whole bytes, " +
  "with complete = padding at the end or none";

describe("parseSecret", () => {
  it.each([
    ["as it was generated", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "12345678901234567890"],
    ["in lower case", "gezdgnbvgy3tqojqgezdgnbvgy3tqojq", "12345678901234567890"],
    ["in groups", "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ", "12345678901234567890"],
    ["with spaces around", "  GEZDGNBVGY3TQOJQ ", "1234567890"],
    ["of 80 bits, the fewest", "GEZDGNBVGY3TQOJQ", "1234567890"],
    ["of 88 bits, with padding", "GEZDGNBVGY3TQOJQGE======", "12345678901"],
    ["of 88 bits, without", "GEZDGNBVGY3TQOJQGE", "12345678901"],
    ["with spaces in the padding", "GEZD GNBV GY3T QOJQ GE== ====", "12345678901"],
    ["of 128 characters, the most", "GEZDGNBVGY3TQOJQ".repeat(8), "1234567890".repeat(8)],
  ])("decodes a secret %s", (_, text, key) => {
    expect(parseSecret(text)).toEqual({ ok: true, value: new Uint8Array(Buffer.from(key)) });
  });

  it.each([
    ["nothing", "", "REQUIRED", "is required: the shared secret in base32"],
    ["spaces alone", "   ", "REQUIRED", "is required: the shared secret in base32"],
    [
      "129 characters",
      "A".repeat(129),
      "SECRET_TOO_LONG",
      `must have at most ${MAX_SECRET_LENGTH} characters, has 129`,
    ],
    ["129 spaces", " ".repeat(129), "SECRET_TOO_LONG", "must have at most 128 characters, has 129"],
    [
      "72 bits",
      "GEZDGNBVGY3TQOI=",
      "SECRET_TOO_SHORT",
      "must have at least 80 bits (16 characters of base32), has 72",
    ],
    ["8 bits", "ge", "SECRET_TOO_SHORT", "must have at least 80 bits (16 characters of base32), has 8"],
    ["a length that no number of bytes encodes to", "GEZDGNBVGY3TQOJQG", "SECRET_NOT_BASE32", NOT_BASE32],
    ["a secret that lost two characters", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQO", "SECRET_NOT_BASE32", NOT_BASE32],
    ["a short one that is not base32", "abc1", "SECRET_NOT_BASE32", NOT_BASE32],
    ["padding alone", "========", "SECRET_NOT_BASE32", NOT_BASE32],
    ["padding that is too short", "GEZDGNBVGY3TQOJQGE=", "SECRET_NOT_BASE32", NOT_BASE32],
    ["padding in between", "GEZDGNBVGY3TQOJQGE======GEZDGNBV", "SECRET_NOT_BASE32", NOT_BASE32],
    ["the digits 0, 1, 8 and 9", "0189GNBVGY3TQOJQ", "SECRET_NOT_BASE32", NOT_BASE32],
    ["hyphens", "GEZD-GNBV-GY3T-QOJQ", "SECRET_NOT_BASE32", NOT_BASE32],
    ["a tab", "GEZDGNBV\tGY3TQOJQ", "SECRET_NOT_BASE32", NOT_BASE32],
    ["a no-break space", "GEZDGNBV\u00a0GY3TQOJQ", "SECRET_NOT_BASE32", NOT_BASE32],
    ["a lone surrogate", "GEZDGNBVGY3TQOJ\ud800", "SECRET_NOT_BASE32", NOT_BASE32],
    ["hexadecimal", "3132333435363738393031323334353637383930", "SECRET_NOT_BASE32", NOT_BASE32],
  ])("rejects %s", (_, text, reason, description) => {
    expect(parseSecret(text)).toEqual({ ok: false, failure: { reason, description } });
  });

  it("decodes the secrets of generateSecret", () => {
    for (let i = 0; i < 1000; i++) {
      const bytes = randomBytes(20);
      const parsed = parseSecret(generateSecret(() => bytes));
      expect(parsed).toEqual({ ok: true, value: new Uint8Array(bytes) });
    }
  });

  it("never throws, and has the same description for all texts with the same failure", () => {
    const unit = fc.oneof(
      fc.constantFrom(..."ABCXYZ234567= "),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 140 }), (text) => {
        const parsed = parseSecret(text);
        if (!parsed.ok) {
          // Only numbers differ, so no part of a secret is in the description.
          expect([
            "is required: the shared secret in base#",
            "must have at most # characters, has #",
            NOT_BASE32.replace(/\d+/g, "#"),
            "must have at least # bits (# characters of base#), has #",
          ]).toContain(parsed.failure.description.replace(/\d+/g, "#"));
        }
      }),
      { numRuns: 2000 },
    );
  });
});

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
