import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { TOTP, URI } from "otpauth";
import { describe, expect, it } from "vitest";
import { keyUri, percentEncode, splitKeyUri } from "../../../src/text/otp/key-uri.js";

const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describe("keyUri", () => {
  it.each([
    ["label and issuer", "alice", "ACME", 6, "ACME:alice", "ACME"],
    ["eight digits", "alice", "ACME", 8, "ACME:alice", "ACME"],
    ["a label alone, which has no prefix", "alice", "", 6, "alice", ""],
    ["an issuer alone", "", "ACME", 6, "ACME:Account", "ACME"],
    ["neither", "", "", 6, "Account", ""],
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

  const names = fc.string({ unit: ANY_CHARACTER, maxLength: 128 });
  const digits = fc.constantFrom(6 as const, 8 as const);

  it("is parsed by a URL parser to the same label and issuer", () => {
    fc.assert(
      fc.property(names, names, digits, (label, issuer, digits) => {
        // URL parsers resolve paths of only these two, in any encoding.
        fc.pre(issuer !== "" || (label !== "." && label !== ".."));
        const url = new URL(keyUri({ label, issuer, secret: SECRET, digits }));
        expect([url.protocol, url.host, url.hash]).toEqual(["otpauth:", "totp", ""]);
        const path = url.pathname.slice(1).split(":").map(decodeURIComponent);
        const account = label || "Account";
        expect(path).toEqual(issuer === "" ? [account] : [issuer, account]);
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
    // otpauth also splits at %3A, which the Key URI format allows.
    const withoutColon = names.filter((name) => !name.includes(":"));
    fc.assert(
      fc.property(withoutColon, withoutColon, digits, (label, issuer, digits) => {
        const totp = URI.parse(keyUri({ label, issuer, secret: SECRET, digits }));
        expect(totp).toBeInstanceOf(TOTP);
        expect({ ...totp, secret: totp.secret.base32 }).toEqual({
          issuer,
          label: label || "Account",
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

  it("has the options of the account", () => {
    const account = { label: "a", issuer: "", secret: SECRET, digits: 8 };
    expect(keyUri({ ...account, algorithm: "SHA512", period: 60 })).toBe(
      `otpauth://totp/a?secret=${SECRET}&issuer=&algorithm=SHA512&digits=8&period=60`,
    );
    expect(keyUri({ ...account, type: "hotp", counter: 5 })).toBe(
      `otpauth://hotp/a?secret=${SECRET}&issuer=&algorithm=SHA1&digits=8&counter=5`,
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
      fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
        const encoded = percentEncode(text);
        expect(encoded).toMatch(/^(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})*$/);
        expect(decodeURIComponent(encoded)).toBe(text);
      }),
    );
  });
});

describe("splitKeyUri", () => {
  const totp = (issuer: string, label: string, ...parameters: [string, string][]) => ({
    type: "totp",
    issuer,
    label,
    parameters,
  });
  it.each([
    ["otpauth://totp/jane?secret=A", totp("", "jane", ["secret", "A"])],
    ["OTPAUTH://TOTP/jane?Secret=A", totp("", "jane", ["secret", "A"])],
    ["otpauth://totp/My%20Shop:%20jane?secret=A", totp("My Shop", "jane", ["secret", "A"])],
    ["otpauth://totp/Shop%3Ajane?secret=A", totp("Shop", "jane", ["secret", "A"])],
    ["otpauth://totp/Old:jane?issuer=New", totp("New", "jane", ["issuer", "New"])],
    ["otpauth://totp/Old:jane?issuer=", totp("Old", "jane", ["issuer", ""])],
    ["otpauth://totp/50%?secret=A", totp("", "50%", ["secret", "A"])],
    ["otpauth://hotp/jane?counter=1", { ...totp("", "jane", ["counter", "1"]), type: "hotp" }],
    ["otpauth://totp/jane", undefined],
    ["otpauth://totp/jane?secret=A#b", undefined],
    ["otpauth-migration://offline?data=abc", undefined],
    ["https://example.com/?secret=A", undefined],
  ])("splits %s", (text, parts) => {
    expect(splitKeyUri(text)).toEqual(parts);
  });
});
