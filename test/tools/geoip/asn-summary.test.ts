import { Reader } from "maxmind";
import { describe, expect, it, test } from "vitest";
import { summarizeAsn } from "../../../src/tools/geoip/asn-summary.js";
import { memorySource } from "../../../src/tools/geoip/databases/block-source.js";
import { openMmdb } from "../../../src/tools/geoip/databases/mmdb-reader.js";
import { readAsnRecord } from "../../../src/tools/geoip/databases/records.js";
import type { GeoIpDatabases } from "../../../src/tools/geoip/lookup-ip.js";
import { encodeValue, type MmdbContent } from "./databases/mmdb-writer.js";
import { databases, mmdbBytes, REPLACED, replaceRecord } from "./test-databases.js";

const SEVEN = { autonomous_system_number: 7, autonomous_system_organization: "Seven" };
const [FR, DE] = [{ country_code: "FR" }, { country_code: "DE" }];

/** The IPv4 addresses in no special-purpose block of IANA: three /8, two /4 and smaller ones are. */
const ALL_PUBLIC = 2 ** 32 - 3 * 2 ** 24 - 2 ** 29 - 2 ** 22 - 2 ** 20 - 2 ** 17 - 2 * 2 ** 16 - 8 * 2 ** 8;

/** Runs all steps. */
function summarize(number: number, opened: GeoIpDatabases, limit = 20) {
  const steps = summarizeAsn(number, opened, limit);
  let step = steps.next();
  while (step.done !== true) {
    step = steps.next();
  }
  return step.value;
}

/** Returns databases with a file of systems, and without locations. */
function withAsn(bytes: Buffer): GeoIpDatabases {
  const opened = openMmdb(memorySource(bytes), readAsnRecord);
  if (!opened.ok) {
    throw new Error(opened.failure.description);
  }
  return { ...databases({}, {}), asn: { 4: opened.value, 6: opened.value } };
}

const NOTHING = { ipv4Networks: 0, ipv4Addresses: 0, ipv6Networks: 0, largestIpv4: [], largestIpv6: [] };

describe("the summary of a system", () => {
  it.each<
    [
      name: string,
      asn: MmdbContent["records"],
      city: MmdbContent["records"],
      expected: Partial<typeof NOTHING> | Record<string, unknown>,
    ]
  >([
    [
      "has networks of both families, and each country with its addresses",
      {
        "8.8.8.0/24": SEVEN,
        "9.0.0.0/16": SEVEN,
        "2600::/32": SEVEN,
        "11.0.0.0/8": { ...SEVEN, autonomous_system_number: 77 },
      },
      { "8.8.8.0/24": FR, "9.0.0.0/17": DE, "2600::/33": FR, "2600:0:8000::/33": DE },
      {
        ipv4Networks: 2,
        ipv4Addresses: 65_792,
        ipv6Networks: 1,
        countries: [
          { country: "", networks: 0, ipv4Addresses: 32_768 },
          { country: "DE", networks: 1, ipv4Addresses: 32_768 },
          { country: "FR", networks: 2, ipv4Addresses: 256 },
        ].toSorted((one, other) => other.ipv4Addresses - one.ipv4Addresses || other.networks - one.networks),
        largestIpv4: ["9.0.0.0/16", "8.8.8.0/24"],
        largestIpv6: ["2600::/32"],
      },
    ],
    [
      "takes two halves of a network for that network, also with other records, and no other neighbors",
      {
        "8.0.0.0/10": { ...SEVEN, country: "FR" },
        "8.64.0.0/11": { ...SEVEN, country: "DE" },
        "8.96.0.0/11": { ...SEVEN, country: "AT" },
        "8.128.0.0/10": SEVEN,
        "9.0.0.0/9": SEVEN,
      },
      {},
      {
        ipv4Networks: 3,
        ipv4Addresses: 2 ** 23 + 2 ** 22 + 2 ** 23,
        largestIpv4: ["8.0.0.0/9", "9.0.0.0/9", "8.128.0.0/10"],
        countries: [{ country: "", networks: 3, ipv4Addresses: 2 ** 24 + 2 ** 22 }],
      },
    ],
    [
      "leaves out special-purpose addresses, and networks of these alone",
      { "192.0.0.0/16": SEVEN, "10.0.0.0/8": SEVEN, "2001:db8::/32": SEVEN },
      {},
      {
        ipv4Networks: 1,
        // Without 192.0.0.0/24 and 192.0.2.0/24.
        ipv4Addresses: 65_536 - 512,
        largestIpv4: ["192.0.0.0/16"],
        countries: [{ country: "", networks: 1, ipv4Addresses: 65_024 }],
      },
    ],
    [
      "has all IPv4 addresses of a single record",
      { "0.0.0.0/0": SEVEN },
      {},
      {
        ipv4Networks: 1,
        ipv4Addresses: ALL_PUBLIC,
        largestIpv4: ["0.0.0.0/0"],
        countries: [{ country: "", networks: 1, ipv4Addresses: ALL_PUBLIC }],
      },
    ],
    [
      "does not have records in which another value is the number",
      { "8.8.8.0/24": SEVEN, "9.0.0.0/8": { autonomous_system_number: 8, geoname: 7, name: "AS7" } },
      { "8.8.8.0/24": FR },
      {
        ipv4Networks: 1,
        ipv4Addresses: 256,
        largestIpv4: ["8.8.8.0/24"],
        countries: [{ country: "FR", networks: 1, ipv4Addresses: 256 }],
      },
    ],
  ])("%s", (_, asn, city, expected) => {
    const value = { ...NOTHING, asn: 7, asnName: "Seven", ...expected };
    expect(summarize(7, databases(city, asn))).toEqual({ ok: true, value });
  });

  it.each<[name: string, record: MmdbContent["records"][string]]>([
    ["MaxMind's Enterprise", { traits: { autonomous_system_number: 15169 } }],
    ["IPinfo's", { asn: "AS15169", country_code: "US" }],
    ["a number as text", { asn: "15169" }],
    ["text with zeros", { asn: "as0000015169" }],
    ["a uint64", { autonomous_system_number: 15169n }],
  ])("reads the shape: %s", (_, record) => {
    expect(summarize(15169, databases({}, { "8.8.8.0/24": record }))).toMatchObject({
      value: { asn: 15169, asnName: "", largestIpv4: ["8.8.8.0/24"] },
    });
  });

  it("has the largest networks, the lowest addresses first, and counts all", () => {
    const networks = Array.from(
      { length: 50 },
      (_, index) => `8.${2 * index}.0.0/${index % 2 === 0 ? 16 : 15}`,
    );
    const asn = Object.fromEntries(networks.map((network) => [network, SEVEN]));
    expect(summarize(7, databases({}, asn), 3)).toMatchObject({
      value: { ipv4Networks: 50, largestIpv4: ["8.2.0.0/15", "8.6.0.0/15", "8.10.0.0/15"] },
    });
  });

  it("has networks of a file for IPv4 and of one for IPv6", () => {
    const [four, six] = [databases({}, { "8.8.8.0/24": SEVEN }), databases({}, { "2600::/32": SEVEN })];
    const opened = { ...four, asn: { 4: four.asn[4], 6: six.asn[6] } };
    expect(summarize(7, opened)).toMatchObject({
      value: { largestIpv4: ["8.8.8.0/24"], largestIpv6: ["2600::/32"] },
    });
  });
});

describe("there is no summary", () => {
  const opened = databases({}, { "8.8.8.0/24": SEVEN, "9.0.0.0/8": { autonomous_system_number: 64_512 } });

  it("of a system without networks", () => {
    expect(summarize(8, opened)).toMatchObject({
      failure: { reason: "ASN_NOT_FOUND", description: "no networks of AS8" },
    });
  });

  // https://www.iana.org/assignments/as-numbers
  it.each([
    [23_456, "AS_TRANS", "RFC 6793"],
    [64_496, "Documentation", "RFC 5398"],
    [64_511, "Documentation", "RFC 5398"],
    [64_512, "Private use", "RFC 6996"],
    [65_534, "Private use", "RFC 6996"],
    [65_535, "Reserved", "RFC 7300"],
    [65_536, "Documentation", "RFC 5398"],
    [65_551, "Documentation", "RFC 5398"],
    [131_071, "Reserved", "IANA AS numbers"],
    [4_200_000_000, "Private use", "RFC 6996"],
    [4_294_967_294, "Private use", "RFC 6996"],
    [4_294_967_295, "Reserved", "RFC 7300"],
  ])("of AS%i, which is reserved", (number, range, reference) => {
    expect(summarize(number, opened)).toEqual({
      ok: false,
      failure: {
        reason: "RESERVED_ASN",
        description: `AS${number} is not the number of a network: ${range} (${reference})`,
        metadata: { range, reference },
      },
    });
  });

  it.each([64_495, 131_072, 4_199_999_999])("of AS%i beside a reserved range, without networks", (number) => {
    expect(summarize(number, opened)).toMatchObject({ failure: { reason: "ASN_NOT_FOUND" } });
  });
});

describe("damaged data has no summary", () => {
  const DAMAGED = { ok: false, failure: { reason: "DATA_CORRUPTED", description: expect.any(String) } };

  test("with a damaged record of any network", () => {
    const good = mmdbBytes({ "8.8.8.0/24": SEVEN, "9.9.9.0/24": REPLACED });
    expect(summarize(7, withAsn(good))).toMatchObject({ ok: true });
    expect(summarize(7, withAsn(replaceRecord(good, () => [0x64, 0, 0, 0, 0])))).toEqual(DAMAGED);
  });

  test.each(["8.0.0.0/8", "2600::/12"])("with a loop in the tree of %s", (block) => {
    const bytes = mmdbBytes({ [block]: SEVEN });
    // The right half of the first node leads to the node itself.
    bytes.writeUIntBE(0, 3, 3);
    expect(summarize(7, withAsn(bytes))).toEqual(DAMAGED);
  });

  test("with 2 ** 64 ways to a record", () => {
    const bytes = mmdbBytes({ "::/64": SEVEN });
    for (let node = 0; node < 64; node++) {
      bytes.copy(bytes, 6 * node + 3, 6 * node, 6 * node + 3);
    }
    expect(summarize(7, withAsn(bytes))).toEqual(DAMAGED);
  });

  test("with a damaged location of the network", () => {
    const locations = { 4: undefined, 6: undefined };
    const { asn } = databases({}, { "8.8.8.0/24": SEVEN });
    const lookup = () => ({ record: undefined, prefixLength: 8, damage: "it is damaged" });
    const opened = { city: { ...locations, 4: { lookup } }, asn } as unknown as GeoIpDatabases;
    expect(summarize(7, opened)).toEqual(DAMAGED);
  });
});

test("IPv4 networks that a file also has below IPv6 addresses count once", () => {
  const MARK = { mark: 1 };
  const bytes = mmdbBytes({ "8.8.8.0/24": SEVEN, "9.0.0.0/8": MARK, "2001::/32": MARK, "2600::/16": MARK });
  const { nodeCount } = new Reader(bytes).metadata;
  const child = (node: number, side: number) => bytes.readUIntBE(6 * node + 3 * side, 3);
  let ipv4 = 0;
  for (let depth = 0; depth < 96; depth++) {
    ipv4 = child(ipv4, 0);
  }
  const mark = nodeCount + 16 + encodeValue(SEVEN).length;
  const places = Array.from({ length: 2 * nodeCount }, (_, index) => index).filter(
    (index) => child(index >> 1, index & 1) === mark,
  );
  expect(places).toHaveLength(3);
  for (const index of places.filter((each) => each >> 1 > ipv4 + 32)) {
    bytes.writeUIntBE(ipv4, 3 * index, 3);
  }
  expect(summarize(7, withAsn(bytes))).toMatchObject({
    value: { ipv4Networks: 1, ipv6Networks: 0, largestIpv4: ["8.8.8.0/24"] },
  });
});
