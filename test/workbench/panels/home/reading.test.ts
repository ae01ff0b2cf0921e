import { expect, test } from "vitest";
import { pageModule } from "../../page-module.js";

const { readingOf, mayBeSecret } = await pageModule<{
  readonly readingOf: (typed: string) => object | undefined;
  readonly mayBeSecret: (text: string) => boolean;
}>("panels/home/reading.ts");

const SECRET = "JBSWY3DPEHPK3PXP";
const secret = { kind: "secret", request: { secret: SECRET }, account: "" };

test.each([
  ["", undefined],
  ["  \n", undefined],
  [" 8.8.8.8 ", { kind: "ip", text: "8.8.8.8" }],
  ["2001:db8::1", { kind: "ip", text: "2001:db8::1" }],
  ["jane@example.com", { kind: "email", text: "jane@example.com" }],
  ["mailto:jane@example.com", { kind: "text", text: "mailto:jane@example.com" }],
  ["https://jane@example.com/", { kind: "text", text: "https://jane@example.com/" }],
  [SECRET, secret],
  ["jbsw y3dp ehpk 3pxp", secret],
  ["UNITED ARAB EMIRATES", { kind: "text", text: "UNITED ARAB EMIRATES" }],
  ["constantinopolitan", { kind: "text", text: "constantinopolitan" }],
])("%j is read as %j", (typed, reading) => {
  expect(readingOf(typed)).toEqual(reading);
});

test.each([
  [`otpauth://totp/A%20B:jane?secret=${SECRET}&digits=8`, "A B: jane"],
  [`otpauth://totp/jane?secret=${SECRET}&algorithm=SHA256`, "jane"],
  [`OTPAUTH://hotp/jane?secret=${SECRET}&counter=1`, "jane"],
  ["otpauth-migration://offline?data=abc", ""],
  ["otpauth:", ""],
])("%s is read as a link of the account %j", (uri, account) => {
  expect(readingOf(uri)).toEqual({ kind: "secret", request: { key_uri: uri }, account });
});

test.each([
  ["JBSWY3", true],
  ["jbsw y3dp", true],
  ["JBSWYDPE", true],
  ["see otpauth://totp/x", true],
  ["Japan", false],
  ["US", false],
  ["two words", false],
  ["https://example.com/2", false],
])("mayBeSecret of %j is %j", (text, expected) => {
  expect(mayBeSecret(text)).toBe(expected);
});
