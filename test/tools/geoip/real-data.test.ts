import { deepStrictEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { BlockList } from "node:net";
import { join } from "node:path";
import { Reader } from "maxmind";
import { beforeAll, describe, expect, it } from "vitest";
import { type IpAddress, ipAddress } from "../../../src/text/ip-address.js";
import { summarizeAsn } from "../../../src/tools/geoip/asn-summary.js";
import { loadCountrySources, loadGeoIpDatabases } from "../../../src/tools/geoip/databases/load-databases.js";
import { NOWHERE, readAsnRecord } from "../../../src/tools/geoip/databases/records.js";
import { placeDetailsReader } from "../../../src/tools/geoip/details/place-details.js";
import { defaultGeoIpPaths } from "../../../src/tools/geoip/load-geoip-files.js";
import type { GeoIpDatabases } from "../../../src/tools/geoip/lookup-ip.js";
import { lookupByFamily, lookupIp } from "../../../src/tools/geoip/lookup-ip.js";
import { RESERVED_BLOCKS } from "../../../src/tools/geoip/special-purpose.js";
import { drawIpv4, drawIpv6, randomNumbers } from "./draw-addresses.js";
import { countries } from "./test-countries.js";
import { address, bounds, toBytes, toNumber } from "./test-databases.js";

const COUNT = 2_000;
const random = randomNumbers(20_260_617n);

let ASN: Reader<never>;
let loaded: GeoIpDatabases;

beforeAll(async () => {
  const paths = defaultGeoIpPaths();
  const result = await loadGeoIpDatabases(paths);
  if (!result.ok) {
    throw new Error(result.failure.description);
  }
  loaded = result.value;
  ASN = new Reader<never>(readFileSync(paths.asn[0] ?? ""));
});

// One list per family, because Node takes IPv4 addresses for a part of ::/8, by ::ffff:0:0/96.
const special = { 4: new BlockList(), 6: new BlockList() };
for (const { block } of RESERVED_BLOCKS) {
  const [text = "", length] = block.split("/");
  const { family } = address(text);
  special[family].addSubnet(text, Number(length), `ipv${family}`);
}

/** Returns the first generated addresses that are in no special-purpose or unallocated block. */
function publicAddresses(draw: (index: number) => IpAddress): IpAddress[] {
  const found: IpAddress[] = [];
  for (let index = 0; found.length < COUNT && index < 10 * COUNT; index++) {
    const candidate = draw(index);
    if (!special[candidate.family].check(candidate.text, `ipv${candidate.family}`)) {
      found.push(candidate);
    }
  }
  return found;
}

/** Every fourth address is from all of 2630::/12, of which little is in use. */
function drawIpv6Anywhere(): (index: number) => IpAddress {
  const draw = drawIpv6(loaded.asn, random);
  return (index) => (index % 4 === 0 ? ipAddress(toBytes((0x263n << 116n) | random(116), 128)) : draw());
}

function expectSame(looked: IpAddress): "found" | "nothing" {
  const { text } = looked;
  const { record: city, prefixLength: cityLength } = lookupByFamily(loaded.city, looked);
  const [asn, asnLength] = ASN.getWithPrefixLength(text) as [unknown, number];
  const result = lookupIp(looked, loaded);
  if (city === undefined && asn === null) {
    deepStrictEqual(!result.ok && result.failure.reason, "ADDRESS_NOT_FOUND");
    return "nothing";
  }
  if (!result.ok) {
    throw new Error(result.failure.description);
  }
  const { location, coords, subnet, ...rest } = result.value;
  // `node:assert` takes a tenth of the time of `expect`, which matters for so many calls.
  const system = readAsnRecord(asn);
  deepStrictEqual(rest, { ip: text, asn: system?.number ?? 0, asnName: system?.name ?? "" });
  deepStrictEqual({ location, coords }, { ...(city ?? NOWHERE) });
  ok(
    [`${coords.lat}`, `${coords.lon}`].every((degrees) => /^-?\d+(?:\.\d{1,4})?$/.test(degrees)),
    text,
  );

  // The subnet has the length of the longer prefix, contains the address, and has one record in each source.
  deepStrictEqual(Number(subnet.split("/")[1]), Math.max(cityLength, asnLength));
  const { first, last, bits } = bounds(subnet);
  const number = toNumber(looked);
  ok(first <= number && number <= last, text);
  for (const edge of [first, last].map((value) => ipAddress(toBytes(value, bits)))) {
    deepStrictEqual(lookupByFamily(loaded.city, edge).record, city);
    deepStrictEqual(ASN.get(edge.text), asn);
  }
  return "found";
}

describe(`${COUNT} random public addresses agree with the ASN file, and have one location per subnet`, () => {
  it("for IPv4, also with cached records", () => {
    const addresses = publicAddresses(drawIpv4(random));
    const outcomes = addresses.map(expectSame);
    expect(addresses.map(expectSame)).toEqual(outcomes);
    expect(outcomes).toHaveLength(COUNT);
    expect(outcomes.filter((outcome) => outcome === "found").length).toBeGreaterThan(COUNT * 0.95);
  });

  it("for IPv6, also with cached records", () => {
    const addresses = publicAddresses(drawIpv6Anywhere());
    const outcomes = addresses.map(expectSame);
    expect(addresses.map(expectSame)).toEqual(outcomes);
    expect(outcomes).toHaveLength(COUNT);
    expect(outcomes.filter((outcome) => outcome === "found").length).toBeGreaterThan(COUNT * 0.7);
  });
});

describe("details", () => {
  it("have a time zone and the code of the region for most addresses", () => {
    const readDetails = placeDetailsReader(countries);
    const city = loaded.city[4]?.withRecords(readDetails, 1_000);
    const found = publicAddresses(drawIpv4(random)).flatMap((each) => city?.lookup(each).record ?? []);
    expect(found.length).toBeGreaterThan(COUNT * 0.99);
    const share = (name: "countryName" | "continent" | "city" | "region" | "regionCode" | "timeZone") =>
      found.filter((details) => details[name] !== undefined).length / found.length;
    expect(share("countryName")).toBe(share("continent"));
    expect(share("countryName")).toBeGreaterThan(0.99);
    expect(share("city")).toBeGreaterThan(0.99);
    expect(share("region")).toBeGreaterThan(0.98);
    expect(share("regionCode")).toBeGreaterThan(0.97);
    expect(share("timeZone")).toBeGreaterThan(0.99);
  });
});

describe("the code of a region whose name means several subdivisions", () => {
  // The cities and their subdivisions: Ministry of the Interior (TW), INEI (PE), Državni zavod za statistiku (HR), KOATUU (UA),
  // Statistisk sentralbyrå (NO).
  it.each([
    ["27.51.1.1", "Taipei", "Banqiao District", "TW-NWT"],
    ["181.64.34.1", "Lima region", "San Borja", "PE-LMA"],
    ["31.216.192.1", "Zagreb", "Zagreb", "HR-21"],
    ["37.17.243.1", "Kyiv", "Irpin", "UA-32"],
    ["1.160.0.1", "Taiwan", "Taipei", "TW-TPE"],
    ["178.148.1.1", "Central Serbia", "Belgrade", "RS-00"],
    ["193.213.112.4", "Viken", "Fornebu", "NO-32"],
    ["41.188.1.1", "Analamanga", "Antananarivo (Andraharo)", "MG-T"],
  ])("of %s in %s, %s is %s", (text, region, city, regionCode) => {
    const readers = { 4: loaded.city[4]?.withRecords(placeDetailsReader(countries), 10), 6: undefined };
    expect(lookupByFamily(readers, address(text)).record).toMatchObject({ region, city, regionCode });
  });
});

describe("the countries in other tables", () => {
  // The country of the registry and of the network's own geofeed: user-country and IPtoASN of 2026-09-16.
  it.each([
    ["217.175.160.1", "FR", ["MQ", "MQ"]],
    ["129.122.64.1", "FR", ["RE", "RE"]],
    ["91.109.248.1", "GB", ["GI", "GI"]],
    ["217.29.236.1", "FI", ["AX", "AX"]],
    ["103.43.204.1", "AU", ["NF", "NF"]],
    ["8.8.8.8", "US", undefined],
  ])("contradict DB-IP for %s in %s: %s", async (text, country, others) => {
    const [file = ""] = defaultGeoIpPaths().city;
    const reader = await loadCountrySources(join(file, "../country-sources.columns"));
    expect(lookupByFamily(loaded.city, address(text)).record?.location.country).toBe(country);
    expect(reader?.lookup(address(text)).record?.map((source) => source.country)).toEqual(others);
  });
});

describe("known addresses", () => {
  it("have the location of DB-IP and the autonomous system of origin-asn", () => {
    expect(lookupIp(address("8.8.8.8"), loaded)).toEqual({
      ok: true,
      value: {
        ip: "8.8.8.8",
        location: { country: "US", eu: false },
        asn: 15169,
        asnName: "Google LLC",
        coords: { lat: 37.422, lon: -122.085 },
        subnet: "8.8.8.0/24",
      },
    });
  });

  it.each([
    ["2002:808:808::1", "6to4"],
    ["2001::1", "TEREDO"],
  ])("have no result where the data is wrong: %s", (text, range) => {
    expect(lookupIp(address(text), loaded)).toMatchObject({
      failure: { reason: "RESERVED_ADDRESS", metadata: { range } },
    });
  });

  it("have the same result as IPv4-mapped IPv6 addresses", () => {
    expect(lookupIp(address("::ffff:8.8.8.8"), loaded)).toEqual(lookupIp(address("8.8.8.8"), loaded));
  });
});

// By another program: it went through the search tree of origin-asn of 2026-09-16, joined halves that lead to records of one system, and
// found no address in a special-purpose block.
it.each<
  [asn: number, name: string, ipv4: number, addresses: number, ipv6: number, largest: readonly string[]]
>([
  [1, "Level 3 Parent, LLC", 173, 1_661_184, 1, ["63.132.0.0/16", "2001:506:8::/48"]],
  [714, "Apple Inc.", 44, 16_915_968, 100, ["17.0.0.0/10", "2a01:b747::/32"]],
  [749, "United States Department of Defense (DoD)", 2_801, 222_209_792, 0, ["21.0.0.0/8"]],
  [3_320, "Deutsche Telekom AG", 813, 34_157_056, 40, ["79.192.0.0/10", "2003::/19"]],
  [4_134, "Chinanet", 9_262, 98_336_512, 6_589, ["223.144.0.0/12", "240e:c00::/22"]],
  [7_018, "AT&T Enterprises, LLC", 7_642, 89_919_488, 199, ["99.32.0.0/11", "2602:300::/24"]],
  [13_335, "Cloudflare, Inc.", 832, 1_974_016, 1_585, ["104.24.0.0/13", "2606:54c8::/29"]],
  [15_169, "Google LLC", 185, 1_758_208, 83, ["34.114.0.0/15", "2404:6800::/32"]],
])("AS%i, %s, has its networks in the ASN file", (asn, name, ipv4, addresses, ipv6, largest) => {
  const steps = summarizeAsn(asn, loaded, 1);
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  const summary = step.value;
  if (!summary.ok) {
    throw new Error(summary.failure.description);
  }
  const { countries: inCountries, largestIpv4, largestIpv6, ...rest } = summary.value;
  deepStrictEqual(rest, {
    asn,
    asnName: name,
    ipv4Networks: ipv4,
    ipv4Addresses: addresses,
    ipv6Networks: ipv6,
  });
  deepStrictEqual([...largestIpv4, ...largestIpv6], largest);
  const sum = (member: "networks" | "ipv4Addresses") =>
    inCountries.reduce((all, country) => all + country[member], 0);
  deepStrictEqual([sum("ipv4Addresses"), sum("networks")], [addresses, ipv4 + ipv6]);
});
