import fc from "fast-check";
import { TOTP, URI } from "otpauth";
import { describe, expect, it } from "vitest";
import { keyUri } from "../../../src/tools/otp/key-uri.js";

const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

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
  ] as const)("writes %s", (_, label, issuer, digits, path, encodedIssuer) => {
    expect(keyUri({ label, issuer, secret: SECRET, digits })).toBe(
      `otpauth://totp/${path}?secret=${SECRET}&issuer=${encodedIssuer}&algorithm=SHA1&digits=${digits}&period=30`,
    );
  });

  const names = fc.string({ unit: "binary", maxLength: 128 });
  const digits = fc.constantFrom(6 as const, 8 as const);

  it("says the same to a parser of URLs, whatever the label and the issuer", () => {
    fc.assert(
      fc.property(names, names, digits, (label, issuer, digits) => {
        // As whole paths these two are instructions to a parser of URLs, in whatever encoding.
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

  it("says the same to otpauth, where that takes a colon for a separator in no encoding", () => {
    // otpauth also splits at %3A, which the Key URI format allows, and cannot parse an empty label.
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

  it("has a label with a colon read right by otpauth where there is an issuer", () => {
    const totp = URI.parse(keyUri({ label: "a:b", issuer: "ACME", secret: SECRET, digits: 6 }));
    expect([totp.issuer, totp.label]).toEqual(["ACME", "a:b"]);
  });
});
