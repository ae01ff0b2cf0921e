import { describe, expect, test } from "vitest";
import { pageModule } from "../../page-module.js";

const { addressLookup, readingOf, suggestionFor } = await pageModule<{
  readonly addressLookup: (text: string) => object;
  readonly readingOf: (text: string) => { readonly kind: string };
  readonly suggestionFor: (text: string) => string | undefined;
}>("panels/home/reading.ts");

describe("readingOf", () => {
  test.each([
    ["8.8.8.8", "ip"],
    ["jane@gmial.com", "email"],
    ["Doe, Jane <jane@example.com>", "email"],
    ["JBSW-Y3DP-EHPK-3PXP", "secret"],
    ["otpauth://totp/a?secret=JBSWY3DPEHPK3PXP", "secret"],
    ["AS15169", "asn"],
    ["EUR", "text"],
    ["+49 30 901820", "text"],
    ["example.com/24", "text"],
    ["12/24", "text"],
    ["Japan 8.8.8.8", "text"],
    ["48, 2", "text"],
    ["98.5, 2.5", "text"],
    ["1.5 2.5 3.5", "text"],
    ["👩\u200d🚀", "text"],
  ])("takes %j for %j", (text, kind) => {
    expect(readingOf(text)).toEqual({ kind, text });
  });

  test.each([
    ["8.8.8.8 1.1.1.1", { kind: "list", list: { panel: "geoip", text: "8.8.8.8\n1.1.1.1", count: 2 } }],
    ["\u200b8.8.8.8\ufeff\u00a0", { kind: "ip", text: "8.8.8.8" }],
    ["jane@\u200bexample.com", { kind: "email", text: "jane@example.com" }],
    ["48.85, 2.35", { kind: "place", latitude: "48.85", longitude: "2.35", uri: "geo:48.85,2.35" }],
    [
      "geo:-48.8530°;+142.35°",
      { kind: "place", latitude: "-48.8530", longitude: "+142.35", uri: "geo:-48.8530,142.35" },
    ],
  ])("reads %j as %j", (text, reading) => {
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

  test.each([
    ["8.8.8.0/33", "This is no network."],
    ["300.0.0.0/8", "This is no network."],
    ["2001:db8::/129", "This is no network."],
    ["::ffff:8.8.8.0/24", "This is no network."],
    ["00:1A:2B:3C:4D:5E", "This is the address of a network card."],
  ])("says why nothing is known of %s", (text, note) => {
    expect(readingOf(text)).toMatchObject({ kind: "note", note: expect.stringContaining(note) });
  });
});

test.each([
  ["example.com", "https://example.com"],
  ["www.example.com:8080/menu?x=1", "https://www.example.com:8080/menu?x=1"],
  ["//example.com", "https://example.com"],
  ["//example.com/a", "https://example.com/a"],
  ["8.8.8.8:443", "8.8.8.8"],
  ["[2001:db8::1]:443", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["http://8.8.8.8/", "8.8.8.8"],
  ["https://jane@[2001:db8::1]:8443/a?b#c", "2001:db8::1"],
  ["//8.8.8.8", "8.8.8.8"],
  ["https://example.com", undefined],
  ["https://example.com/?ip=8.8.8.8", undefined],
  ["two words.com", undefined],
  ["menu", undefined],
  ["v1.2", undefined],
])("the suggestion for %j is %j", (text, suggestion) => {
  expect(suggestionFor(text)).toBe(suggestion);
});

test.each([
  [" 8.8.8.8\u200b", { value: "8.8.8.8" }],
  ["300.1.1.1", { value: "300.1.1.1" }],
  ["8.8.8.77/24", { value: "8.8.8.0/24" }],
  ["8.8.8.8:53", { value: "8.8.8.8" }],
  ["[2001:db8::1]:443", { value: "2001:db8::1" }],
  ["http://8.8.8.8/", { value: "8.8.8.8" }],
  ["8.8.8.8, 1.1.1.1", { list: { panel: "geoip", text: "8.8.8.8\n1.1.1.1", count: 2 } }],
  ["as 15169", { value: "as 15169" }],
])("the panel of addresses looks up %j", (text, lookup) => {
  expect(addressLookup(text)).toEqual(lookup);
});

test.each([
  ["8.8.8.0/33", "This is no network."],
  ["dns.google", "Names of hosts are not looked up"],
  ["https://example.com/a", "Names of hosts are not looked up"],
  ["example.com:443", "Names of hosts are not looked up"],
  ["localhost", "This is no IP address."],
  ["JBSWY3DPEHPK3PXP", "This is no IP address."],
  ["48.85, 2.35", "This is no IP address."],
  ["", "This is no IP address."],
])("the panel of addresses says why %j is not looked up", (text, problem) => {
  expect(addressLookup(text)).toEqual({ problem: expect.stringContaining(problem) });
});
