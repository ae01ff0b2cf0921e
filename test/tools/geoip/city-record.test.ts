import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCityRecord } from "../../../src/tools/geoip/city-record.js";

const NOTHING_ELSE = { isInEuropeanUnion: undefined, latitude: undefined, longitude: undefined };

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
      isInEuropeanUnion: undefined,
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
    expect(readCityRecord(record)).toEqual({
      country: "DE",
      isInEuropeanUnion: true,
      latitude: 52.5196,
      longitude: 13.4069,
    });
  });

  it("reads IPinfo's flat shape", () => {
    expect(readCityRecord({ country: "AU", lat: "-33.86785", lng: "151.20732" })).toEqual({
      country: "AU",
      isInEuropeanUnion: undefined,
      latitude: -33.86785,
      longitude: 151.20732,
    });
  });

  it("takes no registered country for the country", () => {
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
  ])("knows no coordinates that are %s", (_, coordinates) => {
    expect(readCityRecord({ country_code: "DE", ...coordinates })).toEqual({
      country: "DE",
      ...NOTHING_ELSE,
    });
  });

  it("knows coordinates at 0, 0 and at the limits", () => {
    expect(readCityRecord({ latitude: 0, longitude: 0 })).toMatchObject({ latitude: 0, longitude: 0 });
    expect(readCityRecord({ latitude: -90, longitude: 180 })).toMatchObject({
      latitude: -90,
      longitude: 180,
    });
  });

  it.each([null, undefined, "", "x", 1, 1n, true, [], {}, { country: null }, { location: { latitude: {} } }])(
    "knows nothing of case %#",
    (record) => {
      expect(readCityRecord(record)).toBeUndefined();
    },
  );

  it("reads any value without throwing, and never anything but what it promises", () => {
    const leaf = fc.oneof(fc.anything({ withBigInt: true, maxDepth: 1 }), fc.constantFrom("DE", 12.5, true));
    const map = (...keys: string[]) => fc.dictionary(fc.constantFrom(...keys), leaf);
    const record = fc.oneof(
      fc.anything({ withBigInt: true, withNullPrototype: true }),
      map("country", "country_code", "latitude", "longitude", "lat", "lng", "location"),
      fc.record({
        country: map("iso_code", "is_in_european_union"),
        location: map("latitude", "longitude"),
      }),
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
      { seed: 1, numRuns: 3_000 },
    );
  });
});
