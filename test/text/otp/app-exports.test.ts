import { describe, expect, test } from "vitest";
import { isAppExport, readAppExport } from "../../../src/text/otp/app-exports.js";

const SECRET = "GEZDGNBVGY3TQOJQ";

/** A file of Aegis: https://github.com/beemdevelopment/Aegis/blob/master/docs/vault.md */
const aegis = (...entries: readonly object[]) =>
  JSON.stringify({ version: 1, header: { slots: null, params: null }, db: { version: 3, entries } });

/** A backup of 2FAS. */
const twoFas = (...services: readonly object[]) =>
  JSON.stringify({ services, groups: [], updatedAt: 1, schemaVersion: 4, appOrigin: "android" });

const SHA256 = { secret: SECRET, algo: "SHA256", digits: 8, period: 60 };

describe("a file of an authenticator app", () => {
  test.each<[string, string, string]>([
    [
      "Aegis",
      aegis({ type: "totp", name: "jane", issuer: "ACME", info: SHA256 }),
      `otpauth://totp/ACME:jane?secret=${SECRET}&issuer=ACME&algorithm=SHA256&digits=8&period=60`,
    ],
    [
      "Aegis, counter-based",
      aegis({ type: "hotp", name: "jane", issuer: "", info: { ...SHA256, counter: 7 } }),
      `otpauth://hotp/jane?secret=${SECRET}&issuer=&algorithm=SHA256&digits=8&counter=7`,
    ],
    [
      "Aegis, of Steam",
      aegis({
        type: "steam",
        name: "jane",
        issuer: "Steam",
        info: { secret: SECRET, algo: "SHA1", digits: 5 },
      }),
      `otpauth://totp/Steam:jane?secret=${SECRET}&issuer=Steam&algorithm=SHA1&digits=5&period=30&encoder=steam`,
    ],
    [
      "2FAS",
      twoFas({
        name: "ACME",
        secret: "gezd gnbv gy3t qojq",
        otp: { account: "jane", tokenType: "TOTP", digits: 7 },
      }),
      `otpauth://totp/ACME:jane?secret=${SECRET}&issuer=ACME&algorithm=SHA1&digits=7&period=30`,
    ],
    [
      "2FAS, of Steam",
      twoFas({ name: "Steam", secret: SECRET, otp: { tokenType: "STEAM", digits: 5, issuer: "Steam" } }),
      `otpauth://totp/Steam:Account?secret=${SECRET}&issuer=Steam&algorithm=SHA1&digits=5&period=30&encoder=steam`,
    ],
  ])("of %s has its key URIs", (_, text, uri) => {
    expect(isAppExport(text)).toBe(true);
    expect(readAppExport(text)).toMatchObject({
      ok: true,
      value: [{ ok: true, value: { uri, problem: "" } }],
    });
  });

  test.each<[string, object, string]>([
    ["another type", { type: "motp", info: SHA256 }, "is neither time-based nor counter-based"],
    [
      "MD5",
      { type: "totp", info: { ...SHA256, algo: "MD5" } },
      "uses another algorithm than SHA1, SHA256 and SHA512",
    ],
    [
      "an algorithm with parameters",
      { type: "totp", info: { ...SHA256, algo: "SHA1&digits=8" } },
      "uses another algorithm than SHA1, SHA256 and SHA512",
    ],
    ["no secret", { type: "totp", name: "jane" }, "has no secret"],
  ])("has a failure for an account with %s, and the others", (_, entry, description) => {
    const fine = { type: "totp", name: "\ud800", info: SHA256 };
    expect(readAppExport(aegis(entry, fine))).toMatchObject({
      ok: true,
      value: [
        { ok: false, failure: { description } },
        { ok: true, value: { label: "\ufffd" } },
      ],
    });
  });

  test.each([
    [
      "encrypted by Aegis",
      JSON.stringify({ header: { slots: [{}] }, db: "cipher" }),
      /Aegis without encryption/,
    ],
    [
      "encrypted by 2FAS",
      JSON.stringify({ services: [], servicesEncrypted: "a:b:c" }),
      /2FAS without a password/,
    ],
    ["of another program", JSON.stringify({ items: [] }), /must be a JSON file of Aegis or 2FAS/],
    ["no JSON", "{", /must be a JSON file of Aegis or 2FAS/],
    ["null", JSON.stringify({ db: null, services: null }), /must be a JSON file of Aegis or 2FAS/],
  ])("that is %s is not read", (_, text, description) => {
    expect(readAppExport(text)).toMatchObject({
      ok: false,
      failure: { description: expect.stringMatching(description) },
    });
  });
});
