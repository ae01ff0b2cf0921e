import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ipAddress, networkOf } from "../../../src/text/ip-address.js";
import { ALLOCATED_BLOCKS } from "../../../src/tools/geoip/allocated-blocks.js";
import {
  findSpecialPurpose,
  NOT_ALLOCATED,
  RESERVED_BLOCKS,
} from "../../../src/tools/geoip/special-purpose.js";
import { address, bounds, toBytes, toNumber } from "./test-databases.js";

/** Returns the narrowest block with a number, by linear search. */
function narrowest(number: bigint, bits: number): string | undefined {
  return RESERVED_BLOCKS.map(({ block }) => ({ block, ...bounds(block) }))
    .filter((candidate) => candidate.bits === bits && candidate.first <= number && number <= candidate.last)
    .sort((a, b) => (a.last - a.first < b.last - b.first ? -1 : 1))[0]?.block;
}

describe("the table", () => {
  it.each(RESERVED_BLOCKS)("$block is a canonical network", ({ block }) => {
    const [text = "", length] = block.split("/");
    expect(networkOf(address(text), Number(length))).toBe(block);
  });

  it("has no duplicate blocks", () => {
    expect(new Set(RESERVED_BLOCKS.map(({ block }) => block)).size).toBe(RESERVED_BLOCKS.length);
  });

  it("omits only the allocated blocks without their special-purpose parts of IPv6", () => {
    const allocated = ALLOCATED_BLOCKS.map(([block]) => bounds(block));
    // Each /23 around an edge of a block, and one in each /16.
    const edges = allocated.flatMap(({ first, last }) => [first - 1n, first, last, last + 1n]);
    const groups = Array.from({ length: 0x10000 }, (_, group) => (BigInt(group) << 112n) + (1n << 111n));
    // An `expect` for each of 65,000 addresses takes a second.
    const wrong = [...edges, ...groups].filter((probe) => {
      const { block } = findSpecialPurpose(ipAddress(toBytes(probe, 128)));
      const isAllocated = allocated.some(({ first, last }) => first <= probe && probe <= last);
      return (block === undefined) !== isAllocated;
    });
    expect(wrong).toEqual([]);
  });
});

describe.each(RESERVED_BLOCKS)("$block, $name", ({ block }) => {
  const { first, last, bits } = bounds(block);

  it("contains its first address, unless a narrower block starts there", () => {
    expect(findSpecialPurpose(ipAddress(toBytes(first, bits))).block?.block).toBe(narrowest(first, bits));
  });

  it("contains its last address, unless a narrower block ends there", () => {
    expect(findSpecialPurpose(ipAddress(toBytes(last, bits))).block?.block).toBe(narrowest(last, bits));
  });

  it("contains an address in its middle", () => {
    // Three fifths in, because none of these blocks has a narrower one there.
    const middle = first + ((last - first) * 3n) / 5n;
    expect(findSpecialPurpose(ipAddress(toBytes(middle, bits))).block?.block).toBe(block);
  });
});

describe("well-known addresses", () => {
  it.each([
    ["0.0.0.0", '"This host on this network"'],
    ["0.1.2.3", '"This network"'],
    ["10.1.2.3", "Private-Use"],
    ["100.64.0.1", "Shared Address Space"],
    ["127.0.0.1", "Loopback"],
    ["169.254.169.254", "Link Local"],
    ["172.31.255.255", "Private-Use"],
    ["192.0.0.1", "IPv4 Service Continuity Prefix"],
    ["192.0.0.9", "Port Control Protocol Anycast"],
    ["192.0.0.200", "IETF Protocol Assignments"],
    ["192.0.2.1", "Documentation (TEST-NET-1)"],
    ["192.88.99.1", "Deprecated (6to4 Relay Anycast)"],
    ["192.88.99.2", "6a44-relay anycast address"],
    ["192.168.1.1", "Private-Use"],
    ["198.19.255.255", "Benchmarking"],
    ["224.0.0.1", "Multicast"],
    ["239.255.255.255", "Multicast"],
    ["240.0.0.1", "Reserved"],
    ["255.255.255.255", "Limited Broadcast"],
    ["::", "Unspecified Address"],
    ["::1", "Loopback Address"],
    ["::8.8.8.8", "IPv4-Compatible Address (deprecated)"],
    ["64:ff9b::8.8.8.8", "IPv4-IPv6 Translation"],
    ["100::1", "Discard-Only Address Block"],
    ["100:0:0:1::1", "Dummy IPv6 Prefix"],
    ["100:0:0:2::1", "Reserved by IETF"],
    ["2001::1", "TEREDO"],
    ["2001:1::1", "Port Control Protocol Anycast"],
    ["2001:1::4", "IETF Protocol Assignments"],
    ["2001:1ff:ffff::", "IETF Protocol Assignments"],
    ["2001:2f:ffff::", "ORCHIDv2"],
    ["2001:db8::1", "Documentation"],
    ["2002:808:808::", "6to4"],
    ["3fff:fff::", "Documentation"],
    ["5f00::1", "Segment Routing (SRv6) SIDs"],
    ["2000::1", NOT_ALLOCATED],
    ["2d00::1", NOT_ALLOCATED],
    ["2e00::1", NOT_ALLOCATED],
    ["3ffe::1", NOT_ALLOCATED],
    ["3fff:1000::", NOT_ALLOCATED],
    ["4000::", "Reserved by IETF"],
    ["fd00::1", "Unique-Local"],
    ["fe80::1", "Link-Local Unicast"],
    ["fec0::1", "Site-Local Unicast (deprecated)"],
    ["ff02::1", "Multicast"],
  ])("%s is %s", (text, name) => {
    expect(findSpecialPurpose(address(text)).block?.name).toBe(name);
  });

  it.each([
    "1.0.0.0",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "192.0.3.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::",
    "2001:db7:ffff::",
    "2001:db9::",
    "2003::",
    "2001:4860:4860::8888",
    "2410::",
    "2c0f:ffff::",
  ])("%s is not special-purpose", (text) => {
    expect(findSpecialPurpose(address(text)).block).toBeUndefined();
  });
});

it("returns the length of a prefix whose addresses all have the result", () => {
  const edges = RESERVED_BLOCKS.flatMap(({ block }) => {
    const { first, last, bits } = bounds(block);
    return [first - 1n, first, last, last + 1n]
      .filter((number) => number >= 0n && number < 1n << BigInt(bits))
      .map((number) => ipAddress(toBytes(number, bits)));
  });
  const anyIpv4 = fc.bigInt(0n, 2n ** 32n - 1n).map((number) => ipAddress(toBytes(number, 32)));
  const anyIpv6 = fc.bigInt(0n, 2n ** 128n - 1n).map((number) => ipAddress(toBytes(number, 128)));
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(...edges), anyIpv4, anyIpv6), (probe) => {
      const { block, prefixLength } = findSpecialPurpose(probe);
      const bits = probe.bytes.length * 8;
      expect(block?.block).toBe(narrowest(toNumber(probe), bits));
      const network = bounds(networkOf(probe, prefixLength));
      expect(narrowest(network.first, bits)).toBe(block?.block);
      expect(narrowest(network.last, bits)).toBe(block?.block);
      // There is no other block inside.
      const inside = RESERVED_BLOCKS.map((entry) => ({ entry, ...bounds(entry.block) })).filter(
        (other) => other.bits === bits && other.first >= network.first && other.last <= network.last,
      );
      expect(inside.filter(({ entry }) => entry.block !== block?.block)).toEqual([]);
    }),
    { seed: 1, numRuns: 1_000 },
  );
});
