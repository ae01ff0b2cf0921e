import { expect, test } from "vitest";
import {
  accountOf,
  compactSecret,
  isSetupLink,
  secretProblem,
  setupLinkOf,
} from "../../../../src/workbench/panels/otp/account.js";

const SECRET = "JBSWY3DPEHPK3PXP";
const ACCOUNT = {
  issuer: "My Shop",
  label: "jane@example.com",
  secret: SECRET,
  digits: "8",
  algorithm: "SHA256",
  period: "60",
};
const LINK = `otpauth://totp/My%20Shop:jane%40example.com?secret=${SECRET}&issuer=My%20Shop&algorithm=SHA256&digits=8&period=60`;

test("an account and its link are each other's", () => {
  expect(setupLinkOf(ACCOUNT)).toBe(LINK);
  expect(accountOf(` ${LINK}\n`)).toEqual({ ok: true, value: ACCOUNT });
});

test("a link of Steam keeps its codes", () => {
  const read = accountOf(`otpauth://steam/jane?secret=${SECRET}`);
  expect(read).toMatchObject({ ok: true, value: { digits: "5" } });
  expect(read.ok && setupLinkOf(read.value)).toMatch(/&digits=5&period=30&encoder=steam$/);
});

test("options that a link does not have get their defaults", () => {
  expect(accountOf("otpauth://totp/jane?secret=jbsw y3dp ehpk 3pxp")).toEqual({
    ok: true,
    value: { issuer: "", label: "jane", secret: SECRET, digits: "6", algorithm: "SHA1", period: "30" },
  });
});

test.each([
  [`otpauth://hotp/jane?secret=${SECRET}&counter=1`, /codes by counter/],
  ["otpauth://totp/jane", /must be a key URI/],
  ["otpauth://totp/jane?issuer=a", /secret that is required/],
  ["otpauth-migration://offline?data=abc", /an export of several/],
  [LINK.replaceAll("&", "&amp;"), /&amp; in the place of &/],
])("%s has no account of the page", (link, description) => {
  const read = accountOf(link);
  expect(read.ok ? "" : read.failure.description).toMatch(description);
});

test.each([
  [SECRET, ""],
  ["jbsw y3dp-ehpk 3pxp", ""],
  ["  ", ""],
  ["JBSWY3DP1", "Letters A–Z and digits 2–7 only."],
  ["JBSWY3DP!", "Letters A–Z and digits 2–7 only."],
  ["JBSWY3DP", "This secret is not complete. Most have 16 or 32 characters."],
  [`${SECRET}A`, "This secret is not complete. Most have 16 or 32 characters."],
  ["A".repeat(129), "At most 128 characters."],
])("what is wrong with the secret %j is %j", (secret, problem) => {
  expect(secretProblem(secret)).toBe(problem);
});

test.each([
  ["a colon in a name", { label: "a:b" }],
  ["a secret that is not Base32", { secret: "JBSW1" }],
  ["no secret", { secret: " " }],
  ["a period of 0", { period: "0" }],
  ["a period that is no number", { period: "x" }],
])("an account with %s has no link", (_, part) => {
  expect(setupLinkOf({ ...ACCOUNT, ...part })).toBe(undefined);
});

test.each([
  ["otpauth://totp/x", true],
  [" OTPAUTH-MIGRATION://offline", true],
  ["https://example.com/?otpauth://", false],
])("isSetupLink of %j is %j", (text, expected) => {
  expect(isSetupLink(text)).toBe(expected);
});

test("a secret is compact without separators and padding", () => {
  expect(compactSecret(" jbsw-y3\u00a0dp==")).toBe("JBSWY3DP");
});
