import { describe, expect, it } from "vitest";
import { ipAddress } from "../../../src/text/ip-address.js";
import { memorySource } from "../../../src/tools/geoip/databases/block-source.js";
import { openMmdb } from "../../../src/tools/geoip/databases/mmdb-reader.js";
import { readAsnRecord, readLocation } from "../../../src/tools/geoip/databases/records.js";
import { type IpInfo, lookupIp } from "../../../src/tools/geoip/lookup-ip.js";
import { RESERVED_BLOCKS } from "../../../src/tools/geoip/special-purpose.js";
import {
  address,
  bounds,
  databases,
  mmdbBytes,
  REPLACED,
  replaceRecord,
  sharedArrays,
  toBytes,
} from "./test-databases.js";

const flat = (country: string, latitude: number, longitude: number) => ({
  country_code: country,
  latitude,
  longitude,
});
const asn = (number: number, name: string) => ({
  autonomous_system_number: number,
  autonomous_system_organization: name,
});

const DATABASES = databases(
  {
    "8.0.0.0/9": flat("US", 37.386_001_586_914_06, -122.083_900_451_660_16),
    "9.0.0.0/8": flat("FR", -0.000_01, 0.000_05),
    "11.0.0.0/8": { country: { iso_code: "DE", is_in_european_union: true }, location: {} },
    "12.0.0.0/8": { country: { iso_code: "RE", is_in_european_union: false } },
    "13.0.0.0/8": { country: { iso_code: "GP" }, location: { latitude: 16.25, longitude: -61.583_333 } },
    "14.0.0.0/8": { names: "nothing that is known here" },
    "100.0.0.0/8": flat("XK", 42.66, 21.17),
    "2600::/12": flat("CA", 45.5, -73.6),
    "2001::/16": flat("NL", 52, 5),
  },
  {
    "8.8.0.0/16": asn(15169, "Google LLC"),
    "11.0.0.0/16": asn(64301, "A"),
    "12.0.0.0/7": asn(64302, "B"),
    "15.0.0.0/8": asn(4_199_999_999, "C"),
    "2600:1000::/21": asn(64303, "D"),
    "9.0.0.0/16": asn(64512, "E"),
  },
);

function result(text: string): IpInfo {
  const looked = lookupIp(address(text), DATABASES);
  if (!looked.ok) {
    throw new Error(looked.failure.description);
  }
  return looked.value;
}

describe("the result", () => {
  it("has all data", () => {
    expect(result("8.8.8.8")).toEqual({
      ip: "8.8.8.8",
      location: { country: "US", eu: false },
      asn: 15169,
      asnName: "Google LLC",
      coords: { lat: 37.386, lon: -122.0839 },
      subnet: "8.8.0.0/16",
    });
  });

  it("is the same for an IPv4-mapped IPv6 address", () => {
    expect(result("::ffff:8.8.8.8")).toEqual(result("8.8.8.8"));
    expect(result("::FFFF:808:808")).toEqual(result("8.8.8.8"));
  });

  it("has the address in canonical form", () => {
    expect(result("2600:1000:0:0:0:0:0:1")).toMatchObject({ ip: "2600:1000::1", subnet: "2600:1000::/21" });
  });

  it("has no autonomous system if the number is reserved", () => {
    expect(result("9.0.0.1")).toMatchObject({ asn: 0, asnName: "", subnet: "9.0.0.0/16" });
  });

  it("has no autonomous system if it is unknown", () => {
    expect(result("9.9.9.9")).toMatchObject({ location: { country: "FR", eu: true }, asn: 0, asnName: "" });
  });

  it("has no location if it is unknown", () => {
    expect(result("15.1.2.3")).toEqual({
      ip: "15.1.2.3",
      location: { country: "", eu: false },
      asn: 4_199_999_999,
      asnName: "C",
      coords: { lat: 0, lon: 0 },
      subnet: "15.0.0.0/8",
    });
  });

  it("has coordinates with at most four decimals, and never -0", () => {
    expect(result("9.9.9.9").coords).toEqual({ lat: 0, lon: 0.0001 });
    expect(result("13.0.0.1").coords).toEqual({ lat: 16.25, lon: -61.5833 });
    expect(result("11.0.0.1")).toMatchObject({ location: { country: "DE" }, coords: { lat: 0, lon: 0 } });
  });
});

describe("eu", () => {
  it.each([
    ["true for a member state", "11.0.0.1", true],
    ["true for an outermost region, even if a flag of the database is false", "12.0.0.1", true],
    ["true for an outermost region without a flag", "13.0.0.1", true],
    ["false for a country outside", "100.0.0.1", false],
    ["false without a country", "15.0.0.1", false],
  ])("is %s", (_, text, expected) => {
    expect(result(text).location.eu).toBe(expected);
  });
});

describe("the subnet", () => {
  it.each([
    ["is the network of the city database if it is narrower", "12.0.0.1", "12.0.0.0/8"],
    ["is the network of the ASN database if it is narrower", "11.0.0.1", "11.0.0.0/16"],
    ["ends at the next record of the ASN database", "8.9.0.1", "8.9.0.0/16"],
    ["ends at a special-purpose block", "100.0.0.1", "100.0.0.0/10"],
    ["excludes a special-purpose block of IPv6", "2001:db9::1", "2001:db9::/32"],
  ])("%s", (_, text, subnet) => {
    expect(result(text).subnet).toBe(subnet);
  });
});

describe("no result", () => {
  it.each(["14.0.0.1", "16.0.0.1", "2a00::1"])("for %s, which has no records", (text) => {
    expect(lookupIp(address(text), DATABASES)).toEqual({
      ok: false,
      failure: { reason: "ADDRESS_NOT_FOUND", description: `no data for ${text}` },
    });
  });

  it("for any address without databases", () => {
    const none = { 4: undefined, 6: undefined };
    expect(lookupIp(address("8.8.8.8"), { city: none, asn: none })).toMatchObject({
      failure: { reason: "ADDRESS_NOT_FOUND" },
    });
  });

  it.each(RESERVED_BLOCKS)("for $block, even if the databases have a record", ({ block, name }) => {
    const { first, last, bits } = bounds(block);
    const everything = bits === 32 ? "0.0.0.0/0" : "::/0";
    const known = databases({ [everything]: flat("US", 1, 1) }, { [everything]: asn(64301, "A") });
    const middle = ipAddress(toBytes(first + ((last - first) * 3n) / 5n, bits));
    const looked = lookupIp(middle, known);
    expect(looked).toMatchObject({
      ok: false,
      failure: { reason: "RESERVED_ADDRESS", metadata: { range: name, block } },
    });
    for (const edge of [first, last]) {
      const atEdge = lookupIp(ipAddress(toBytes(edge, bits)), known);
      expect(!atEdge.ok && atEdge.failure.reason).toBe("RESERVED_ADDRESS");
    }
  });

  it.each(["city", "asn"] as const)("for an address with a damaged record in the %s database", (kind) => {
    const file = replaceRecord(mmdbBytes({ "8.8.8.0/24": REPLACED }), (offset) =>
      sharedArrays(offset, 2, 24),
    );
    const [city, system] = [
      openMmdb(memorySource(file), readLocation),
      openMmdb(memorySource(file), readAsnRecord),
    ];
    if (!city.ok || !system.ok) {
      throw new Error("the file does not open");
    }
    const damaged = {
      city: { ...DATABASES.city, ...(kind === "city" && { 4: city.value }) },
      asn: { ...DATABASES.asn, ...(kind === "asn" && { 4: system.value }) },
    };
    expect(lookupIp(address("8.8.8.8"), damaged)).toEqual({
      ok: false,
      failure: { reason: "DATA_CORRUPTED", description: "the geolocation data of 8.8.8.8 is damaged" },
    });
    expect(lookupIp(address("2600::1"), damaged)).toEqual(lookupIp(address("2600::1"), DATABASES));
    expect(lookupIp(address("10.0.0.1"), damaged)).toMatchObject({ failure: { reason: "RESERVED_ADDRESS" } });
  });

  it("has the special-purpose block of the address", () => {
    expect(lookupIp(address("192.168.1.1"), DATABASES)).toEqual({
      ok: false,
      failure: {
        reason: "RESERVED_ADDRESS",
        description: "192.168.1.1 is a special-purpose address: Private-Use (192.168.0.0/16, RFC 1918)",
        metadata: { range: "Private-Use", block: "192.168.0.0/16", reference: "RFC 1918" },
      },
    });
  });

  it("has the unallocated block of the address", () => {
    const reference = "IANA IPv6 Global Unicast Address Assignments";
    expect(lookupIp(address("2d00::1"), DATABASES)).toEqual({
      ok: false,
      failure: {
        reason: "RESERVED_ADDRESS",
        description: `2d00::1 is in a block that is not allocated to anyone (2d00::/8, ${reference})`,
        metadata: { range: "Not allocated", block: "2d00::/8", reference },
      },
    });
  });

  it("ends where a newer ASN file has a network in a block that is not in the list", () => {
    const known = databases({ "2d00::/8": flat("KE", 1, 37) }, { "2d00:1000::/20": asn(64301, "A") });
    expect(lookupIp(address("2d00:1000::1"), known)).toMatchObject({
      value: { asn: 64301, location: { country: "KE" }, subnet: "2d00:1000::/20" },
    });
    const unallocated = { failure: { reason: "RESERVED_ADDRESS" } };
    expect(lookupIp(address("2d00:2000::1"), known)).toMatchObject(unallocated);
    const { 6: reader } = known.asn;
    const older = reader && { ...reader, builtAt: new Date("2024-10-01") };
    expect(lookupIp(address("2d00:1000::1"), { ...known, asn: { 4: older, 6: older } })).toMatchObject(
      unallocated,
    );
  });
});
