import { describe, expect, test } from "vitest";
import { pageModule } from "../../page-module.js";

const { readingOf, suggestionFor } = await pageModule<{
  readonly readingOf: (text: string) => { readonly kind: string };
  readonly suggestionFor: (text: string) => string | undefined;
}>("panels/home/reading.ts");

describe("readingOf", () => {
  test.each([
    ["8.8.8.8", { kind: "ip" }],
    ["jane@gmial.com", { kind: "email" }],
    ["Doe, Jane <jane@example.com>", { kind: "email" }],
    ["JBSW-Y3DP-EHPK-3PXP", { kind: "secret" }],
    ["otpauth://totp/a?secret=JBSWY3DPEHPK3PXP", { kind: "secret" }],
    ["AS15169", { kind: "system", number: 15169 }],
    ["as15169", { kind: "system", number: 15169 }],
    ["ASN 15169", { kind: "system", number: 15169 }],
    ["00:1A:2B:3C:4D:5E", { kind: "mac" }],
    ["8.8.8.8 1.1.1.1", { kind: "list", list: { panel: "geoip", text: "8.8.8.8\n1.1.1.1", count: 2 } }],
    ["EUR", { kind: "text" }],
    ["+49 30 901820", { kind: "text" }],
    ["example.com/24", { kind: "text" }],
    ["12/24", { kind: "text" }],
    ["Japan 8.8.8.8", { kind: "text" }],
  ])("takes %j for %j", (text, reading) => {
    expect(readingOf(text)).toEqual(reading);
  });

  test.each([
    ["8.8.8.0/24", "8.8.8.0/24", "8.8.8.0", "8.8.8.255", "256"],
    ["8.8.8.77/24", "8.8.8.0/24", "8.8.8.0", "8.8.8.255", "256"],
    ["10.0.0.0/8", "10.0.0.0/8", "10.0.0.0", "10.255.255.255", "16,777,216"],
    ["0.0.0.0/0", "0.0.0.0/0", "0.0.0.0", "255.255.255.255", "4,294,967,296"],
    ["8.8.8.8/32", "8.8.8.8/32", "8.8.8.8", "8.8.8.8", "1"],
    ["10.1.2.3/13", "10.0.0.0/13", "10.0.0.0", "10.7.255.255", "524,288"],
    ["2001:DB8::/32", "2001:db8::/32", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2^96"],
    ["2001:db8::/126", "2001:db8::/126", "2001:db8::", "2001:db8::3", "4"],
    ["::ffff:8.8.8.0/120", "8.8.8.0/24", "8.8.8.0", "8.8.8.255", "256"],
  ])("reads the network %s", (text, cidr, first, last, size) => {
    expect(readingOf(text)).toMatchObject({ kind: "network", network: { cidr, first, last, size } });
  });

  test.each(["8.8.8.0/33", "300.0.0.0/8", "2001:db8::/129", "::ffff:8.8.8.0/24"])(
    "says that the network %s is not valid",
    (text) => {
      expect(readingOf(text)).toEqual({ kind: "network", network: undefined });
    },
  );
});

test.each([
  ["example.com", "https://example.com"],
  ["www.example.com:8080/menu?x=1", "https://www.example.com:8080/menu?x=1"],
  ["8.8.8.8:443", "8.8.8.8"],
  ["[2001:db8::1]:443", "2001:db8::1"],
  ["https://example.com", undefined],
  ["two words.com", undefined],
  ["menu", undefined],
  ["v1.2", undefined],
])("the suggestion for %j is %j", (text, suggestion) => {
  expect(suggestionFor(text)).toBe(suggestion);
});
