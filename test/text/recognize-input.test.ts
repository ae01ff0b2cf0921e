import { expect, test } from "vitest";
import { kindOfInput, MAC_ADDRESS } from "../../src/text/recognize-input.js";

test.each([
  ["8.8.8.8", "ip"],
  [" 300.0.0.1\n", "ip"],
  ["2001:db8::1", "ip"],
  ["::ffff:8.8.8.8", "ip"],
  ["fe80::1%eth0", "ip"],
  ["AS15169", "asn"],
  ["as 15169", "asn"],
  ["ASN15169", "asn"],
  ["asn:15169", "asn"],
  ["ASN 99999999999", "text"],
  ["AS", "text"],
  ["8.8.8", "text"],
  ["12:30", "text"],
  ["jane@example.com", "email"],
  ["mailto:jane@example.com", "email"],
  ["Doe, Jane <jane@example.com>", "email"],
  ["<jane@example.com>", "email"],
  ["Jane <jane@example.com>, Joe <joe@example.com>", "text"],
  ["00:1A:2B:3C:4D:5E", "text"],
  ["https://jane@example.com/", "text"],
  ["jane @example.com", "text"],
  ["JBSWY3DPEHPK3PXP", "secret"],
  ["JBSWYDPEHPKPXPAA", "secret"],
  ["jbsw y3dp ehpk 3pxp", "secret"],
  ["JBSW-Y3DP-EHPK-3PXP", "secret"],
  ["JBSWY3DP-EHPK3PXP", "secret"],
  ["JBSW-YDPE-HPKP-XPAA", "secret"],
  ["jbsw-ydpe-hpkp-xpaa", "text"],
  ["jbswy3 dpehp k3pxpaa", "text"],
  ["4 of us go to 2 lakes", "text"],
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

test.each([
  ["00:1A:2B:3C:4D:5E", true],
  ["00-1a-2b-3c-4d-5e", true],
  ["001a.2b3c.4d5e", true],
  ["00:1A-2B:3C:4D:5E", false],
  ["00:1A:2B:3C:4D", false],
  ["2001:db8::1", false],
])("%j is the address of a network card: %s", (text, expected) => {
  expect(MAC_ADDRESS.test(text)).toBe(expected);
});
