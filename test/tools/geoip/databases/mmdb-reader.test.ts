import fc from "fast-check";
import { Reader } from "maxmind";
import { describe, expect, it } from "vitest";
import { ipAddress } from "../../../../src/text/ip-address.js";
import { memorySource } from "../../../../src/tools/geoip/databases/block-source.js";
import { openMmdb } from "../../../../src/tools/geoip/databases/mmdb-reader.js";
import { treeWalker } from "../../../../src/tools/geoip/databases/mmdb-tree.js";
import { readLocation } from "../../../../src/tools/geoip/databases/records.js";
import { address, mmdbBytes, mmdbReader, REPLACED, replaceRecord, sharedArrays } from "../test-databases.js";
import { encodeMap, encodeUint16, encodeValue } from "./mmdb-writer.js";

const asItIs = (record: unknown): unknown => record;

describe("a reader of version 4", () => {
  const reader = mmdbReader({
    "8.8.8.0/24": { name: "IPv4" },
    "32.1.0.0/16": { name: "20.01 in hexadecimal" },
  });

  it("has the metadata of the file", () => {
    expect(reader.ipVersion).toBe(4);
    expect(reader.databaseType).toBe("test");
    expect(reader.builtAt).toEqual(new Date("2026-06-17T19:00:00Z"));
  });

  it("finds IPv4 addresses with their prefix length", () => {
    expect(reader.lookup(address("8.8.8.8"))).toEqual({ record: { name: "IPv4" }, prefixLength: 24 });
  });

  it("returns the prefix length of addresses without a record", () => {
    expect(reader.lookup(address("8.8.9.1"))).toEqual({ record: undefined, prefixLength: 24 });
    expect(reader.lookup(address("200.0.0.0"))).toEqual({ record: undefined, prefixLength: 1 });
  });

  it("finds no IPv6 address, even if its first bits are those of an IPv4 record", () => {
    expect(reader.lookup(address("2001::1"))).toEqual({ record: undefined, prefixLength: 0 });
  });
});

describe("a reader of version 6", () => {
  const reader = mmdbReader({ "8.8.8.0/24": { name: "IPv4" }, "2001:4860::/32": { name: "IPv6" } });

  it("finds both families with their prefix lengths", () => {
    expect(reader.ipVersion).toBe(6);
    expect(reader.lookup(address("8.8.8.8"))).toEqual({ record: { name: "IPv4" }, prefixLength: 24 });
    expect(reader.lookup(address("2001:4860::1"))).toEqual({ record: { name: "IPv6" }, prefixLength: 32 });
    expect(reader.lookup(address("2001:4861::1"))).toEqual({ record: undefined, prefixLength: 32 });
  });

  it("finds no IPv4 address if it has none", () => {
    const onlyIpv6 = mmdbReader({ "2001:4860::/32": { name: "IPv6" } });
    expect(onlyIpv6.lookup(address("8.8.8.8"))).toEqual({ record: undefined, prefixLength: 0 });
  });
});

/** Records with a letter, and one without content. */
const LETTERS = {
  "8.0.0.0/8": { letter: "a" },
  "9.0.0.0/8": { letter: "b" },
  "11.0.0.0/8": { letter: "c" },
  "12.0.0.0/8": { nothing: true },
  "13.0.0.0/9": { letter: "a" },
};

/** Creates a `read` that returns the letters and counts its calls. */
function letterReader() {
  const counts = new Map<unknown, number>();
  const read = (record: unknown): { letter: string } | undefined => {
    const { letter } = record as { letter?: string };
    counts.set(letter, (counts.get(letter) ?? 0) + 1);
    return letter === undefined ? undefined : { letter: letter.toUpperCase() };
  };
  return { counts, read };
}

describe("a converted record", () => {
  it("is shared by all addresses and networks of the record", () => {
    const { counts, read } = letterReader();
    const reader = mmdbReader(LETTERS, read);
    const results = ["8.0.0.1", "8.255.255.255", "13.1.2.3", "8.0.0.1"].map((text) =>
      reader.lookup(address(text)),
    );
    expect(results.map(({ record }) => record?.letter)).toEqual(["A", "A", "A", "A"]);
    expect(results.map(({ prefixLength }) => prefixLength)).toEqual([8, 8, 9, 8]);
    expect(counts.get("a")).toBe(1);
  });

  it("is cached also without content", () => {
    const { counts, read } = letterReader();
    const reader = mmdbReader(LETTERS, read);
    for (const text of ["12.0.0.1", "12.0.0.1", "12.1.1.1"]) {
      expect(reader.lookup(address(text))).toEqual({ record: undefined, prefixLength: 8 });
    }
    expect(counts.get(undefined)).toBe(1);
  });

  it.each([1, 2, 3, 100])("is equal if it is read again, with a cache of %d", (kept) => {
    const { counts, read } = letterReader();
    const [small, fresh] = [mmdbReader(LETTERS, read, kept), () => mmdbReader(LETTERS, letterReader().read)];
    const texts = ["8.0.0.1", "9.0.0.1", "11.0.0.1", "12.0.0.1", "13.0.0.1", "14.0.0.1", "9.9.9.9"];
    for (const text of [...texts, ...texts, ...texts.toReversed()]) {
      expect(small.lookup(address(text))).toEqual(fresh().lookup(address(text)));
    }
    expect((counts.get("b") ?? 0) > 1).toBe(kept < 4);
  });

  it("is not shared with the record of another file at the same position", () => {
    const [one, other, ipv6] = [
      mmdbReader({ "8.0.0.0/8": { letter: "a" } }, letterReader().read),
      mmdbReader({ "8.0.0.0/8": { letter: "z" } }, letterReader().read),
      mmdbReader({ "2600::/8": { letter: "v" } }, letterReader().read),
    ];
    for (let time = 0; time < 2; time++) {
      expect(one?.lookup(address("8.1.1.1")).record).toEqual({ letter: "A" });
      expect(other?.lookup(address("8.1.1.1")).record).toEqual({ letter: "Z" });
      expect(ipv6?.lookup(address("2600::1")).record).toEqual({ letter: "V" });
    }
  });

  it("can have another form in another reader of the same bytes", () => {
    const { read } = letterReader();
    const reader = mmdbReader(LETTERS, read);
    const other = reader.withRecords((record) => JSON.stringify(record), 10);
    for (let time = 0; time < 2; time++) {
      expect(reader.lookup(address("13.1.2.3"))).toEqual({ record: { letter: "A" }, prefixLength: 9 });
      expect(other.lookup(address("13.1.2.3"))).toEqual({ record: '{"letter":"a"}', prefixLength: 9 });
    }
    expect(other.databaseType).toBe(reader.databaseType);
  });

  it("is not cached if reading fails", () => {
    let isBroken = true;
    const reader = mmdbReader(LETTERS, (record) => {
      if (isBroken) {
        throw new Error("broken");
      }
      return record;
    });
    expect(() => reader.lookup(address("8.0.0.1"))).toThrow("broken");
    expect(() => reader.lookup(address("8.0.0.1"))).toThrow("broken");
    isBroken = false;
    expect(reader.lookup(address("8.0.0.1")).record).toEqual({ letter: "a" });
  });
});

describe("openMmdb", () => {
  const good = mmdbBytes({ "8.8.8.0/24": { name: "IPv4" }, "9.0.0.0/8": { name: "x".repeat(500) } });
  const marker = good.indexOf("MaxMind.com");

  it("uses the bytes in place", () => {
    const bytes = Buffer.from(good);
    const opened = openMmdb(memorySource(bytes), asItIs);
    const at = bytes.indexOf("IPv4");
    bytes.write("IPv5", at);
    expect(opened.ok && opened.value.lookup(address("8.8.8.8")).record).toEqual({ name: "IPv5" });
  });

  /** Returns the file with another value of one metadata field. */
  function withMetadata(field: string, value: readonly number[]): Buffer {
    const bytes = Buffer.from(good);
    bytes.set(value, bytes.indexOf(field, marker) + field.length);
    return bytes;
  }

  const afterMarker = marker + "MaxMind.com".length;

  /** Returns the file with these bytes as its metadata. */
  function withBytes(...metadata: readonly (readonly number[] | Uint8Array)[]): Buffer {
    return Buffer.concat([good.subarray(0, afterMarker), ...metadata.map((each) => Buffer.from(each))]);
  }

  /** Returns the metadata that a lookup needs. */
  function fieldsWith(nodeCount: Buffer) {
    return { ip_version: encodeUint16(4), record_size: encodeUint16(24), node_count: nodeCount };
  }

  /** Returns the file with no other metadata. */
  function withNodeCount(nodeCount: Buffer): Buffer {
    return withBytes(encodeMap(Object.entries(fieldsWith(nodeCount))));
  }

  const { nodeCount } = new Reader(good).metadata;

  it("needs only three fields of the metadata", () => {
    expect(openMmdb(memorySource(withNodeCount(encodeValue(nodeCount))), asItIs).ok).toBe(true);
  });

  it.each<readonly [name: string, bytes: Buffer, reason: string, description: RegExp]>([
    ["nothing", Buffer.alloc(0), "NOT_MMDB", /is truncated/],
    ["one byte", Buffer.alloc(1), "NOT_MMDB", /is truncated/],
    ["zeros", Buffer.alloc(100_000), "NOT_MMDB", /is truncated/],
    ["text", Buffer.from("ip,country\n8.8.8.8,US\n".repeat(1_000)), "NOT_MMDB", /not a MaxMind DB file/],
    ["gzip", Buffer.from([0x1f, 0x8b, 8, 0]), "NOT_MMDB", /compressed with gzip; unpack it first/],
    ["a file without its last half", good.subarray(0, good.length / 2), "NOT_MMDB", /is truncated/],
    ["the marker alone", good.subarray(marker - 3, marker + 11), "CORRUPT_MMDB", /metadata cannot be read/],
    ["metadata that is cut off", good.subarray(0, marker + 40), "CORRUPT_MMDB", /metadata cannot be read/],
    ["metadata alone", good.subarray(marker - 3), "CORRUPT_MMDB", /search tree does not match/],
    ["a file without its first bytes", good.subarray(7), "CORRUPT_MMDB", /search tree does not match/],
    ["IP version 5", withMetadata("ip_version", [0xa1, 5]), "CORRUPT_MMDB", /IP version 5 in its metadata/],
    ["a text as IP version", withMetadata("ip_version", [0x41, 52]), "CORRUPT_MMDB", /IP version 4 in its/],
    [
      "records of 25 bits",
      withMetadata("record_size", [0xa1, 25]),
      "CORRUPT_MMDB",
      /Unsupported record size/,
    ],
    ["no nodes", withMetadata("node_count", [0xc1, 0]), "CORRUPT_MMDB", /search tree does not match/],
    [
      "too many nodes",
      withMetadata("node_count", [0xc1, 0xff]),
      "CORRUPT_MMDB",
      /search tree does not match/,
    ],
    ...[nodeCount + 0.5, -1, [nodeCount], `${nodeCount}`, BigInt(nodeCount), {}, true, 4_294_967_295].map(
      (count) =>
        [
          `the node count ${String(count)} (${typeof count})`,
          withNodeCount(encodeValue(count)),
          "CORRUPT_MMDB",
          /search tree does not match|metadata cannot be read/,
        ] as const,
    ),
    [
      "metadata that is no map",
      withBytes([0x01, 0x04], good.subarray(afterMarker)),
      "CORRUPT_MMDB",
      /metadata cannot be read \(it is not a map\)/,
    ],
    [
      // The first bytes of this map are the end of the marker.
      "metadata that hides the marker from maxmind",
      withBytes(
        encodeMap([
          ["axMind.com...", encodeValue(1)],
          ...Object.entries(fieldsWith(encodeValue(nodeCount))),
          ...Array.from({ length: 11 }, (_, index) => [`${index}`, encodeValue(index)] as const),
        ]),
      ),
      "CORRUPT_MMDB",
      /metadata cannot be read \(it starts like its marker ends\)/,
    ],
    [
      "metadata with more values than there is memory",
      withBytes([0xe1, 0x41, 0x61], sharedArrays(3, 2, 24)),
      "CORRUPT_MMDB",
      /metadata cannot be read \(a value has more than 4096 values or 32 levels\)/,
    ],
    [
      "a pointer to itself",
      withMetadata("description", [0x20, 0]),
      "CORRUPT_MMDB",
      /metadata cannot be read/,
    ],
  ])("rejects %s", (_, bytes, reason, description) => {
    const opened = openMmdb(memorySource(bytes), asItIs);
    expect(opened.ok ? "opened" : opened.failure.reason).toBe(reason);
    expect(opened.ok ? "opened" : opened.failure.description).toMatch(description);
  });
});

describe("a damaged file", () => {
  const good = mmdbBytes({ "8.8.8.0/24": { name: "a" }, "9.9.9.0/24": REPLACED });
  const { nodeCount, searchTreeSize } = new Reader(good).metadata;

  function lookup(bytes: Buffer, text: string) {
    const opened = openMmdb(memorySource(bytes), asItIs);
    if (!opened.ok) {
      throw new Error(opened.failure.description);
    }
    return opened.value.lookup(address(text));
  }

  it.each<[string, (offset: number) => Iterable<number>, RegExp]>([
    ["arrays of shared pointers", (offset) => sharedArrays(offset, 2, 24), /more than 4096 values/],
    ["a double of 4 bytes", () => [0x64, 0, 0, 0, 0], /type 3 and size 4/],
    ["a pointer out of the data section", () => [0x27, 0xff], /not in its section/],
  ])("with %s in a record has damage there, and nowhere else", (_, bytesAt, damage) => {
    const bytes = replaceRecord(good, bytesAt);
    for (let time = 0; time < 2; time++) {
      expect(lookup(bytes, "9.9.9.9")).toEqual({
        record: undefined,
        prefixLength: 24,
        damage: expect.stringMatching(damage),
      });
    }
    expect(lookup(bytes, "8.8.8.8")).toEqual({ record: { name: "a" }, prefixLength: 24 });
  });

  it.each([
    ["in the separator", nodeCount + 1],
    ["at the end of the separator", nodeCount + 15],
    ["in the metadata", nodeCount + good.indexOf("MaxMind.com") + 20 - searchTreeSize],
    ["behind the end", 0xff_ffff],
  ])("with a record %s has damage there", (_, value) => {
    const bytes = Buffer.from(good);
    bytes.writeUIntBE(value, 3, 3);
    const damage = "a value is not in its section";
    expect(lookup(bytes, "200.0.0.0")).toEqual({ record: undefined, prefixLength: 1, damage });
    expect(lookup(bytes, "8.8.8.8")).toMatchObject({ record: { name: "a" } });
  });

  it("with any other bytes opens or is rejected, and look-ups end", () => {
    const change = fc.record({
      at: fc.nat(good.length - 1),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 9 }),
    });
    const changed = fc.tuple(fc.array(change, { maxLength: 5 }), fc.integer({ min: 0, max: good.length }));
    fc.assert(
      fc.property(changed, ([changes, end]) => {
        const bytes = Buffer.from(good);
        for (const { at, bytes: other } of changes) {
          bytes.set(other.subarray(0, good.length - at), at);
        }
        for (const file of [bytes, bytes.subarray(0, end)]) {
          const opened = openMmdb(memorySource(file), readLocation);
          if (opened.ok) {
            const lengths = ["8.8.8.8", "9.9.9.9", "200.0.0.0"].map(
              (text) => opened.value.lookup(address(text)).prefixLength,
            );
            expect(Math.max(...lengths)).toBeLessThanOrEqual(128);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([4, 6] as const)("with a loop in a tree of version %d has damage there", (ipVersion) => {
    const bytes = mmdbBytes({ [ipVersion === 4 ? "8.0.0.0/8" : "2600::/12"]: {} });
    // The right half of the first node leads to the node itself.
    bytes.writeUIntBE(0, 3, 3);
    const [all, bits] =
      ipVersion === 4 ? ["255.255.255.255", 32] : ["ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 128];
    expect(lookup(bytes, all)).toEqual({
      record: undefined,
      prefixLength: bits,
      damage: "the search tree is deeper than an address",
    });
  });
});

// The one node of each tree, as the format describes it: https://maxmind.github.io/MaxMind-DB/#node-layout
describe.each([
  [24, [0xab, 0xcd, 0xef, 0x12, 0x34, 0x56], 0xabcdef, 0x123456],
  [28, [0xbc, 0xde, 0xf1, 0xa2, 0x34, 0x56, 0x78], 0xabcdef1, 0x2345678],
  [32, [0xfe, 0xdc, 0xba, 0x98, 0x12, 0x34, 0x56, 0x78], 0xfedcba98, 0x12345678],
])("a node with records of %d bits", (recordSize, bytes, left, right) => {
  it.each([4, 6] as const)("leads to its left and its right record in a tree of version %d", (ipVersion) => {
    const walk = treeWalker({ bytes: Uint8Array.from(bytes), recordSize, nodeCount: 1, ipVersion });
    const [zero, one] = ipVersion === 4 ? ["1.2.3.4", "128.0.0.0"] : ["2001::", "8000::"];
    expect(walk(address(zero))).toEqual({ value: left, depth: 1 });
    expect(walk(address(one))).toEqual({ value: right, depth: 1 });
  });
});

it("a tree of version 6 has IPv4 addresses below 96 zeros, or one result for all if it ends earlier", () => {
  const bytes = Uint8Array.from([0, 0, 2, 0, 0, 9]);
  const walk = treeWalker({ bytes, recordSize: 24, nodeCount: 1, ipVersion: 6 });
  expect(walk(address("8.8.8.8"))).toEqual({ value: 2, depth: 0 });
  expect(walk(address("255.8.8.8"))).toEqual({ value: 2, depth: 0 });
});

it("a walk in a loop ends with the address", () => {
  const walk = treeWalker({ bytes: new Uint8Array(6), recordSize: 24, nodeCount: 1, ipVersion: 6 });
  expect(walk(address("2001::1"))).toEqual({ value: 0, depth: 128 });
  expect(walk(address("8.8.8.8"))).toEqual({ value: 0, depth: 32 });
});

describe.each([24, 28, 32] as const)("a tree with records of %d bits", (recordSize) => {
  const blocks = {
    "0.0.0.0/32": { n: 0 },
    "1.0.0.0/24": { n: 1 },
    "8.8.8.0/23": { n: 2 },
    "9.1.0.0/16": { n: 8 },
    "9.2.0.0/17": { n: 9 },
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
    ...["9.1.255.255", "9.2.127.255", "9.2.128.0", "9.3.0.0"],
    ...["255.255.255.254", "255.255.255.255", "2001:4860::1", "2001:4862::8888", "2001:4861::", "ffff::1"],
  );
  const bytes = (length: number) => fc.array(fc.nat(255), { minLength: length, maxLength: length });
  const any = fc.oneof(edges.map(address), bytes(4).map(ipAddress), bytes(16).map(ipAddress));

  it.each([
    ["4", blocks],
    ["6", ipv6Blocks],
  ] as const)("of version %s gives the same results as maxmind", (version, records) => {
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
