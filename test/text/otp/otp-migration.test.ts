import { BinaryWriter } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { URI } from "otpauth";
import { describe, expect, test } from "vitest";
import { isOtpExport } from "../../../src/text/otp/key-uri.js";
import { readOtpExport } from "../../../src/text/otp/otp-migration.js";

/** The fields of an account, by their numbers. */
interface Account {
  readonly secret?: string;
  readonly name?: string;
  readonly issuer?: string;
  readonly algorithm?: number;
  readonly digits?: number;
  readonly type?: number;
  readonly counter?: number;
}

function accountBytes(account: Account): Uint8Array {
  const { secret = "12345678901234567890", name = "jane", issuer = "", type = 2 } = account;
  const writer = new BinaryWriter();
  writer.tag(1, 2).bytes(Buffer.from(secret)).tag(2, 2).string(name).tag(3, 2).string(issuer);
  writer
    .tag(4, 0)
    .int32(account.algorithm ?? 0)
    .tag(5, 0)
    .int32(account.digits ?? 0)
    .tag(6, 0)
    .int32(type);
  return writer
    .tag(7, 0)
    .int64(account.counter ?? 0)
    .tag(8, 2)
    .string("an ID")
    .finish();
}

function linkOf(accounts: readonly Account[], [index, links] = [0, 1]): string {
  const writer = new BinaryWriter();
  for (const account of accounts) {
    writer.tag(1, 2).bytes(accountBytes(account));
  }
  writer.tag(2, 0).int32(1).tag(3, 0).int32(links).tag(4, 0).int32(index).tag(5, 0).int32(-7);
  const data = Buffer.from(writer.finish()).toString("base64");
  return `otpauth-migration://offline?data=${encodeURIComponent(data)}`;
}

/** The results of the accounts of a link. */
function accountsOf(link: string) {
  const read = readOtpExport(link);
  return read.ok ? read.value.accounts : [read];
}

describe("an export", () => {
  test("has the key URI of its account, which otpauth parses", () => {
    // The example of https://github.com/dim13/otpauth
    const [account] = accountsOf(
      "otpauth-migration://offline?data=CjEKCkhlbGxvId6tvu8SGEV4YW1wbGU6YWxpY2VAZ29vZ2xlLmNvbRoHRXhhbXBsZTAC",
    );
    expect(account).toEqual({
      ok: true,
      value: {
        type: "totp",
        label: "alice@google.com",
        issuer: "Example",
        secret: "JBSWY3DPEHPK3PXP",
        algorithm: "SHA1",
        digits: 6,
        period: 30,
        problem: "",
        uri: "otpauth://totp/Example:alice%40google.com?secret=JBSWY3DPEHPK3PXP&issuer=Example&algorithm=SHA1&digits=6&period=30",
      },
    });
  });

  test("has all accounts, with their options", () => {
    const accounts = accountsOf(
      linkOf([
        { algorithm: 2, digits: 2 },
        { algorithm: 3, digits: 1, type: 1, counter: 42, issuer: "ACME" },
      ]),
    );
    const uris = accounts.map((account) => (account.ok && "uri" in account.value ? account.value.uri : ""));
    expect(uris.map((uri) => URI.parse(uri))).toMatchObject([
      { label: "jane", issuer: "", algorithm: "SHA256", digits: 8, period: 30 },
      { label: "jane", issuer: "ACME", algorithm: "SHA512", digits: 6, counter: 42 },
    ]);
  });

  test.each([
    ["Example:jane", "Example", "jane", "Example"],
    ["Example: jane", "", "jane", "Example"],
    ["jane", "Example", "jane", "Example"],
    ["a:b", "Example", "a:b", "Example"],
    ["", "", "", ""],
  ])("has the account and the issuer of the name %j and the issuer %j", (name, issuer, label, service) => {
    expect(accountsOf(linkOf([{ name, issuer }]))).toMatchObject([
      { ok: true, value: { label, issuer: service } },
    ]);
  });

  test.each<[string, Account, string]>([
    ["MD5", { algorithm: 4 }, "uses another algorithm than SHA1, SHA256 and SHA512"],
    ["an unknown number of digits", { digits: 4 }, "has codes with another number of digits than 6, 7 and 8"],
    ["no type", { type: 0 }, "is neither time-based nor counter-based"],
    ["no secret", { secret: "" }, "has no secret"],
  ])("has a failure for an account with %s, and the others", (_, account, description) => {
    expect(accountsOf(linkOf([account, {}]))).toMatchObject([
      { ok: false, failure: { reason: "UNSUPPORTED_ACCOUNT", description } },
      { ok: true },
    ]);
  });

  test.each<[string, Account, string]>([
    [
      "40 bits",
      { secret: "12345" },
      "secret that must have at least 16 characters of base32 (80 bits), has 8",
    ],
    ["100 bytes", { secret: "1".repeat(100) }, "secret that must have at most 128 characters, has 160"],
    ["a large counter", { type: 1, counter: 2 ** 31 }, "counter that must be from 0 to 2147483647"],
  ])("says why no codes are computed of an account with %s", (_, account, problem) => {
    expect(accountsOf(linkOf([account, { digits: 3 }]))).toMatchObject([
      { ok: true, value: { problem: `has a parameter ${problem}` } },
      { ok: true, value: { problem: "", digits: 7 } },
    ]);
  });

  test("can have several links", () => {
    expect(readOtpExport(linkOf([{}], [1, 3]))).toMatchObject({
      ok: true,
      value: { index: 1, links: 3, id: -7 },
    });
  });

  test("is recognized by its scheme", () => {
    expect([" OTPAUTH-MIGRATION://offline", "otpauth://totp/a"].map(isOtpExport)).toEqual([true, false]);
  });

  test.each([
    ["a key URI", "otpauth://totp/a?secret=JBSWY3DPEHPK3PXP"],
    ["no data", "otpauth-migration://offline?data="],
    ["no base64", "otpauth-migration://offline?data=JBSWY3DP!"],
    ["a cut link", linkOf([{}]).slice(0, -30)],
    ["another host", linkOf([{}]).replace("offline", "online")],
  ])("is not %s, and the failure repeats nothing of it", (_, text) => {
    const description =
      "must be a complete link of Google Authenticator's export: otpauth-migration://offline?data=…";
    expect(readOtpExport(text)).toEqual({ ok: false, failure: { reason: "INVALID_EXPORT", description } });
  });

  test("has a limit of its length", () => {
    expect(readOtpExport("o".repeat(16_385))).toMatchObject({ failure: { reason: "EXPORT_TOO_LONG" } });
  });

  test("of any bytes throws nothing", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const data = encodeURIComponent(Buffer.from(bytes).toString("base64"));
        const read = readOtpExport(`otpauth-migration://offline?data=${data}`);
        expect(read.ok ? read.value.links : 1).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });
});
