import { describe, expect, test } from "vitest";
import { type AddressBytes, addressText, ipAddress, mappedBytes } from "../../../src/text/ip-address.js";
import { type AddressRange, addressRanges } from "../../../src/tools/geoip/address-ranges.js";
import { placeDetailsReader } from "../../../src/tools/geoip/details/place-details.js";
import { type GeoIpDatabases, lookupByFamily, lookupIp } from "../../../src/tools/geoip/lookup-ip.js";
import type { MmdbContent } from "./databases/mmdb-writer.js";
import { randomNumbers } from "./draw-addresses.js";
import { countries } from "./test-countries.js";
import { databases, mmdbReader, REPLACED, toBytes, toNumber } from "./test-databases.js";

const PARIS = {
  country_code: "FR",
  latitude: 48.85,
  longitude: 2.35,
  state1: "Île-de-France",
  city: "Paris",
};
const LYON = { country_code: "FR", latitude: 45.76, longitude: 4.84, city: "Lyon" };
const system = (number: number) => ({ autonomous_system_number: number });

function rangesIn(opened: GeoIpDatabases): AddressRange[] {
  return [...addressRanges(opened, countries)];
}

/** The first and last address, the city and the number of each range with data. */
function summaries(city: MmdbContent["records"], asn: MmdbContent["records"]) {
  return rangesIn(databases(city, asn)).flatMap(({ first, last, place, asn: found }) =>
    place.isFound || found !== undefined
      ? `${addressText(first.bytes)} ${addressText(last.bytes)} ${place.details.city} ${found?.number}`
      : [],
  );
}

test.each<
  [name: string, city: MmdbContent["records"], asn: MmdbContent["records"], expected: readonly string[]]
>([
  ["a network", { "8.8.8.0/24": PARIS }, {}, ["8.8.8.0 8.8.8.255 Paris undefined"]],
  [
    "neighbors with the same data",
    { "8.8.7.0/24": PARIS, "8.8.8.0/22": PARIS },
    {},
    ["8.8.7.0 8.8.11.255 Paris undefined"],
  ],
  [
    "neighbors with other data",
    { "8.8.6.0/24": PARIS, "8.8.7.0/24": LYON },
    {},
    ["8.8.6.0 8.8.6.255 Paris undefined", "8.8.7.0 8.8.7.255 Lyon undefined"],
  ],
  [
    "a system in a part of a location",
    { "8.8.0.0/16": PARIS },
    { "8.8.0.0/17": system(7) },
    ["8.8.0.0 8.8.127.255 Paris 7", "8.8.128.0 8.8.255.255 Paris undefined"],
  ],
  [
    "a system alone",
    {},
    { "2600::/12": system(7) },
    ["2600:: 260f:ffff:ffff:ffff:ffff:ffff:ffff:ffff undefined 7"],
  ],
  [
    "a special-purpose block within a network",
    { "192.88.96.0/20": PARIS },
    {},
    ["192.88.96.0 192.88.98.255 Paris undefined", "192.88.100.0 192.88.111.255 Paris undefined"],
  ],
  [
    "an unallocated block in which a newer file has a system",
    { "2d00::/8": PARIS },
    { "2d00::/16": system(7) },
    ["2d00:: 2d00:ffff:ffff:ffff:ffff:ffff:ffff:ffff Paris 7"],
  ],
  ["an unallocated block", { "2d00::/8": PARIS }, {}, []],
  [
    "the last addresses of both families",
    { "223.255.255.255/32": PARIS, "2fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128": PARIS },
    { "255.255.255.255/32": system(7) },
    ["223.255.255.255 223.255.255.255 Paris undefined"],
  ],
  ["a record without content", { "8.8.8.0/24": { names: "none" } }, {}, []],
  ["a city without country and coordinates", { "8.8.8.0/24": { city: "Paris" } }, {}, []],
])("ranges of %s", (_, city, asn, expected) => {
  expect(summaries(city, asn)).toEqual(expected);
});

test("a file for IPv4 alone has ranges of IPv4 alone", () => {
  const { asn } = databases({}, { "9.0.0.0/9": system(7), "2600::/12": system(8) });
  const found = rangesIn({ city: { 4: undefined, 6: undefined }, asn: { 4: asn[4], 6: undefined } });
  expect(found.filter((each) => each.asn).map(({ first }) => first.bytes)).toEqual([[9, 0, 0, 0]]);
});

test("a damaged record is an error that names the network, and not the content", () => {
  const damaged = {
    ...mmdbReader({}, () => undefined),
    lookup: () => ({ record: undefined, prefixLength: 8, damage: REPLACED }),
  };
  const readers = { 4: { ...damaged, withRecords: () => damaged }, 6: undefined };
  expect(() =>
    rangesIn({ city: readers, asn: { 4: undefined, 6: undefined } } as unknown as GeoIpDatabases),
  ).toThrow("the geolocation data of 1.0.0.0/8 is damaged");
});

describe("random databases have the answers of lookups", () => {
  const places: readonly Readonly<Record<string, string | number>>[] = [
    PARIS,
    LYON,
    { country_code: "DE" },
    { latitude: 1, longitude: 2 },
    { city: "Nowhere" },
  ];

  test.each(Array.from({ length: 20 }, (_, seed) => seed))("seed %i", (seed) => {
    const random = randomNumbers(BigInt(seed));
    const blocks = <T>(bits: 32 | 128, start: bigint, recordOf: (n: number) => T) =>
      Array.from({ length: 60 }, () => {
        const length = (bits === 32 ? 12 : 20) + Number(random(4));
        const host = BigInt(bits - length);
        const number = ((start | random(bits - 8)) >> host) << host;
        return [`${ipAddress(toBytes(number, bits)).text}/${length}`, recordOf(Number(random(32)))] as const;
      });
    const recordsOf = <T>(recordOf: (n: number) => T) =>
      Object.fromEntries([...blocks(32, 0xc0n << 24n, recordOf), ...blocks(128, 0x20n << 120n, recordOf)]);
    const opened = databases(
      recordsOf((n) => places[n % places.length] ?? PARIS),
      recordsOf((n) => system(1 + (n % 3))),
    );
    const found = rangesIn(opened);
    const details = opened.city[4]?.withRecords(placeDetailsReader(countries), 10);
    const answerOf = (text: ReturnType<typeof ipAddress>) => {
      const result = lookupIp(text, opened);
      const place = lookupByFamily({ 4: details, 6: details }, text).record;
      return result.ok
        ? {
            country: result.value.location.country,
            ...result.value.coords,
            asn: result.value.asn,
            city: place?.city,
            zone: place?.timeZone,
          }
        : undefined;
    };
    expect(found.length).toBeGreaterThan(50);
    let next = 0n;
    for (const { first, last, place, asn } of found) {
      const { location, coords, details, isFound } = place;
      const { city, timeZone: zone } = details;
      const answer = { country: location.country, ...coords, asn: asn?.number ?? 0, city, zone };
      const expected = isFound || asn !== undefined ? answer : undefined;
      expect([first, last].map(({ bytes }) => answerOf(ipAddress(bytes)))).toEqual([expected, expected]);
      expect(mapped(first)).toBe(next);
      next = mapped(last) + 1n;
    }
    expect(next).toBe(2n ** 128n);
  });
});

function mapped(address: AddressBytes): bigint {
  return toNumber({ bytes: [...mappedBytes(address)] });
}
