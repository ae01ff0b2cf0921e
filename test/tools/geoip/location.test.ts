import { expect, it } from "vitest";
import { readLocation } from "../../../src/tools/geoip/location.js";

it.each([
  [
    "everything",
    { country_code: "US", latitude: 37.422000885009766, longitude: -122.08499908447266 },
    { location: { country: "US", eu: false }, coords: { lat: 37.422, lon: -122.085 } },
  ],
  [
    "a country alone",
    { country_code: "FR" },
    { location: { country: "FR", eu: true }, coords: { lat: 0, lon: 0 } },
  ],
  [
    "what the database says of the European Union, also against the table",
    { country: { iso_code: "DE", is_in_european_union: false } },
    { location: { country: "DE", eu: false }, coords: { lat: 0, lon: 0 } },
  ],
  [
    "coordinates alone, never -0",
    { latitude: -0.000_01, longitude: 0.000_05 },
    { location: { country: "", eu: false }, coords: { lat: 0, lon: 0.0001 } },
  ],
])("reads %s", (_, record, expected) => {
  expect(readLocation(record)).toEqual(expected);
});

it.each([null, {}, { city: "Berlin" }, { latitude: 1 }])("knows nothing of case %#", (record) => {
  expect(readLocation(record)).toBeUndefined();
});

it("gives parts that no answer can change", () => {
  const read = readLocation({ country_code: "FR" });
  expect([read?.location, read?.coords].every(Object.isFrozen)).toBe(true);
});
