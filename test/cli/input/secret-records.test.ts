import { expect, test } from "vitest";
import { createSecretReader, secretInRecord } from "../../../src/cli/input/secret-records.js";

const KEY_URI = "otpauth://totp/A?secret=JBSWY3DPEHPK3PXP&digits=8";
const RECORD = ["algorithm\tSHA1", `otp_url\t${KEY_URI}`, "secret\tJBSWY3DPEHPK3PXP", "type\ttotp"];

test.each<[string, string[], string[]]>([
  ["a record", RECORD, [KEY_URI]],
  ["two records", [...RECORD, ...RECORD], [KEY_URI, KEY_URI]],
  ["a field alone, twice", ["secret\tA", "secret\tB"], ["A", "B"]],
  ["a secret before its key URI", ["secret\tA", `otp_url\t${KEY_URI}`], ["A"]],
  ["a record, and a secret", [...RECORD, "B", "secret\tC"], [KEY_URI, "B", "C"]],
  ["JSON of a new secret", [JSON.stringify({ otp_url: KEY_URI, secret: "A" })], [KEY_URI]],
  ["JSON of an imported account", [JSON.stringify({ issuer: "A", uri: KEY_URI })], [KEY_URI]],
  ["other lines", ["{", '{"a":1}', "{}", "note\tA", "A B"], ["{", '{"a":1}', "{}", "note\tA", "A B"]],
])("%s", (_, lines, secrets) => {
  const read = createSecretReader();
  expect(lines.flatMap((text) => read({ text }))).toEqual(secrets.map((text) => ({ text })));
});

test.each([
  [RECORD.join("\r\n"), KEY_URI],
  ["secret\tA", "A"],
  ["A\nB", "A\nB"],
])("%j is one text", (text, secret) => {
  expect(secretInRecord(text)).toBe(secret);
});
