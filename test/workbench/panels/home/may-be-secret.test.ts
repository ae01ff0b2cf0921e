import { expect, test } from "vitest";
import { mayBeSecret } from "../../../../src/workbench/panels/home/may-be-secret.js";

test.each([
  ["JBSWY3", true],
  ["jbsw y3dp", true],
  ["JBSWYDPE", true],
  ["JBSW-Y3DP-EH", true],
  ["my key is JBSWYDPEHPKPXPAA", true],
  ["GUINEA-BISSAU", false],
  ["UNITED ARAB EMIRATES", false],
  ["see otpauth://totp/x", true],
  ["password: hunter2", true],
  ["api_key=x", true],
  ["sk_live_4eC39HqLyjWDarjtT1zdp7dc", true],
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", true],
  ["my password", false],
  ["the-3rd-example-of-a-host.example", false],
  ["Japan", false],
  ["US", false],
  ["two words", false],
  ["https://example.com/2", false],
])("mayBeSecret of %j is %j", (text, expected) => {
  expect(mayBeSecret(text)).toBe(expected);
});
