import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parametersOf } from "../../../packages/connect-transcoding/test/openapi/validator.js";
import { checkName } from "../../../src/text/account-name.js";
import { parseAsn } from "../../../src/text/as-number.js";
import { parseAddress } from "../../../src/text/ip-address.js";
import { encodeBase32 } from "../../../src/text/otp/base32.js";
import { parseKeyUri } from "../../../src/text/otp/parse-key-uri.js";
import { parseSecret } from "../../../src/text/otp/secret.js";
import { parseCountryCode } from "../../../src/tools/countries/country.js";
import { parseQuery } from "../../../src/tools/countries/search/search-countries.js";
import { DOCUMENT } from "../support/documented-examples.js";

/** The pattern of a property or a query parameter. */
function patternOf(schema: { readonly pattern?: string } | undefined): RegExp {
  if (schema?.pattern === undefined) {
    throw new Error("no such schema, property or pattern: see /openapi.json of npm run dev");
  }
  return new RegExp(schema.pattern, "u");
}

const { schemas } = DOCUMENT.components;
const parameterOf = (path: string, wanted: string) =>
  parametersOf(DOCUMENT.paths[path]?.get).find(({ name }) => name === wanted)?.schema;

const SECRET = patternOf(schemas.VerifyOtpBody?.properties?.secret);
const KEY_URI = patternOf(schemas.VerifyOtpBody?.properties?.key_uri);
const LABEL = patternOf(schemas.GenerateOtpBody?.properties?.label);
const ISSUER = patternOf(schemas.GenerateOtpBody?.properties?.issuer);
const COUNTRY = patternOf(parameterOf("/v1/countries", "country"));
const QUERY = patternOf(parameterOf("/v1/countries:search", "query"));
const ASN = patternOf(parameterOf("/v1/geoIp/asn", "asn"));
const IP_ADDRESS = patternOf(parameterOf("/v1/geoIp", "ip_address"));

/** Texts of some of these characters, which are often almost valid. */
const textOf = (characters: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters), maxLength });

/** Inserts texts at random places of another. */
function withInserted(text: fc.Arbitrary<string>, inserted: string): fc.Arbitrary<string> {
  return fc
    .tuple(text, fc.array(fc.nat(200), { maxLength: 4 }))
    .map(([given, places]) =>
      places.reduce((each, place) => each.slice(0, place) + inserted + each.slice(place), given),
    );
}

/** Whole bytes in base32, with and without padding, in both cases. */
const base32 = fc
  .tuple(fc.uint8Array({ minLength: 8, maxLength: 40 }), fc.nat(8), fc.boolean())
  .map(([bytes, padding, isLower]) => {
    const symbols = encodeBase32(bytes);
    const text = symbols + "=".repeat(padding === 8 ? (8 - (symbols.length % 8)) % 8 : padding % 2);
    return isLower ? text.toLowerCase() : text;
  });

/** Runs a property, and requires that at least some texts were accepted and some were not. */
function checkAll(
  texts: fc.Arbitrary<string>,
  isAccepted: (text: string) => boolean,
  isRight: (text: string, accepted: boolean) => boolean,
): void {
  const seen = { true: 0, false: 0 };
  fc.assert(
    fc.property(texts, (text) => {
      const accepted = isAccepted(text);
      seen[`${accepted}`]++;
      return isRight(text, accepted);
    }),
    { seed: 1, numRuns: 4_000 },
  );
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(40);
}

describe("the pattern of a parameter", () => {
  test("of secrets matches those that are accepted, and no others of the allowed lengths", () => {
    const texts = fc.oneof(
      base32,
      withInserted(base32, " "),
      withInserted(base32, "-"),
      withInserted(base32, "\u00a0\n\u2011"),
      withInserted(base32, "="),
      textOf("AZaz27 =018", 40),
    );
    checkAll(
      texts,
      (text) => parseSecret(text).ok,
      (text, accepted) => SECRET.test(text) === accepted,
    );
  });

  test.each([
    "JBSWY3DPEHPK3PXP",
    "jbswy3dpehpk3pxp",
    "JBSW Y3DP EHPK 3PXP",
    " JBSWY3DPEHPK3PXP ",
    "JBSWY3DPEHPK3PXPJA======",
    "JBSWY3DPEHPK3PXPJBSW = = = =",
    "A".repeat(128),
  ])("of secrets matches %j", (text) => {
    expect([parseSecret(text).ok, SECRET.test(text)]).toEqual([true, true]);
  });

  test("of key URIs matches those that are accepted", () => {
    const parameters = fc.constantFrom(
      "secret=JBSWY3DPEHPK3PXP",
      "secret=JBSW",
      "digits=8",
      "period=x",
      "image=https://a.example/?b",
      "x#",
    );
    const texts = fc
      .tuple(
        fc.constantFrom("totp", "HOTP", "x"),
        textOf("aé%: /?#", 4),
        fc.array(parameters, { maxLength: 3 }),
      )
      .map(([type, label, query]) => `OTPauth://${type}/${label}?secret=JBSWY3DPEHPK3PXP&${query.join("&")}`);
    checkAll(
      texts,
      (text) => parseKeyUri(text).ok,
      (text, accepted) => !accepted || KEY_URI.test(text),
    );
    expect(["", "https://a.example/", "otpauth:x"].map((text) => KEY_URI.test(text))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("of country codes matches those that are accepted, and no others", () => {
    checkAll(
      fc.oneof(textOf("AZaz", 4), textOf("AZaz0é -", 4)),
      (text) => parseCountryCode(text).ok,
      (text, accepted) => COUNTRY.test(text) === accepted,
    );
  });

  test("of labels and issuers matches names without colons and control characters, also those for directions", () => {
    const names = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }),
      textOf("aé日:\u{1F600}\u0000\u001F\u007F\u0080\u009F\u00A0\u2028\n", 20),
      textOf(
        "a\u05D0\u061B\u061C\u061D\u200D\u200E\u200F\u2010\u2029\u202A\u202E\u202F\u2065\u2066\u2069\u206A",
        8,
      ),
    );
    checkAll(
      names,
      (name) => !checkName(name).some(({ reason }) => reason === "CONTROL_CHARACTER" || reason === "COLON"),
      (name, accepted) => LABEL.test(name) === accepted && ISSUER.test(name) === accepted,
    );
  });

  test("of IP addresses matches all that are accepted", () => {
    const texts = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.tuple(fc.ipV6(), fc.ipV4()).map(([six, four]) => six.replace(/[^:]*:?[^:]*$/, four)),
      textOf("0123456789.", 15),
      textOf("0fF::::1.", 45),
    );
    checkAll(
      texts,
      (text) => parseAddress(text).ok,
      (text, accepted) => !accepted || IP_ADDRESS.test(text),
    );
  });

  test.each([
    ["8.8.8.8", true],
    ["255.255.255.255", true],
    ["::", true],
    ["1::", true],
    ["::1:2:3:4:5:6:7", true],
    ["1:2:3:4:5:6:7::", true],
    ["1:2:3:4:5:6:7:8", true],
    ["::ffff:8.8.8.8", true],
    ["64:ff9b::192.0.2.33", true],
    ["1:2:3:4:5:6:8.8.8.8", true],
    ["8.8.8", false],
    ["8.8.8.8/24", false],
    ["fe80::1%eth0", false],
    ["[::1]", false],
    ["localhost", false],
    ["12345::", false],
  ])("of IP addresses on %j: %s", (text, isMatch) => {
    expect([parseAddress(text).ok, IP_ADDRESS.test(text)]).toEqual([isMatch, isMatch]);
  });
});

test("of an autonomous system match everything that is accepted", () => {
  const texts = fc.oneof(
    textOf("aAsSnN :015", 12),
    fc.nat(0xffff_ffff).map((number) => `AS${number}`),
  );
  const isAccepted = (text: string) => parseAsn(text).ok;
  checkAll(texts, isAccepted, (text, accepted) => !accepted || ASN.test(text));
});

test("a query has a character that is not white space", () => {
  const texts = fc.string({
    unit: fc.oneof(fc.constantFrom(..." \t\n\u00a0\u2003\ufeff"), fc.string()),
    maxLength: 4,
  });
  const isAccepted = (text: string) => parseQuery(text).ok;
  checkAll(texts, isAccepted, (text, accepted) => QUERY.test(text) === accepted);
});
