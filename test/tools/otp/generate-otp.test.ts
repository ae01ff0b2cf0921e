import { randomBytes } from "node:crypto";
import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { HOTP, URI } from "otpauth";
import { describe, expect, it } from "vitest";
import { renderPng } from "../../../src/tools/barcode/png.js";
import { qrCode } from "../../../src/tools/barcode/qr-code.js";
import {
  generateOtp,
  generateSecret,
  MAX_OTP_URL_LENGTH,
  type OtpRequest,
  qrcodeUrl,
} from "../../../src/tools/otp/generate-otp.js";
import { rasterOfPng, readQrCode } from "../barcode/decode.js";

const deps = { randomBytes: () => Buffer.from("12345678901234567890"), maxUrlLength: MAX_OTP_URL_LENGTH };
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

/** Returns the field and the reason of every failure of a request. */
function failuresOf(request: OtpRequest): string[] {
  const generated = generateOtp(request, deps);
  return generated.ok ? [] : generated.failure.map(({ field, reason }) => `${field} ${reason}`);
}

describe("generateOtp", () => {
  it("generates a secret and its key URI", () => {
    expect(generateOtp({ label: "alice", issuer: "ACME", digits: 8 }, deps)).toEqual({
      ok: true,
      value: {
        secret: SECRET,
        otpUrl: `otpauth://totp/ACME:alice?secret=${SECRET}&issuer=ACME&algorithm=SHA1&digits=8&period=30`,
        digits: 8,
        algorithm: "SHA1",
        period: 30,
        counter: 0,
      },
    });
  });

  it("defaults to six digits", () => {
    expect(generateOtp({ label: "", issuer: "" }, deps)).toEqual({
      ok: true,
      value: {
        secret: SECRET,
        otpUrl: `otpauth://totp/Account?secret=${SECRET}&issuer=&algorithm=SHA1&digits=6&period=30`,
        digits: 6,
        algorithm: "SHA1",
        period: 30,
        counter: 0,
      },
    });
  });

  it("generates the URI of a counter-based account, which otpauth parses", () => {
    const generated = generateOtp(
      { type: "hotp", label: "alice", issuer: "ACME", algorithm: "SHA256", counter: 7 },
      deps,
    );
    const otpUrl = generated.ok ? generated.value.otpUrl : "";
    expect(otpUrl).toBe(
      `otpauth://hotp/ACME:alice?secret=${SECRET}&issuer=ACME&algorithm=SHA256&digits=6&counter=7`,
    );
    const parsed = URI.parse(otpUrl);
    expect(parsed).toBeInstanceOf(HOTP);
    expect(parsed).toMatchObject({ label: "alice", issuer: "ACME", algorithm: "SHA256", counter: 7 });
  });

  it("generates a new secret each time", () => {
    const request = { label: "alice", issuer: "ACME" };
    const secrets = Array.from({ length: 100 }, () => {
      const generated = generateOtp(request, { randomBytes, maxUrlLength: MAX_OTP_URL_LENGTH });
      return generated.ok ? generated.value.secret : "";
    });
    expect(new Set(secrets).size).toBe(100);
  });

  it.each([
    ["128 ASCII letters each", "a".repeat(128), "b".repeat(128)],
    ["128 spaces each", " ".repeat(128), " ".repeat(128)],
    ["128 Cyrillic letters as label", "я".repeat(128), "ACME"],
    ["128 emoji as label", "😀".repeat(128), ""],
    ["50 Chinese characters each", "山".repeat(50), "山".repeat(50)],
    ["what fits to the last character", `${"山".repeat(76)}aaaaaa`, "山".repeat(70)],
  ])("generates a URI whose QR code can be decoded, with %s", (_, label, issuer) => {
    const generated = generateOtp({ label, issuer }, deps);
    const otpUrl = generated.ok ? generated.value.otpUrl : "";
    const code = qrCode(otpUrl);
    expect(code.ok ? readQrCode(rasterOfPng(renderPng(code.value))) : code.failure).toBe(otpUrl);
  });

  it("accepts exactly as many characters as fit", () => {
    // Every URI with an issuer has 98 other characters, and nine for each of these Chinese characters: 1,950 remain.
    const issuer = "山".repeat(70);
    const longest = generateOtp({ label: `${"山".repeat(76)}aaaaaa`, issuer }, deps);
    expect(longest.ok ? longest.value.otpUrl.length : 0).toBe(2048);
    expect(failuresOf({ label: `${"山".repeat(76)}aaaaaaa`, issuer })).toEqual(["issuer OTP_URL_TOO_LONG"]);
  });

  it("rejects what does not fit in a QR code, and reports the longer part", () => {
    expect(generateOtp({ label: "a", issuer: "😀".repeat(128) }, deps)).toEqual({
      ok: false,
      failure: [
        {
          field: "issuer",
          reason: "OTP_URL_TOO_LONG",
          description:
            "must be shorter: otp_url would have 3171 characters, and its QR code holds at most 2048. The label " +
            "stands in it once and the issuer twice; each character other than A-Z, a-z, 0-9, -, ., _ and ~ " +
            "takes 3 to 12 there",
        },
      ],
    });
    expect(failuresOf({ label: "😀".repeat(128), issuer: "😀".repeat(40) })).toEqual([
      "label OTP_URL_TOO_LONG",
    ]);
  });

  it.each([
    ["0 digits", { label: "", issuer: "", digits: 0 }, ["digits INVALID_DIGITS"]],
    [
      "unknown options",
      { label: "", issuer: "", algorithm: "MD5", period: 0, counter: -1 },
      ["algorithm INVALID_ALGORITHM", "period INVALID_PERIOD", "counter INVALID_COUNTER"],
    ],
    ["a colon in both", { label: "a:b", issuer: ":" }, ["label COLON", "issuer COLON"]],
    ["a long label", { label: "a".repeat(129), issuer: "" }, ["label TOO_LONG"]],
    ["a control character in the issuer", { label: "", issuer: "\n" }, ["issuer CONTROL_CHARACTER"]],
    ["a lone surrogate in the label", { label: "\ud800", issuer: "" }, ["label LONE_SURROGATE"]],
    [
      "everything at once",
      { label: `\ud800${"a".repeat(128)}`, issuer: "\u0000\udfff", digits: 7 },
      [
        "label TOO_LONG",
        "label LONE_SURROGATE",
        "issuer CONTROL_CHARACTER",
        "issuer LONE_SURROGATE",
        "digits INVALID_DIGITS",
      ],
    ],
    [
      "a URI that is too long, and digits",
      { label: "", issuer: "😀".repeat(128), digits: 7 },
      ["issuer OTP_URL_TOO_LONG", "digits INVALID_DIGITS"],
    ],
  ])("rejects %s", (_, request, failures) => {
    expect(failuresOf(request)).toEqual(failures);
  });

  it("never throws, and only returns URIs that fit in a QR code", () => {
    const names = fc.oneof(
      fc.string({ unit: ANY_CHARACTER, maxLength: 140 }),
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
      fc.integer({ min: 100, max: 128 }).map((length) => "山".repeat(length)),
    );
    fc.assert(
      fc.property(names, names, fc.constantFrom(undefined, 6, 8), (label, issuer, digits) => {
        const generated = generateOtp({ label, issuer, digits }, deps);
        expect(generated.ok ? generated.value.otpUrl.length : 0).toBeLessThanOrEqual(MAX_OTP_URL_LENGTH);
      }),
      { numRuns: 500 },
    );
  });
});

describe("generateSecret", () => {
  it("encodes 20 random bytes as 32 characters of base32", () => {
    const sizes: number[] = [];
    const secret = generateSecret((size) => {
      sizes.push(size);
      return Buffer.from("12345678901234567890");
    });
    expect(sizes).toEqual([20]);
    expect(secret).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
  });

  it("generates 10,000 different secrets from real random bytes", () => {
    const secrets = Array.from({ length: 10_000 }, () => generateSecret(randomBytes));
    expect(new Set(secrets).size).toBe(10_000);
    expect(secrets.filter((secret) => !/^[A-Z2-7]{32}$/.test(secret))).toEqual([]);
  });

  it("uses every symbol of the alphabet at every position", () => {
    const seen = Array.from({ length: 32 }, () => new Set<string>());
    for (let i = 0; i < 2000; i++) {
      for (const [place, symbol] of [...generateSecret(randomBytes)].entries()) {
        seen[place]?.add(symbol);
      }
    }
    // The probability that one of 32 × 32 is missing after 2,000 secrets is about 10^-24.
    expect(seen.map((symbols) => symbols.size)).toEqual(Array.from({ length: 32 }, () => 32));
  });
});

describe("qrcodeUrl", () => {
  it("encodes the whole text as one parameter", () => {
    expect(qrcodeUrl("https://tools.example", "otpauth://totp/A%20B:c?secret=X&issuer=A%20B")).toBe(
      "https://tools.example/v1/barcode?type=qr_code" +
        "&data=otpauth%3A%2F%2Ftotp%2FA%2520B%3Ac%3Fsecret%3DX%26issuer%3DA%2520B",
    );
  });
});
