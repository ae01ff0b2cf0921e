import { type DescMethodUnary, type JsonValue, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import {
  type GenerateHotpRequestSchema,
  type GenerateOtpRequestSchema,
  OtpService,
  type VerifyHotpRequestSchema,
  type VerifyOtpRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { describe, expect, it } from "vitest";
import { otpService } from "../../../src/tools/otp/otp-service.js";
import { callUnary, errorOf } from "../call.js";

const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

const generateOtp: DescMethodUnary<typeof GenerateOtpRequestSchema> = OtpService.method.generateOtp;
const verifyOtp: DescMethodUnary<typeof VerifyOtpRequestSchema> = OtpService.method.verifyOtp;
const generateHotp: DescMethodUnary<typeof GenerateHotpRequestSchema> = OtpService.method.generateHotp;
const verifyHotp: DescMethodUnary<typeof VerifyHotpRequestSchema> = OtpService.method.verifyHotp;

/** Returns the response of a method as JSON with empty fields, at a time in milliseconds. */
async function call<M extends DescMethodUnary>(
  method: M,
  request: MessageInitShape<M["input"]>,
  time = 0,
): Promise<JsonValue> {
  const service = otpService({
    now: () => time,
    randomBytes: () => Buffer.from("12345678901234567890"),
    maxUrlLength: 2048,
  });
  return toJson(method.output, await callUnary(service, method, request), { alwaysEmitImplicit: true });
}

/** Returns the field, reason and description of every violation of a request. */
async function violationsOf<M extends DescMethodUnary>(method: M, request: MessageInitShape<M["input"]>) {
  const error = await errorOf(call(method, request));
  expect([error.code, error.reason]).toEqual([Code.InvalidArgument, "INVALID_PARAMETERS"]);
  return error.violations.map(({ field, reason, description }) => [field, reason, description]);
}

const INVALID_DIGITS = (digits: number) => ["digits", "INVALID_DIGITS", `must be 6 or 8, is ${digits}`];

describe("GenerateOtp", () => {
  it("returns the secret and both URLs", async () => {
    expect(await call(generateOtp, { label: "john@example.com", issuer: "ACME Co", digits: 8 })).toEqual({
      algorithm: "SHA1",
      digits: 8,
      issuer: "ACME Co",
      label: "john@example.com",
      otp_url:
        `otpauth://totp/ACME%20Co:john%40example.com?secret=${SECRET}&issuer=ACME%20Co` +
        "&algorithm=SHA1&digits=8&period=30",
      period: 30,
      qrcode_url:
        "https://tools.example/v1/barcode?type=qr_code&data=otpauth%3A%2F%2Ftotp%2FACME%2520Co%3Ajohn%2540" +
        `example.com%3Fsecret%3D${SECRET}%26issuer%3DACME%2520Co%26algorithm%3DSHA1%26digits%3D8%26period%3D30`,
      secret: SECRET,
      type: "totp",
    });
  });

  it("returns empty names and six digits for an empty request", async () => {
    expect(await call(generateOtp, {})).toMatchObject({
      digits: 6,
      issuer: "",
      label: "",
      otp_url: `otpauth://totp/Account?secret=${SECRET}&issuer=&algorithm=SHA1&digits=6&period=30`,
    });
  });

  it.each(["a b", " Zoë 😀 ", "a/b/c%20", "a\u200db"])(
    "returns the label and the issuer of the request: %j",
    async (name) => {
      expect(await call(generateOtp, { label: name, issuer: name })).toMatchObject({
        label: name,
        issuer: name,
      });
    },
  );

  it("has the whole otp_url in a parameter of qrcode_url, also with names that need encoding", async () => {
    const response = await call(generateOtp, { label: "a+b c&d=é😀%", issuer: "x/y/?#'!" });
    const { otp_url, qrcode_url } = response as { otp_url: string; qrcode_url: string };
    expect(Object.fromEntries(new URL(qrcode_url).searchParams)).toEqual({ type: "qr_code", data: otp_url });
  });

  it("reports all violations together", async () => {
    expect(await violationsOf(generateOtp, { label: "a".repeat(129), issuer: "\n", digits: 0 })).toEqual([
      ["label", "TOO_LONG", "must have at most 128 characters"],
      [
        "issuer",
        "CONTROL_CHARACTER",
        "must not contain control characters (U+0000 to U+001F, U+007F to U+009F)",
      ],
      INVALID_DIGITS(0),
    ]);
  });
});

describe("VerifyOtp", () => {
  // https://www.rfc-editor.org/rfc/rfc6238#appendix-B, the rows of SHA1; seconds and codes of eight digits.
  const RFC_6238_VECTORS = [
    [59, "94287082"],
    [1111111109, "07081804"],
    [1111111111, "14050471"],
    [1234567890, "89005924"],
    [2000000000, "69279037"],
    [20000000000, "65353130"],
  ] as const;

  it.each(RFC_6238_VECTORS)("returns the eight digits of RFC 6238 at %i s: %s", async (seconds, code) => {
    expect(await call(verifyOtp, { secret: SECRET, digits: 8 }, seconds * 1000)).toMatchObject({
      digits: 8,
      otp_codes: { current: code },
    });
  });

  it.each(RFC_6238_VECTORS)("returns the last six of its digits at %i s: %s", async (seconds, code) => {
    expect(await call(verifyOtp, { secret: SECRET, digits: 6 }, seconds * 1000)).toMatchObject({
      digits: 6,
      otp_codes: { current: code.slice(2) },
    });
  });

  it.each(RFC_6238_VECTORS)(
    "returns the code of %i s as next, current and previous",
    async (seconds, code) => {
      const at = async (offset: number) =>
        await call(verifyOtp, { secret: SECRET, digits: 8 }, (seconds + offset) * 1000);
      expect(await at(-30)).toMatchObject({ otp_codes: { "+30s": code } });
      expect(await at(0)).toMatchObject({ otp_codes: { current: code } });
      expect(await at(30)).toMatchObject({ otp_codes: { "-30s": code } });
      expect(await at(60)).toMatchObject({ otp_codes: { "-60s": code } });
    },
  );

  it("returns these fields, and the codes in this order", async () => {
    const response = await call(verifyOtp, { secret: SECRET }, 90_000);
    // The codes of the counters 4, 3, 2 and 1: https://www.rfc-editor.org/rfc/rfc4226#appendix-D
    expect(JSON.stringify(response)).toBe(
      '{"algorithm":"SHA1","digits":6,"otp_codes":{"+30s":"338314","current":"969429","-30s":"359152",' +
        `"-60s":"287082"},"period":30,"secret":"${SECRET}","type":"totp"}`,
    );
  });

  it.each(["gezdgnbvgy3tqojqgezdgnbvgy3tqojq", " GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ "])(
    "returns the secret as submitted: %j",
    async (secret) => {
      expect(await call(verifyOtp, { secret })).toMatchObject({ secret, otp_codes: { current: "755224" } });
    },
  );

  it("reads its clock for each request", async () => {
    let time = 0;
    const service = otpService({
      now: () => time,
      randomBytes: () => new Uint8Array(20),
      maxUrlLength: 2048,
    });
    const codes: unknown[] = [];
    for (time of [0, 30_000]) {
      codes.push(await callUnary(service, verifyOtp, { secret: SECRET }));
    }
    expect(codes).toMatchObject([{ otpCodes: { current: "755224" } }, { otpCodes: { current: "287082" } }]);
  });

  it.each([
    ["no secret", {}, [["secret", "REQUIRED", "is required: the shared secret in base32"]]],
    [
      "a short secret",
      { secret: "GEZDGNBV" },
      [["secret", "SECRET_TOO_SHORT", "must have at least 16 characters of base32 (80 bits), has 8"]],
    ],
    ["7 digits", { secret: SECRET, digits: 7 }, [INVALID_DIGITS(7)]],
    [
      "several invalid fields",
      { secret: "A".repeat(129), digits: 0 },
      [["secret", "SECRET_TOO_LONG", "must have at most 128 characters, has 129"], INVALID_DIGITS(0)],
    ],
  ])("rejects %s", async (_, request, violations) => {
    expect(await violationsOf(verifyOtp, request)).toEqual(violations);
  });
});

/** What a key URI has that may be of Steam. */
const STEAM_OPTIONS = "must have SHA1, a period of 30 and the type totp for Steam's codes";
const STEAM_ISSUER =
  "has the issuer Steam without encoder=steam: add it for Steam's codes of letters, or digits=6 for others";

describe("a key URI", () => {
  const key_uri = (query: string, type = "totp") => `otpauth://${type}/Example:jane?secret=${SECRET}${query}`;

  it.each([
    ["", { algorithm: "SHA1", digits: 6, period: 30, otp_codes: { current: "755224" } }],
    [
      "&digits=8&period=60&issuer=Example&image=x",
      { digits: 8, period: 60, otp_codes: { current: "84755224" } },
    ],
    ["&ALGORITHM=sha256", { algorithm: "SHA256" }],
    ["&algorithm=HmacSHA512", { algorithm: "SHA512" }],
    // Computed with pyotp.
    ["&digits=7", { digits: 7, otp_codes: { current: "4755224", "+30s": "4287082" } }],
    ["&encoder=steam", { digits: 5, otp_codes: { current: "GG5F5", "+30s": "PV9M4" } }],
    ["&encoder=Steam&digits=5&issuer=Steam&algorithm=SHA1", { otp_codes: { current: "GG5F5" } }],
    ["&issuer=Steam&digits=6", { otp_codes: { current: "755224" } }],
    // Parameters that repeat what holds anyway, and those on which no code depends.
    ["&algo=sha1&interval=30&type=totp&t0=0", { otp_codes: { current: "755224" } }],
    ["&color=red&icon=https%3A%2F%2Fexample.com&user=jane&lock=1", { otp_codes: { current: "755224" } }],
  ])("with %j has its own options", async (query, response) => {
    expect(await call(verifyOtp, { keyUri: key_uri(query) })).toMatchObject({ secret: SECRET, ...response });
  });

  it("may be sent with equal options and the same secret", async () => {
    const request = { keyUri: key_uri("&digits=8"), secret: SECRET.toLowerCase(), digits: 8, period: 30 };
    expect(await call(verifyOtp, request)).toMatchObject({ digits: 8, secret: SECRET });
  });

  it.each<[string, string]>([
    ["otpauth://totp/a", "must be a key URI: otpauth://totp/… or otpauth://hotp/… with the parameter secret"],
    [
      "otpauth-migration://offline?data=CjE",
      "must be the key URI of one account; this is an export of several",
    ],
    [key_uri("&secret=A"), "must not have a parameter twice"],
    ["otpauth://totp/a?digits=6", "has a parameter secret that is required: the shared secret in base32"],
    [key_uri("&algorithm=MD5"), "has a parameter algorithm that must be SHA1, SHA256 or SHA512"],
    [key_uri("&digits=six"), "has a parameter digits that must be 6, 7 or 8"],
    [key_uri("&digits=5"), "has a parameter digits that must be 6, 7 or 8"],
    [key_uri("&amp;digits=8"), "has &amp; in the place of &"],
    [key_uri("&encoder=base64"), "has a parameter encoder that must be steam"],
    [key_uri("&encoder=steam&digits=6"), "has a parameter digits that must be 5"],
    [key_uri("&encoder=steam&period=60"), STEAM_OPTIONS],
    [key_uri("&encoder=steam", "hotp"), STEAM_OPTIONS],
    [key_uri("&issuer=Steam"), STEAM_ISSUER],
    [key_uri("&digits=5").replace("Example", "steam"), STEAM_ISSUER],
    [key_uri("&algo=SHA256"), "has an unknown parameter that may mean algorithm"],
    [key_uri("&peroid=60"), "has an unknown parameter that may mean period"],
    [key_uri("&interval=60"), "has an unknown parameter that may mean period"],
    [key_uri("&tokenType=STEAM"), "has an unknown parameter that may mean encoder"],
    [key_uri("&offset=-30"), "has an unknown parameter that may mean epoch"],
    [key_uri("&pin=1234"), "has an unknown parameter that may mean pin"],
    [key_uri("&digits=6&digits=6"), "must not have a parameter twice"],
    [key_uri("&period=0"), "has a parameter period that must be from 1 to 86400"],
    [key_uri("&counter=-1"), "has a parameter counter that must be from 0 to 2147483647"],
  ])("%j is not valid", async (keyUri, description) => {
    expect(await violationsOf(verifyOtp, { keyUri })).toEqual([["key_uri", "INVALID_KEY_URI", description]]);
  });

  // https://github.com/keepassxreboot/keepassxc/blob/develop/tests/TestTotp.cpp; pyotp has the same codes.
  it.each([
    [1511200518, "FR8RV"],
    [1511200714, "9P3VP"],
  ])("of Steam has its code at %i s: %s", async (seconds, code) => {
    const secret = "63BEDWCQZKTQWPESARIERL5DTTQFCJTK";
    for (const keyUri of [
      `otpauth://totp/Valve:test?secret=${secret}&issuer=Valve&encoder=steam`,
      `otpauth://steam/Steam:test?secret=${secret}&issuer=Steam`,
    ]) {
      expect(await call(verifyOtp, { keyUri }, seconds * 1000)).toMatchObject({
        otp_codes: { current: code },
      });
    }
  });

  it("may have white space around it", async () => {
    expect(await call(verifyOtp, { keyUri: `\n ${key_uri("")}\t` })).toMatchObject({ secret: SECRET });
  });

  it.each([key_uri(""), ` OTPAUTH${key_uri("").slice(7)}`])(
    "in place of the secret is rejected: %j",
    async (secret) => {
      expect(await violationsOf(verifyOtp, { secret })).toEqual([
        ["secret", "SECRET_NOT_BASE32", "must be base32, is a key URI: send it as key_uri"],
      ]);
    },
  );

  it("of the other type is not valid", async () => {
    const isTotp = "is that of a time-based account (totp): its type is time_based";
    expect(await violationsOf(verifyHotp, { keyUri: key_uri("") })).toEqual([
      ["key_uri", "KEY_URI_OF_OTHER_TYPE", isTotp],
    ]);
    const isHotp = "is that of a counter-based account (hotp): its type is counter_based";
    expect(await violationsOf(verifyOtp, { keyUri: key_uri("&counter=1", "hotp") })).toEqual([
      ["key_uri", "KEY_URI_OF_OTHER_TYPE", isHotp],
    ]);
  });

  it("that generate returns is accepted, with the same codes", async () => {
    const options = { label: "jane", issuer: "Example", digits: 8, algorithm: "SHA512", period: 60 };
    const generated = (await call(generateOtp, options)) as { otp_url: string; secret: string };
    const { digits, algorithm, period } = options;
    const bySecret = await call(verifyOtp, { secret: generated.secret, digits, algorithm, period });
    expect(await call(verifyOtp, { keyUri: generated.otp_url })).toEqual(bySecret);
  });
});

describe("counter-based codes", () => {
  // https://www.rfc-editor.org/rfc/rfc4226#appendix-D
  const CODES = "755224 287082 359152 969429 338314 254676 287922 162583 399871 520489".split(" ");

  it("are those of RFC 4226, from the counter", async () => {
    expect(await call(verifyHotp, { secret: SECRET })).toEqual({
      algorithm: "SHA1",
      digits: 6,
      otp_codes: CODES.map((code, counter) => ({ counter, code })),
      counter: 0,
      secret: SECRET,
      type: "hotp",
    });
    expect(await call(verifyHotp, { secret: SECRET, counter: 9 })).toMatchObject({
      counter: 9,
      otp_codes: expect.arrayContaining([{ counter: 9, code: CODES[9] }]),
    });
  });

  it("start at the counter of the request, or else of the key URI", async () => {
    const keyUri = `otpauth://hotp/a?secret=${SECRET}&counter=3`;
    expect(await call(verifyHotp, { keyUri })).toMatchObject({ counter: 3 });
    expect(await call(verifyHotp, { keyUri, counter: 8 })).toMatchObject({ counter: 8 });
  });

  it("have a key URI with their counter", async () => {
    expect(await call(generateHotp, { label: "jane", counter: 7, algorithm: "SHA256" })).toEqual({
      algorithm: "SHA256",
      digits: 6,
      issuer: "",
      label: "jane",
      otp_url: `otpauth://hotp/jane?secret=${SECRET}&issuer=&algorithm=SHA256&digits=6&counter=7`,
      counter: 7,
      qrcode_url: expect.stringContaining("data=otpauth%3A%2F%2Fhotp%2Fjane%3Fsecret%3D"),
      secret: SECRET,
      type: "hotp",
    });
  });
});
