import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAsnRecord } from "../../../src/tools/geoip/asn-record.js";

describe("readAsnRecord", () => {
  const google = { number: 15169, name: "Google LLC" };

  it.each([
    ["MaxMind's", { autonomous_system_number: 15169, autonomous_system_organization: "Google LLC" }],
    [
      "MaxMind's Enterprise",
      { traits: { autonomous_system_number: 15169, autonomous_system_organization: "Google LLC" } },
    ],
    ["IPinfo's Lite", { asn: "AS15169", as_name: "Google LLC", as_domain: "google.com", country_code: "US" }],
    ["IPinfo's ASN", { asn: "AS15169", name: "Google LLC", domain: "google.com" }],
    ["a number as text", { asn: "15169", name: "Google LLC" }],
    ["a uint64", { autonomous_system_number: 15169n, autonomous_system_organization: "Google LLC" }],
  ])("reads the shape: %s", (_, record) => {
    expect(readAsnRecord(record)).toEqual(google);
  });

  it.each([
    ["no name", { autonomous_system_number: 64496 }],
    ["an empty name", { autonomous_system_number: 64496, autonomous_system_organization: "" }],
    ["a name that is no text", { autonomous_system_number: 64496, autonomous_system_organization: 1 }],
  ])("reads a record with %s", (_, record) => {
    expect(readAsnRecord(record)).toEqual({ number: 64496, name: undefined });
  });

  it.each([
    ["nothing", null],
    ["a text", "AS15169"],
    ["an empty map", {}],
    ["a name alone", { autonomous_system_organization: "Google LLC" }],
    ["AS 0, which is none (RFC 7607)", { autonomous_system_number: 0, autonomous_system_organization: "x" }],
    ["a number of more than 32 bits", { autonomous_system_number: 4_294_967_296 }],
    ["a negative number", { autonomous_system_number: -1 }],
    ["a fraction", { autonomous_system_number: 1.5 }],
    ["a number among words", { asn: "AS15169 Google" }],
  ])("knows nothing from %s", (_, record) => {
    expect(readAsnRecord(record)).toBeUndefined();
  });

  it("reads any value without throwing, and never a number that is none", () => {
    const leaf = fc.anything({ withBigInt: true, maxDepth: 1 });
    const keys = fc.constantFrom("asn", "name", "as_name", "autonomous_system_number", "traits");
    fc.assert(
      fc.property(fc.oneof(leaf, fc.dictionary(keys, leaf)), (value) => {
        const number = readAsnRecord(value)?.number ?? 1;
        expect(Number.isInteger(number) && number >= 1 && number <= 4_294_967_295).toBe(true);
      }),
      { seed: 1, numRuns: 3_000 },
    );
  });
});
