import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { TOTP, URI } from "otpauth";
import { describe, expect, it } from "vitest";
import { renderPng } from "../../../src/tools/barcode/png.js";
import { MAX_DATA_LENGTH, qrCode } from "../../../src/tools/barcode/qr-code.js";
import {
  checkName,
  generateOtp,
  generateSecret,
  keyUri,
  MAX_NAME_LENGTH,
  type OtpRequest,
  percentEncode,
  qrcodeUrl,
} from "../../../src/tools/otp/generate-otp.js";
import { rasterOfPng, readQrCode } from "../barcode/decode.js";

const deps = { randomBytes: () => Buffer.from("12345678901234567890"), maxUrlLength: MAX_DATA_LENGTH };
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
      },
    });
  });

  it("defaults to six digits", () => {
    expect(generateOtp({ label: "", issuer: "" }, deps)).toEqual({
      ok: true,
      value: {
        secret: SECRET,
        otpUrl: `otpauth://totp/?secret=${SECRET}&issuer=&algorithm=SHA1&digits=6&period=30`,
        digits: 6,
      },
    });
  });

  it("generates a new secret each time", () => {
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

const TOO_LONG = { reason: "TOO_LONG", description: `must have at most ${MAX_NAME_LENGTH} characters` };
const CONTROL_CHARACTER = {
  reason: "CONTROL_CHARACTER",
  description: "must not contain control characters (U+0000 to U+001F, U+007F to U+009F)",
};
const DIRECTION = {
  reason: "CONTROL_CHARACTER",
  description:
    "must not contain characters that control the direction of text " +
    "(U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069)",
};
const LONE_SURROGATE = {
  reason: "LONE_SURROGATE",
  description: "must be well-formed Unicode, contains half of a surrogate pair",
};

describe("checkName", () => {
  it.each([
    ["nothing", ""],
    ["an e-mail address", "john.doe@example.com"],
    ["128 characters", "a".repeat(128)],
    ["128 characters of two units each", "😀".repeat(128)],
    ["colons, spaces, slashes and signs", " a:b/c?d#e%20f&g=h+i "],
    ["the neighbors of the control characters", "\u0020\u007e\u00a0"],
    ["separators and joiners, which are no control characters", "\u2028\u2029\u200b\u200d"],
    ["the neighbors of the characters for directions", "\u061b\u061d\u2010\u202f\u2065\u206a"],
    ["text from right to left", "\u05e9\u05dc\u05d5\u05dd"],
  ])("accepts %s", (_, name) => {
    expect(checkName(name)).toEqual([]);
  });

  it.each([
    ["129 characters", "a".repeat(129), [TOO_LONG]],
    ["129 characters of two units each", "😀".repeat(129), [TOO_LONG]],
    ["a megabyte", "a".repeat(1 << 20), [TOO_LONG]],
    ["NUL", "a\u0000b", [CONTROL_CHARACTER]],
    ["a line feed at the end", "a\n", [CONTROL_CHARACTER]],
    ["U+001F", "\u001f", [CONTROL_CHARACTER]],
    ["U+007F", "\u007f", [CONTROL_CHARACTER]],
    ["U+009F", "\u009f", [CONTROL_CHARACTER]],
    ["a right-to-left override", "Bank\u202eknaB", [DIRECTION]],
    ["a left-to-right mark at the end", "a\u200e", [DIRECTION]],
    ["an isolate", "\u2066a", [DIRECTION]],
    ["the Arabic letter mark and a line feed", "\u061c\n", [CONTROL_CHARACTER, DIRECTION]],
    ["the first half of a pair", "a\ud83d", [LONE_SURROGATE]],
    ["the second half of a pair", "\ude00a", [LONE_SURROGATE]],
    ["halves in the wrong order", "\ude00\ud83d", [LONE_SURROGATE]],
    ["everything at once", `\t\ud83d${"a".repeat(128)}`, [TOO_LONG, CONTROL_CHARACTER, LONE_SURROGATE]],
  ])("rejects %s", (_, name, failures) => {
    expect(checkName(name)).toEqual(failures);
  });
});

describe("keyUri", () => {
  it.each([
    ["label and issuer", "alice", "ACME", 6, "ACME:alice", "ACME"],
    ["eight digits", "alice", "ACME", 8, "ACME:alice", "ACME"],
    ["a label alone, which has no prefix", "alice", "", 6, "alice", ""],
    ["an issuer alone", "", "ACME", 6, "ACME:", "ACME"],
    ["neither", "", "", 6, "", ""],
    ["an e-mail address", "john@example.com", "ACME Co", 6, "ACME%20Co:john%40example.com", "ACME%20Co"],
    ["colons", "a:b", "c:d", 6, "c%3Ad:a%3Ab", "c%3Ad"],
    ["a colon in a label without issuer", "a:b", "", 6, "a%3Ab", ""],
    ["what a query would misread", "a+b&c=d", "x?y#z", 6, "x%3Fy%23z:a%2Bb%26c%3Dd", "x%3Fy%23z"],
    ["a slash and a percent sign", "a/b", "100%", 6, "100%25:a%2Fb", "100%25"],
    ["signs that encodeURIComponent leaves", "it's(*)", "Yahoo!", 6, "Yahoo%21:it%27s%28%2A%29", "Yahoo%21"],
    ["other alphabets", "山田", "Bücher", 6, "B%C3%BCcher:%E5%B1%B1%E7%94%B0", "B%C3%BCcher"],
  ] as const)("encodes %s", (_, label, issuer, digits, path, encodedIssuer) => {
    expect(keyUri({ label, issuer, secret: SECRET, digits })).toBe(
      `otpauth://totp/${path}?secret=${SECRET}&issuer=${encodedIssuer}&algorithm=SHA1&digits=${digits}&period=30`,
    );
  });

  const names = fc.string({ unit: "binary", maxLength: 128 });
  const digits = fc.constantFrom(6 as const, 8 as const);

  it("is parsed by a URL parser to the same label and issuer", () => {
    fc.assert(
      fc.property(names, names, digits, (label, issuer, digits) => {
        // URL parsers resolve paths of only these two, in any encoding.
        fc.pre(issuer !== "" || (label !== "." && label !== ".."));
        const url = new URL(keyUri({ label, issuer, secret: SECRET, digits }));
        expect([url.protocol, url.host, url.hash]).toEqual(["otpauth:", "totp", ""]);
        const path = url.pathname.slice(1).split(":").map(decodeURIComponent);
        expect(path).toEqual(issuer === "" ? [label] : [issuer, label]);
        expect([...url.searchParams]).toEqual([
          ["secret", SECRET],
          ["issuer", issuer],
          ["algorithm", "SHA1"],
          ["digits", String(digits)],
          ["period", "30"],
        ]);
      }),
      { numRuns: 500 },
    );
  });

  it("is parsed by otpauth to the same label and issuer without encoded colons", () => {
    // otpauth also splits at %3A, which the Key URI format allows, and rejects an empty label.
    const withoutColon = names.filter((name) => !name.includes(":"));
    const nonEmpty = withoutColon.filter((name) => name !== "");
    fc.assert(
      fc.property(nonEmpty, withoutColon, digits, (label, issuer, digits) => {
        const totp = URI.parse(keyUri({ label, issuer, secret: SECRET, digits }));
        expect(totp).toBeInstanceOf(TOTP);
        expect({ ...totp, secret: totp.secret.base32 }).toEqual({
          issuer,
          label,
          issuerInLabel: true,
          secret: SECRET,
          algorithm: "SHA1",
          digits,
          period: 30,
          hmac: undefined,
        });
      }),
      { numRuns: 500 },
    );
  });

  it("is parsed by otpauth to the same label with a colon if there is an issuer", () => {
    const totp = URI.parse(keyUri({ label: "a:b", issuer: "ACME", secret: SECRET, digits: 6 }));
    expect([totp.issuer, totp.label]).toEqual(["ACME", "a:b"]);
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

describe("percentEncode", () => {
  it.each([
    ["the unreserved characters of RFC 3986, as they are", "AZaz09-._~", "AZaz09-._~"],
    ["its gen-delims", ":/?#[]@", "%3A%2F%3F%23%5B%5D%40"],
    ["its sub-delims", "!$&'()*+,;=", "%21%24%26%27%28%29%2A%2B%2C%3B%3D"],
    ["a space, never as a plus sign", "a b", "a%20b"],
    ["a percent sign", "100%", "100%25"],
    ["two bytes", "é", "%C3%A9"],
    ["four bytes", "😀", "%F0%9F%98%80"],
  ])("encodes %s", (_, text, encoded) => {
    expect(percentEncode(text)).toBe(encoded);
  });

  it("uses only unreserved characters and triplets, and can be decoded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const encoded = percentEncode(text);
        expect(encoded).toMatch(/^(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})*$/);
        expect(decodeURIComponent(encoded)).toBe(text);
      }),
    );
  });
});
