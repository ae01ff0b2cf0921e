import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isInEuropeanUnion,
  readAsnRecord,
  readCityRecord,
  readLocation,
} from "../../../../src/tools/geoip/databases/records.js";
import { loadCountries } from "../../../data/load-countries.js";

describe("readLocation", () => {
  it.each([
    [
      "everything",
      { country_code: "US", latitude: 37.422000885009766, longitude: -122.08499908447266 },
      { location: { country: "US", eu: false }, coords: { lat: 37.422, lon: -122.085 } },
    ],
    [
      "only a country",
      { country_code: "FR" },
      { location: { country: "FR", eu: true }, coords: { lat: 0, lon: 0 } },
    ],
    [
      "no EU flag of the database",
      { country: { iso_code: "RE", is_in_european_union: false } },
      { location: { country: "RE", eu: true }, coords: { lat: 0, lon: 0 } },
    ],
    [
      "only coordinates, never -0",
      { latitude: -0.000_01, longitude: 0.000_05 },
      { location: { country: "", eu: false }, coords: { lat: 0, lon: 0.0001 } },
    ],
  ])("reads %s", (_, record, expected) => {
    expect(readLocation(record)).toEqual(expected);
  });

  it.each([null, {}, { city: "Berlin" }, { latitude: 1 }])("returns undefined for case %#", (record) => {
    expect(readLocation(record)).toBeUndefined();
  });

  it("returns frozen parts", () => {
    const read = readLocation({ country_code: "FR" });
    expect([read?.location, read?.coords].every(Object.isFrozen)).toBe(true);
  });
});

const NOTHING_ELSE = { latitude: undefined, longitude: undefined };

describe("readCityRecord", () => {
  it("reads DB-IP's flat shape", () => {
    const record = {
      city: "Mountain View",
      country_code: "US",
      latitude: 37.422000885009766,
      longitude: -122.08499908447266,
      postcode: "",
      state1: "California",
      state2: "",
      timezone: "",
    };
    expect(readCityRecord(record)).toEqual({
      country: "US",
      latitude: 37.422000885009766,
      longitude: -122.08499908447266,
    });
  });

  it("reads MaxMind's nested shape", () => {
    const record = {
      city: { geoname_id: 2950159, names: { en: "Berlin" } },
      continent: { code: "EU", geoname_id: 6255148 },
      country: { geoname_id: 2921044, is_in_european_union: true, iso_code: "DE", names: { en: "Germany" } },
      location: { accuracy_radius: 20, latitude: 52.5196, longitude: 13.4069, time_zone: "Europe/Berlin" },
      registered_country: { iso_code: "US" },
    };
    expect(readCityRecord(record)).toEqual({ country: "DE", latitude: 52.5196, longitude: 13.4069 });
  });

  it("reads IPinfo's flat shape", () => {
    expect(readCityRecord({ country: "AU", lat: "-33.86785", lng: "151.20732" })).toEqual({
      country: "AU",
      latitude: -33.86785,
      longitude: 151.20732,
    });
  });

  it("does not use the registered country", () => {
    expect(
      readCityRecord({ registered_country: { iso_code: "AU", is_in_european_union: false } }),
    ).toBeUndefined();
  });

  it.each([
    ["lower case", { country_code: "xk" }, "XK"],
    ["three letters", { country_code: "USA", latitude: 1, longitude: 1 }, undefined],
    ["a number", { country_code: 49, latitude: 1, longitude: 1 }, undefined],
    ["the code for unknown", { country_code: "ZZ", latitude: 1, longitude: 1 }, undefined],
    ["a dash", { country_code: "-", latitude: 1, longitude: 1 }, undefined],
    ["a map without a code", { country: { names: {} }, country_code: "FR" }, "FR"],
    ["a text where a map belongs", { country: "DE", location: "x" }, "DE"],
  ])("reads a country that is %s", (_, record, country) => {
    expect(readCityRecord(record)?.country).toBe(country);
  });

  it.each([
    ["behind the pole", { latitude: 90.1, longitude: 0 }],
    ["behind the date line", { latitude: 0, longitude: -180.1 }],
    ["not numbers", { latitude: Number.NaN, longitude: Number.POSITIVE_INFINITY }],
    ["words", { latitude: "north", longitude: "" }],
    ["bigints", { latitude: 1n, longitude: 1n }],
    ["one without the other", { latitude: 1 }],
    ["one in each shape that make no pair", { location: { latitude: 1 } }],
  ])("ignores coordinates that are %s", (_, coordinates) => {
    expect(readCityRecord({ country_code: "DE", ...coordinates })).toEqual({
      country: "DE",
      ...NOTHING_ELSE,
    });
  });

  it("reads coordinates at 0, 0 and at the limits", () => {
    expect(readCityRecord({ latitude: 0, longitude: 0 })).toMatchObject({ latitude: 0, longitude: 0 });
    expect(readCityRecord({ latitude: -90, longitude: 180 })).toMatchObject({
      latitude: -90,
      longitude: 180,
    });
  });

  it.each([null, undefined, "", "x", 1, 1n, true, [], {}, { country: null }, { location: { latitude: {} } }])(
    "returns undefined for case %#",
    (record) => {
      expect(readCityRecord(record)).toBeUndefined();
    },
  );

  it("never throws, and only returns valid values", () => {
    const leaf = fc.oneof(fc.anything({ withBigInt: true, maxDepth: 1 }), fc.constantFrom("DE", 12.5, true));
    const map = (...keys: string[]) => fc.dictionary(fc.constantFrom(...keys), leaf);
    const record = fc.oneof(
      fc.anything({ withBigInt: true, withNullPrototype: true }),
      map("country", "country_code", "latitude", "longitude", "lat", "lng", "location"),
      fc.record({ country: map("iso_code"), location: map("latitude", "longitude") }),
    );
    fc.assert(
      fc.property(record, (value) => {
        const read = readCityRecord(value);
        if (read !== undefined) {
          expect(read.country ?? "DE").toMatch(/^[A-Z]{2}$/);
          expect(Math.abs(read.latitude ?? 0)).toBeLessThanOrEqual(90);
          expect(Math.abs(read.longitude ?? 0)).toBeLessThanOrEqual(180);
          expect(read.latitude === undefined).toBe(read.longitude === undefined);
        }
      }),
      { seed: 1, numRuns: 1_000 },
    );
  });
});

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const ALL_CODES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));

describe("isInEuropeanUnion", () => {
  it("is true for the countries that countries.json has in the Union, from CLDR", () => {
    const members = loadCountries()
      .filter(({ eu }) => eu)
      .map(({ code2 }) => code2);
    expect(members).toHaveLength(34);
    expect(ALL_CODES.filter(isInEuropeanUnion)).toEqual(members.sort());
  });

  it.each([
    ["the United Kingdom, which left in 2020", "GB"],
    ["Saint Barthélemy, which left in 2012", "BL"],
    ["Greenland", "GL"],
    ["the Faroe Islands", "FO"],
    ["Aruba", "AW"],
    ["New Caledonia", "NC"],
    ["the European Union as a code", "EU"],
    ["Greece as the Union writes it", "EL"],
    ["nothing", ""],
  ])("is false for %s", (_, code) => {
    expect(isInEuropeanUnion(code)).toBe(false);
  });
});

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
    ["no name", { autonomous_system_number: 1 }],
    ["an empty name", { autonomous_system_number: 1, autonomous_system_organization: "" }],
    ["a name that is no text", { autonomous_system_number: 1, autonomous_system_organization: 1 }],
    [
      "a name of 257 characters",
      { autonomous_system_number: 1, autonomous_system_organization: "x".repeat(257) },
    ],
  ])("reads a record with %s", (_, record) => {
    expect(readAsnRecord(record)).toEqual({ number: 1, name: undefined });
  });

  it.each([
    ["nothing", null],
    ["a text", "AS15169"],
    ["an empty map", {}],
    ["a name alone", { autonomous_system_organization: "Google LLC" }],
    [
      "AS 0, which is not a number of an AS (RFC 7607)",
      { autonomous_system_number: 0, autonomous_system_organization: "x" },
    ],
    ["AS_TRANS (RFC 6793)", { autonomous_system_number: 23_456 }],
    ["the first number for documentation (RFC 5398)", { autonomous_system_number: 64_496 }],
    ["a private number (RFC 6996)", { asn: "AS64512" }],
    ["the last reserved number of 17 bits", { autonomous_system_number: 131_071 }],
    ["the first private number of 32 bits", { autonomous_system_number: 4_200_000_000n }],
    ["the last number (RFC 7300)", { autonomous_system_number: 4_294_967_295 }],
    ["a number of more than 32 bits", { autonomous_system_number: 4_294_967_296 }],
    ["a negative number", { autonomous_system_number: -1 }],
    ["a fraction", { autonomous_system_number: 1.5 }],
    ["a number among words", { asn: "AS15169 Google" }],
  ])("returns undefined for %s", (_, record) => {
    expect(readAsnRecord(record)).toBeUndefined();
  });

  it.each([1, 23_455, 23_457, 64_495, 131_072, 4_199_999_999])(
    "reads AS%i, beside reserved ones",
    (number) => {
      expect(readAsnRecord({ autonomous_system_number: number })).toEqual({ number, name: undefined });
    },
  );

  it("corrects names", () => {
    expect(readAsnRecord({ asn: 1, name: "A &amp;amp; B - A & B" })).toEqual({ number: 1, name: "A & B" });
  });

  it("never throws, and only returns valid numbers", () => {
    const leaf = fc.anything({ withBigInt: true, maxDepth: 1 });
    const keys = fc.constantFrom("asn", "name", "as_name", "autonomous_system_number", "traits");
    fc.assert(
      fc.property(fc.oneof(leaf, fc.dictionary(keys, leaf)), (value) => {
        const number = readAsnRecord(value)?.number ?? 1;
        expect(Number.isInteger(number) && number >= 1 && number < 4_200_000_000).toBe(true);
      }),
      { seed: 1, numRuns: 1_000 },
    );
  });
});
