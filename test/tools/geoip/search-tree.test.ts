import fc from "fast-check";
import { Reader } from "maxmind";
import { describe, expect, it } from "vitest";
import { ipAddress } from "../../../src/ip-address.js";
import { treeWalker } from "../../../src/tools/geoip/search-tree.js";
import { address, mmdbBytes } from "./test-databases.js";

// The one node of each tree, as the format describes it: https://maxmind.github.io/MaxMind-DB/#node-layout
describe.each([
  [24, [0xab, 0xcd, 0xef, 0x12, 0x34, 0x56], 0xabcdef, 0x123456],
  [28, [0xbc, 0xde, 0xf1, 0xa2, 0x34, 0x56, 0x78], 0xabcdef1, 0x2345678],
  [32, [0xfe, 0xdc, 0xba, 0x98, 0x12, 0x34, 0x56, 0x78], 0xfedcba98, 0x12345678],
])("a node with records of %d bits", (recordSize, bytes, left, right) => {
  it.each([4, 6] as const)("leads to its left and its right record, in a tree of version %d", (ipVersion) => {
    const walk = treeWalker({ bytes: Uint8Array.from(bytes), recordSize, nodeCount: 1, ipVersion });
    const [zero, one] = ipVersion === 4 ? ["1.2.3.4", "128.0.0.0"] : ["2001::", "8000::"];
    expect(walk(address(zero))).toEqual({ value: left, depth: 1 });
    expect(walk(address(one))).toEqual({ value: right, depth: 1 });
  });
});

it("of version 6 has the IPv4 addresses below 96 zeros, or one answer for all where it ends before", () => {
  const bytes = Uint8Array.from([0, 0, 2, 0, 0, 9]);
  const walk = treeWalker({ bytes, recordSize: 24, nodeCount: 1, ipVersion: 6 });
  expect(walk(address("8.8.8.8"))).toEqual({ value: 2, depth: 0 });
  expect(walk(address("255.8.8.8"))).toEqual({ value: 2, depth: 0 });
});

it("that leads back to itself ends with the address", () => {
  const walk = treeWalker({ bytes: new Uint8Array(6), recordSize: 24, nodeCount: 1, ipVersion: 6 });
  expect(walk(address("2001::1"))).toEqual({ value: 0, depth: 128 });
  expect(walk(address("8.8.8.8"))).toEqual({ value: 0, depth: 32 });
});

describe.each([24, 28, 32] as const)("a tree with records of %d bits", (recordSize) => {
  const blocks = {
    "0.0.0.0/32": { n: 0 },
    "1.0.0.0/24": { n: 1 },
    "8.8.8.0/23": { n: 2 },
    "128.0.0.0/2": { n: 3 },
    "255.255.255.255/32": { n: 4 },
  };
  const ipv6Blocks = {
    ...blocks,
    "2001:4860::/32": { n: 5 },
    "2001:4862::8888/128": { n: 6 },
    "ffff::/16": { n: 7 },
  };
  const edges = fc.constantFrom(
    ...["0.0.0.0", "0.0.0.1", "1.0.0.255", "8.8.9.255", "8.8.10.0", "127.255.255.255", "191.0.0.0"],
    ...["255.255.255.254", "255.255.255.255", "2001:4860::1", "2001:4862::8888", "2001:4861::", "ffff::1"],
  );
  const bytes = (length: number) => fc.array(fc.nat(255), { minLength: length, maxLength: length });
  const any = fc.oneof(edges.map(address), bytes(4).map(ipAddress), bytes(16).map(ipAddress));

  it.each([
    ["4", blocks],
    ["6", ipv6Blocks],
  ] as const)("of version %s is walked as maxmind walks it", (version, records) => {
    const file = mmdbBytes(records, { recordSize });
    const reader = new Reader<never>(file);
    const { nodeCount, ipVersion } = reader.metadata;
    expect(String(ipVersion)).toBe(version);
    const walk = treeWalker({ bytes: file, recordSize, nodeCount, ipVersion: version === "4" ? 4 : 6 });
    const values = new Map<string, number>();
    fc.assert(
      fc.property(
        any.filter(({ family }) => version === "6" || family === 4),
        (probe) => {
          const { value, depth } = walk(probe);
          const [record, prefixLength] = reader.getWithPrefixLength(probe.text);
          expect(depth).toBe(prefixLength);
          expect(value > nodeCount).toBe(record !== null);
          // One value stands for one record.
          const name = JSON.stringify(record);
          values.set(name, values.get(name) ?? value);
          expect(values.get(name)).toBe(value);
        },
      ),
      { seed: 1, numRuns: 1_000 },
    );
    expect(new Set(values.values()).size).toBe(Object.keys(records).length + 1);
  });
});
