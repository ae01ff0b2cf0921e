import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_SECRET_LENGTH, parseSecret } from "../../../src/text/otp/secret.js";
import { generateSecret } from "../../../src/tools/otp/generate-otp.js";

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
    ["with hyphens", "GEZD-GNBV-GY3T-QOJQ", "1234567890"],
    ["with tabs and line breaks", "\tGEZD\r\nGNBV\tGY3T\nQOJQ", "1234567890"],
    ["with no-break spaces", "GEZD\u00a0GNBV\u202fGY3T\u00a0QOJQ", "1234567890"],
    ["with other hyphens and zero-width spaces", "GEZD\u2011GNBV\u2013GY3T\u200bQOJQ\ufeff", "1234567890"],
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
    [
      "127 spaces between",
      `A${" ".repeat(127)}A`,
      "SECRET_TOO_LONG",
      "must have at most 128 characters, has 129",
    ],
    [
      "72 bits",
      "GEZDGNBVGY3TQOI=",
      "SECRET_TOO_SHORT",
      "must have at least 16 characters of base32 (80 bits), has 15",
    ],
    ["8 bits", "ge", "SECRET_TOO_SHORT", "must have at least 16 characters of base32 (80 bits), has 2"],
    ["a length that no number of bytes encodes to", "GEZDGNBVGY3TQOJQG", "SECRET_NOT_BASE32", NOT_BASE32],
    ["a secret that lost two characters", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQO", "SECRET_NOT_BASE32", NOT_BASE32],
    ["a short one that is not base32", "abc1", "SECRET_NOT_BASE32", NOT_BASE32],
    ["padding alone", "========", "SECRET_NOT_BASE32", NOT_BASE32],
    ["padding that is too short", "GEZDGNBVGY3TQOJQGE=", "SECRET_NOT_BASE32", NOT_BASE32],
    ["padding in between", "GEZDGNBVGY3TQOJQGE======GEZDGNBV", "SECRET_NOT_BASE32", NOT_BASE32],
    ["the digits 0, 1, 8 and 9", "0189GNBVGY3TQOJQ", "SECRET_NOT_BASE32", NOT_BASE32],
    ["a lone surrogate", "GEZDGNBVGY3TQOJ\ud800", "SECRET_NOT_BASE32", NOT_BASE32],
    ["a full stop", "GEZD.GNBV.GY3T.QOJQ", "SECRET_NOT_BASE32", NOT_BASE32],
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

  const DESCRIPTIONS = [
    "is required: the shared secret in base#",
    "must have at most # characters, has #",
    NOT_BASE32.replace(/\d+/g, "#"),
    "must have at least # characters of base# (# bits), has #",
  ];
  it("never throws, and has the same description for all texts with the same failure", () => {
    const unit = fc.oneof(
      fc.constantFrom(..."ABCXYZ234567= "),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 140 }), (text) => {
        const parsed = parseSecret(text);
        // Only numbers differ, so no part of a secret is in the description.
        return parsed.ok || DESCRIPTIONS.includes(parsed.failure.description.replace(/\d+/g, "#"));
      }),
      { numRuns: 2000 },
    );
  });
});
