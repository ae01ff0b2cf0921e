import { describe, expect, test } from "vitest";
import { addressAfter, ipAddress } from "../../../src/text/ip-address.js";
import { placeDetailsReader } from "../../../src/tools/geoip/details/place-details.js";
import { type GeoIpDatabases, lookupByFamily, lookupIp } from "../../../src/tools/geoip/lookup-ip.js";
import { type NetworkRange, rangesWithData } from "../../../src/tools/geoip/networks.js";
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

function rangesIn(opened: GeoIpDatabases): NetworkRange[] {
  return [...rangesWithData(opened, countries)];
}

/** The first and last address, the prefix length, the city and the number of each range. */
function summaries(city: MmdbContent["records"], asn: MmdbContent["records"]) {
  return rangesIn(databases(city, asn)).map(
    ({ first, last, prefixLength, details, asn: found }) =>
      `${first.text} ${last.text} ${prefixLength} ${details.city} ${found?.number}`,
  );
}

test.each<
  [name: string, city: MmdbContent["records"], asn: MmdbContent["records"], expected: readonly string[]]
>([
  ["a network", { "8.8.8.0/24": PARIS }, {}, ["8.8.8.0 8.8.8.255 24 Paris undefined"]],
  [
    "neighbors with the same data",
    { "8.8.7.0/24": PARIS, "8.8.8.0/22": PARIS },
    {},
    ["8.8.7.0 8.8.11.255 undefined Paris undefined"],
  ],
  [
    "neighbors with other data",
    { "8.8.6.0/24": PARIS, "8.8.7.0/24": LYON },
    {},
    ["8.8.6.0 8.8.6.255 24 Paris undefined", "8.8.7.0 8.8.7.255 24 Lyon undefined"],
  ],
  [
    "a system in a part of a location",
    { "8.8.0.0/16": PARIS },
    { "8.8.0.0/17": system(7) },
    ["8.8.0.0 8.8.127.255 17 Paris 7", "8.8.128.0 8.8.255.255 17 Paris undefined"],
  ],
  [
    "a system alone",
    {},
    { "2600::/12": system(7) },
    ["2600:: 260f:ffff:ffff:ffff:ffff:ffff:ffff:ffff 12 undefined 7"],
  ],
  [
    "a special-purpose block within a network",
    { "192.88.96.0/20": PARIS },
    {},
    [
      "192.88.96.0 192.88.98.255 undefined Paris undefined",
      "192.88.100.0 192.88.111.255 undefined Paris undefined",
    ],
  ],
  [
    "an unallocated block in which a newer file has a system",
    { "2d00::/8": PARIS },
    { "2d00::/16": system(7) },
    ["2d00:: 2d00:ffff:ffff:ffff:ffff:ffff:ffff:ffff 16 Paris 7"],
  ],
  ["an unallocated block", { "2d00::/8": PARIS }, {}, []],
  [
    "the last addresses of both families",
    { "223.255.255.255/32": PARIS, "2fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128": PARIS },
    { "255.255.255.255/32": system(7) },
    ["223.255.255.255 223.255.255.255 32 Paris undefined"],
  ],
  ["a record without content", { "8.8.8.0/24": { names: "none" } }, {}, []],
  ["a city without country and coordinates", { "8.8.8.0/24": { city: "Paris" } }, {}, []],
])("ranges of %s", (_, city, asn, expected) => {
  expect(summaries(city, asn)).toEqual(expected);
});

test("a file for IPv4 alone has ranges of IPv4 alone", () => {
  const { asn } = databases({}, { "9.0.0.0/9": system(7), "2600::/12": system(8) });
  const found = rangesIn({ city: { 4: undefined, 6: undefined }, asn: { 4: asn[4], 6: undefined } });
  expect(found.map(({ first, prefixLength }) => [first.text, prefixLength])).toEqual([["9.0.0.0", 9]]);
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
    for (const [index, range] of found.entries()) {
      const {
        location,
        coords,
        asn,
        details: { city, timeZone },
      } = range;
      const answer = { country: location.country, ...coords, asn: asn?.number ?? 0, city, zone: timeZone };
      expect([answerOf(range.first), answerOf(range.last)]).toEqual([answer, answer]);
      const after = addressAfter(range.last, 8 * range.last.bytes.length);
      const next = found[index + 1];
      if (after !== undefined && after.text !== next?.first.text) {
        expect(answerOf(after)).toBeUndefined();
      }
      if (next?.first.family === range.first.family) {
        expect(toNumber(next.first) > toNumber(range.last)).toBe(true);
      }
    }
  });
});
