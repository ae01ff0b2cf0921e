import { expect, test } from "vitest";
import { kindOfInput } from "../../src/text/recognize-input.js";

test.each([
  ["8.8.8.8", "ip"],
  [" 300.0.0.1\n", "ip"],
  ["2001:db8::1", "ip"],
  ["::ffff:8.8.8.8", "ip"],
  ["fe80::1%eth0", "ip"],
  ["8.8.8", "text"],
  ["12:30", "text"],
  ["jane@example.com", "email"],
  ["mailto:jane@example.com", "text"],
  ["https://jane@example.com/", "text"],
  ["jane @example.com", "text"],
  ["JBSWY3DPEHPK3PXP", "secret"],
  ["JBSWYDPEHPKPXPAA", "secret"],
  ["jbsw y3dp ehpk 3pxp", "secret"],
  ["JBSWY3DPEHPK3PX", "text"],
  ["UNITED ARAB EMIRATES", "text"],
  ["constantinopolitan", "text"],
  ["otpauth://totp/a:b@example.com?secret=A", "secret"],
  ["OTPAUTH-MIGRATION://offline?data=abc", "secret"],
  ["Germany", "text"],
  ["", "text"],
])("%j is meant as %s", (text, kind) => {
  expect(kindOfInput(text)).toBe(kind);
});
