import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PlaceDetails, placeDetailsReader } from "../../../../src/tools/geoip/details/place-details.js";
import { countries } from "../test-countries.js";

const read = placeDetailsReader(countries);

/** The records of the publishers, with the details that they lead to. */
const SHAPES: readonly [publisher: string, record: unknown, details: Partial<PlaceDetails>][] = [
  [
    "DB-IP City Lite of ip-location-db",
    {
      city: "Berlin (Charlottenburg-Wilmersdorf)",
      country_code: "DE",
      latitude: 52.52320098876953,
      longitude: 13.321399688720703,
      postcode: "",
      state1: "State of Berlin",
      state2: "",
      timezone: "",
    },
    {
      countryName: "Germany",
      continent: "Europe",
      region: "State of Berlin",
      regionCode: "DE-BE",
      city: "Berlin (Charlottenburg-Wilmersdorf)",
      timeZone: "Europe/Berlin",
      callingCode: "+49",
      callingCodes: ["+49"],
      currency: "EUR",
    },
  ],
  [
    // The record of 2.125.160.216/29 in MaxMind's GeoIP2-City-Test.mmdb, without names in other languages.
    "MaxMind City",
    {
      city: { geoname_id: 2655045, names: { en: "Boxford" } },
      continent: { code: "EU", geoname_id: 6255148, names: { en: "Europe" } },
      country: { geoname_id: 2635167, iso_code: "GB", names: { en: "United Kingdom" } },
      location: { accuracy_radius: 100, latitude: 51.75, longitude: -1.25, time_zone: "Europe/London" },
      postal: { code: "OX1" },
      registered_country: { geoname_id: 3017382, iso_code: "FR", names: { en: "France" } },
      subdivisions: [
        { geoname_id: 6269131, iso_code: "ENG", names: { en: "England" } },
        { geoname_id: 3333217, iso_code: "WBK", names: { en: "West Berkshire" } },
      ],
    },
    {
      countryName: "United Kingdom",
      continent: "Europe",
      region: "England",
      regionCode: "GB-ENG",
      city: "Boxford",
      postalCode: "OX1",
      timeZone: "Europe/London",
      accuracyRadiusKm: 100,
      callingCode: "+44",
      callingCodes: ["+44"],
      currency: "GBP",
    },
  ],
  [
    "DB-IP City Lite of DB-IP",
    {
      city: { names: { en: "Mountain View" } },
      continent: { code: "NA", geoname_id: 6255149, names: { en: "North America" } },
      country: { geoname_id: 6252001, is_in_european_union: false, iso_code: "US", names: { en: "USA" } },
      location: { latitude: 37.422, longitude: -122.085 },
      subdivisions: [{ names: { en: "California" } }],
    },
    {
      countryName: "United States",
      continent: "North America",
      region: "California",
      regionCode: "US-CA",
      city: "Mountain View",
      timeZone: "America/Los_Angeles",
      callingCode: "+1",
      callingCodes: ["+1"],
      currency: "USD",
    },
  ],
  [
    "IPinfo location",
    {
      city: "Sydney",
      country: "AU",
      lat: "-33.86785",
      lng: "151.20732",
      postal_code: "1001",
      region: "New South Wales",
      region_code: "NSW",
      timezone: "Australia/Sydney",
    },
    {
      countryName: "Australia",
      continent: "Oceania",
      region: "New South Wales",
      regionCode: "AU-NSW",
      city: "Sydney",
      postalCode: "1001",
      timeZone: "Australia/Sydney",
      callingCode: "+61",
      callingCodes: ["+61"],
      currency: "AUD",
    },
  ],
  [
    "IPinfo Lite",
    {
      as_domain: "google.com",
      as_name: "Google LLC",
      asn: "AS15169",
      continent: "Europe",
      continent_code: "EU",
      country: "France",
      country_code: "FR",
    },
    {
      countryName: "France",
      continent: "Europe",
      timeZone: "Europe/Paris",
      callingCode: "+33",
      callingCodes: ["+33"],
      currency: "EUR",
    },
  ],
];

describe("placeDetailsReader", () => {
  it.each(SHAPES)("reads the shape of %s", (_, record, details) => {
    const found = read(record);
    expect(found).toEqual(details);
    expect(Object.isFrozen(found)).toBe(true);
  });

  it.each([null, undefined, "", "x", 1, 1n, true, [], {}, { city: {} }, { city: "", subdivisions: [] }])(
    "returns undefined for case %#",
    (record) => {
      expect(read(record)).toBeUndefined();
    },
  );

  it.each([
    ["of the record", { country_code: "US", state1: "California", region_code: "NY" }, "US-NY"],
    ["whole", { country_code: "US", region_code: "US-NY" }, "US-NY"],
    [
      "by name if the code is unknown",
      { country_code: "US", state1: "California", region_code: "XX" },
      "US-CA",
    ],
    ["of no other country", { country_code: "US", region_code: "DE-BE" }, undefined],
    ["of a country without data", { country_code: "AP", state1: "California" }, undefined],
    ["that is not a text", { country_code: "US", region_code: { toString: 1 } }, undefined],
    ["by a name that is not a text", { country_code: "US", state1: ["California"] }, undefined],
  ])("has a region code %s", (_, record, code) => {
    expect(read({ city: "x", ...record })?.regionCode).toBe(code);
  });

  it.each([
    ["the record", { country_code: "FR", timezone: "America/Cayenne" }, "America/Cayenne"],
    ["the only one of the country", { country_code: "FR", latitude: 52.5, longitude: 13.4 }, "Europe/Paris"],
    ["the coordinates", { country_code: "US", latitude: 41.85, longitude: -87.65 }, "America/Chicago"],
    [
      "the coordinates at a pole",
      { country_code: "AQ", latitude: -90, longitude: 180 },
      "Antarctica/McMurdo",
    ],
    [
      "nothing, if another country has it",
      { country_code: "US", latitude: 52.5, longitude: 13.4 },
      undefined,
    ],
    ["nothing, without coordinates", { country_code: "US", latitude: 52.5 }, undefined],
    ["nothing, without a country", { latitude: 52.5, longitude: 13.4 }, undefined],
    ["the country, if the record has an offset", { country_code: "JP", timezone: "+09:00" }, "Asia/Tokyo"],
    [
      "the country, if the record has a text that is too long",
      { country_code: "JP", timezone: `A/${"b".repeat(70)}` },
      "Asia/Tokyo",
    ],
  ])("has the time zone of %s", (_, record, zone) => {
    expect(read({ city: "x", ...record })?.timeZone).toBe(zone);
  });

  it("has the names of the record for a country without data", () => {
    const record = {
      continent: { code: "AS" },
      country: { iso_code: "AP", names: { en: "Asia/Pacific Region" } },
    };
    expect(read(record)).toMatchObject({ countryName: "Asia/Pacific Region", continent: "Asia" });
    expect(read({ continent_code: "toString", city: "x" })?.continent).toBeUndefined();
  });

  it.each([
    [0, undefined],
    [1, 1],
    [1000, 1000],
    [20_038, 20_038],
    [20_039, undefined],
    [1.5, undefined],
    [-1, undefined],
    ["5", undefined],
    [5n, undefined],
  ])("reads the accuracy radius %s as %s", (radius, expected) => {
    expect(read({ city: "x", location: { accuracy_radius: radius } })?.accuracyRadiusKm).toBe(expected);
  });

  it.each(["city", "postcode", "state1"])(
    "ignores a %s that is not a text of 1 to 256 characters",
    (field) => {
      for (const value of ["x".repeat(257), "", 12345, ["x"], { de: "x" }, null, true]) {
        expect(read({ country_code: "FR", [field]: value })).toEqual(read({ country_code: "FR" }));
      }
    },
  );

  it("never throws, and only returns texts and a radius", () => {
    const leaf = fc.oneof(
      fc.anything({ withBigInt: true, withNullPrototype: true, maxDepth: 2 }),
      fc.constantFrom("US", "California", 12.5, true),
    );
    const map = (...keys: string[]) => fc.dictionary(fc.constantFrom(...keys), leaf);
    const names = fc.oneof(leaf, fc.record({ names: fc.oneof(leaf, map("en")), iso_code: leaf, code: leaf }));
    const record = fc.oneof(
      leaf,
      map("country_code", "city", "state1", "region_code", "postcode", "timezone", "radius", "latitude"),
      fc.record({
        country: fc.oneof(names, fc.constant({ iso_code: "US" })),
        city: names,
        continent: names,
        postal: names,
        subdivisions: fc.oneof(leaf, fc.array(names, { maxLength: 2 })),
        location: map("accuracy_radius", "time_zone", "latitude", "longitude"),
      }),
    );
    fc.assert(
      fc.property(record, (value) => {
        const { accuracyRadiusKm = 1, callingCodes = ["+1"], ...texts } = read(value) ?? {};
        expect(Number.isInteger(accuracyRadiusKm)).toBe(true);
        expect(callingCodes).toEqual(["+1"]);
        const known = Object.values(texts).filter((text) => text !== undefined);
        expect(known.every((text) => typeof text === "string" && text !== "" && text.length <= 256)).toBe(
          true,
        );
      }),
      { seed: 1, numRuns: 1_000 },
    );
  });
});

// ITU-T E.164, list of country codes; the national numbering plans of Saint Helena and Ascension (+247).
it.each([
  ["KZ", "", "+7", ["+76", "+77"]],
  ["BQ", "", "+599", ["+5993", "+5994", "+5997"]],
  ["DO", "", "+1", ["+1809", "+1829", "+1849"]],
  ["PR", "", "+1", ["+1787", "+1939"]],
  ["YT", "", "+262", ["+262269", "+262639"]],
  ["EH", "", "+212", ["+2125288", "+2125289"]],
  ["AS", "", "+1684", ["+1684"]],
  ["VA", "", "+3906698", ["+3906698"]],
  ["SH", "Saint Helena", "+290", ["+290", "+247"]],
  ["SH", "Ascension", "+247", ["+290", "+247"]],
])("the calling code of %s, %s is %s", (country_code, state1, callingCode, callingCodes) => {
  expect(read({ country_code, state1 })).toMatchObject({ callingCode, callingCodes });
});
