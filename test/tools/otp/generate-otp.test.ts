import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DATA_LENGTH, qrCode } from "../../../src/tools/barcode/qr-code.js";
import { renderPng } from "../../../src/tools/barcode/render-png.js";
import { generateOtp, type OtpRequest } from "../../../src/tools/otp/generate-otp.js";
import { rasterOfPng, readQrCode } from "../barcode/decode.js";

const deps = { randomBytes: () => Buffer.from("12345678901234567890"), maxUrlLength: MAX_DATA_LENGTH };
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

/** Field and reason of everything that is wrong with a request. */
function failuresOf(request: OtpRequest): string[] {
  const generated = generateOtp(request, deps);
  return generated.ok ? [] : generated.failure.map(({ field, reason }) => `${field} ${reason}`);
}

describe("generateOtp", () => {
  it("makes a secret and its key URI", () => {
    expect(generateOtp({ label: "alice", issuer: "ACME", digits: 8 }, deps)).toEqual({
      ok: true,
      value: {
        secret: SECRET,
        otpUrl: `otpauth://totp/ACME:alice?secret=${SECRET}&issuer=ACME&algorithm=SHA1&digits=8&period=30`,
        digits: 8,
      },
    });
  });

  it("makes codes of six digits where the request does not say", () => {
    expect(generateOtp({ label: "", issuer: "" }, deps)).toEqual({
      ok: true,
      value: {
        secret: SECRET,
        otpUrl: `otpauth://totp/?secret=${SECRET}&issuer=&algorithm=SHA1&digits=6&period=30`,
        digits: 6,
      },
    });
  });

  it("gives a new secret each time", () => {
    const request = { label: "alice", issuer: "ACME" };
    const secrets = Array.from({ length: 100 }, () => {
      const generated = generateOtp(request, { randomBytes, maxUrlLength: MAX_DATA_LENGTH });
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
  ])("makes a URI whose QR code is read back, of %s", (_, label, issuer) => {
    const generated = generateOtp({ label, issuer }, deps);
    const otpUrl = generated.ok ? generated.value.otpUrl : "";
    const code = qrCode(otpUrl);
    expect(code.ok ? readQrCode(rasterOfPng(renderPng(code.value))) : code.failure).toBe(otpUrl);
  });

  it("allows as many characters as fit, to the last", () => {
    // 98 characters of every URI with an issuer, and nine for each of these Chinese characters.
    const issuer = "山".repeat(70);
    const longest = generateOtp({ label: `${"山".repeat(76)}aaaaaa`, issuer }, deps);
    expect(longest.ok ? longest.value.otpUrl.length : 0).toBe(2048);
    expect(failuresOf({ label: `${"山".repeat(76)}aaaaaaa`, issuer })).toEqual(["issuer OTP_URL_TOO_LONG"]);
  });

  it("refuses what would not fit in a QR code, and blames the longer part", () => {
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
  ])("refuses %s", (_, request, failures) => {
    expect(failuresOf(request)).toEqual(failures);
  });

  it("never throws, and every URI that it gives fits in a QR code", () => {
    const names = fc.oneof(
      fc.string({ unit: "binary", maxLength: 140 }),
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
      fc.integer({ min: 100, max: 128 }).map((length) => "山".repeat(length)),
    );
    fc.assert(
      fc.property(names, names, fc.constantFrom(undefined, 6, 8), (label, issuer, digits) => {
        const generated = generateOtp({ label, issuer, digits }, deps);
        expect(generated.ok ? generated.value.otpUrl.length : 0).toBeLessThanOrEqual(MAX_DATA_LENGTH);
      }),
      { numRuns: 500 },
    );
  });
});
