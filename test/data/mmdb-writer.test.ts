import fc from "fast-check";
import { Reader } from "maxmind";
import { describe, expect, it } from "vitest";
import { type MmdbContent, type MmdbRange, type RecordSize, writeMmdb } from "../../data/mmdb-writer.js";

const RECORD_SIZES: readonly RecordSize[] = [24, 28, 32];

function open(content: Partial<MmdbContent> & Pick<MmdbContent, "ranges">): Reader<never> {
  return new Reader(writeMmdb({ ipVersion: 4, databaseType: "test", buildEpoch: 0, ...content }));
}

function ipv4(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn).join(".");
}

function ipv6(number: bigint): string {
  const hex = number.toString(16).padStart(32, "0");
  return (hex.match(/.{4}/g) ?? []).join(":");
}

function number(address: string): bigint {
  return address.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

function range(first: string, last: string, value: MmdbRange["value"]): MmdbRange {
  return { first: number(first), last: number(last), value };
}

const RANGES: readonly MmdbRange[] = [
  range("0.0.0.0", "0.0.0.0", "first of all"),
  range("1.0.0.0", "1.0.0.255", "a whole network"),
  range("1.0.1.0", "1.0.1.127", "next to it"),
  range("8.8.8.7", "8.8.8.8", "two that share no network"),
  range("10.0.0.1", "10.3.2.1", "many networks"),
  range("128.0.0.0", "191.255.255.255", "a wide network"),
  range("255.255.255.255", "255.255.255.255", "last of all"),
];

describe.each(RECORD_SIZES)("with records of %d bits", (recordSize) => {
  const reader = open({ ranges: RANGES, recordSize });

  it.each(RANGES)("finds $value at both ends of its range", ({ first, last, value }) => {
    expect(reader.get(ipv4(first))).toBe(value);
    expect(reader.get(ipv4((first + last) / 2n))).toBe(value);
    expect(reader.get(ipv4(last))).toBe(value);
  });

  it.each([
    "0.0.0.1",
    "0.255.255.255",
    "1.0.1.128",
    "8.8.8.6",
    "8.8.8.9",
    "10.0.0.0",
    "10.3.2.2",
    "127.255.255.255",
    "192.0.0.0",
    "255.255.255.254",
  ])("finds nothing at %s, next to a range", (address) => {
    expect(reader.get(address)).toBeNull();
  });

  it("finds IPv4 and IPv6 in a tree of version 6", () => {
    const both = open({
      ipVersion: 6,
      recordSize,
      ranges: [...RANGES, { first: 0x2001n << 112n, last: (0x2002n << 112n) - 1n, value: "IPv6" }],
    });
    for (const { first, last, value } of RANGES) {
      expect([both.get(ipv4(first)), both.get(ipv4(last))]).toEqual([value, value]);
    }
    expect(both.get("8.8.8.9")).toBeNull();
    expect(both.get("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff")).toBeNull();
    expect(both.get("2001::")).toBe("IPv6");
    expect(both.get("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff")).toBe("IPv6");
    expect(both.get("2002::")).toBeNull();
    expect(both.get("::ffff:8.8.8.8")).toBeNull();
  });
});

describe("prefix lengths", () => {
  it.each([
    ["1.0.0.77", 24],
    ["1.0.1.5", 25],
    ["1.0.1.200", 25],
    ["8.8.8.8", 32],
    ["130.0.0.0", 2],
    ["200.0.0.0", 3],
  ])("are the shortest with one result: %s/%d", (address, length) => {
    expect(open({ ranges: RANGES }).getWithPrefixLength(address)[1]).toBe(length);
  });

  it("combine neighbors with the same record", () => {
    const reader = open({
      ranges: [range("1.0.0.0", "1.0.0.255", { a: 1 }), range("1.0.1.0", "1.0.1.255", { a: 1 })],
    });
    expect(reader.getWithPrefixLength("1.0.1.1")).toEqual([{ a: 1 }, 23]);
  });

  it("count from the start of the IPv4 addresses in a tree of version 6", () => {
    expect(open({ ranges: RANGES, ipVersion: 6 }).getWithPrefixLength("1.0.0.77")[1]).toBe(24);
  });

  it.each([4, 6] as const)("are 1 in an empty tree of version %d", (ipVersion) => {
    const reader = open({ ranges: [], ipVersion });
    expect(reader.getWithPrefixLength(ipVersion === 4 ? "1.2.3.4" : "2001::")).toEqual([null, 1]);
  });

  it("are 1 if one range has all addresses", () => {
    const reader = open({ ranges: [range("0.0.0.0", "255.255.255.255", "all")] });
    expect(reader.getWithPrefixLength("255.0.0.1")).toEqual(["all", 1]);
  });
});

/** Creates ranges between sorted bounds without every third one, so that only some are adjacent. */
function disjoint(bounds: readonly bigint[]): MmdbRange[] {
  const sorted = [...new Set(bounds)].sort((a, b) => (a < b ? -1 : 1));
  return sorted
    .slice(1)
    .map((next, index) => ({
      first: sorted[index] ?? 0n,
      last: next - 1n,
      value: { name: `record ${index % 2}`, index: index % 4 },
    }))
    .filter((_, index) => index % 3 !== 2);
}

it.each([
  [4, 32, ipv4],
  [6, 128, ipv6],
] as const)("finds the results of a linear search, IPv%d", (ipVersion, bits, format) => {
  const max = (1n << BigInt(bits)) - 1n;
  // Small and large numbers, so that ranges share long prefixes.
  const address = fc.oneof(fc.bigInt(0n, max), fc.bigInt(0n, 64n), fc.bigInt(max - 64n, max));
  fc.assert(
    fc.property(
      fc.array(address, { maxLength: 24 }),
      fc.array(address, { maxLength: 8 }),
      fc.constantFrom(...RECORD_SIZES),
      (bounds, others, recordSize) => {
        const ranges = disjoint(bounds);
        const reader = open({ ipVersion, ranges, recordSize });
        const edges = ranges.flatMap(({ first, last }) => [first - 1n, first, last, last + 1n]);
        for (const probe of [...edges, ...others].filter((edge) => edge >= 0n && edge <= max)) {
          const expected = ranges.find(({ first, last }) => first <= probe && probe <= last)?.value ?? null;
          const [record, prefixLength] = reader.getWithPrefixLength(format(probe));
          expect(record).toEqual(expected);
          // The whole network with this prefix length is in the range, or outside all ranges.
          const size = 1n << BigInt(bits - prefixLength);
          const base = (probe / size) * size;
          const touching = ranges.filter(({ first, last }) => first < base + size && last >= base);
          expect(touching.every(({ value }) => JSON.stringify(value) === JSON.stringify(expected))).toBe(
            true,
          );
          expect(touching.length > 0).toBe(expected !== null);
        }
      },
    ),
    { seed: 1, numRuns: 200 },
  );
});

describe("records", () => {
  it.each<[string, MmdbRange["value"]]>([
    ["an empty text", ""],
    ["a text of 28 bytes", "x".repeat(28)],
    ["a text of 29 bytes", "x".repeat(29)],
    ["a text of 284 bytes", "x".repeat(284)],
    ["a text of 285 bytes", "x".repeat(285)],
    ["a text of 65,820 bytes", "x".repeat(65_820)],
    ["a text of 65,821 bytes", "x".repeat(65_821)],
    ["a text of several bytes a character", "Ελλάδα 🇬🇷"],
    ["the smallest uint32", 0],
    ["a uint32 of two bytes", 256],
    ["the largest uint32", 4_294_967_295],
    ["a number behind it", 4_294_967_296],
    ["a negative number", -1],
    ["a fraction", -122.085],
    ["a uint64", 18_446_744_073_709_551_615n],
    ["true", true],
    ["false", false],
    ["an array", ["a", 1, true, ["b"]]],
    ["an empty array", []],
    [
      "a map in a map",
      { country: { iso_code: "DE", is_in_european_union: true }, location: { latitude: 1.5 } },
    ],
    ["an empty map", {}],
    ["a map of 300 members", Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`key ${i}`, i]))],
  ])("hold %s", (_, value) => {
    expect(open({ ranges: [{ first: 0n, last: 0n, value }] }).get("0.0.0.0")).toEqual(value);
  });

  it("share texts by pointers of one, two and three bytes", () => {
    // After 600 kB of data, the last text, one from the start and one from the middle occur again.
    const filler = (index: number): MmdbRange["value"] => ({
      [`filler ${index}`]: "x".repeat(3_000) + index,
    });
    const values = [
      { early: "early text" },
      ...Array.from({ length: 100 }, (_, index) => filler(index)),
      { middle: "middle text" },
      ...Array.from({ length: 100 }, (_, index) => filler(100 + index)),
      { late: "late text" },
      { all: ["early text", "middle text", "late text"], early: 1, middle: 2, late: 3 },
    ];
    const reader = open({
      ranges: values.map((value, index) => ({ first: BigInt(index), last: BigInt(index), value })),
    });
    for (const [index, value] of values.entries()) {
      expect(reader.get(ipv4(BigInt(index)))).toEqual(value);
    }
  });

  it("are stored once if they are equal", () => {
    const sizeOf = (count: number, name: (index: number) => string): number => {
      const ranges = Array.from({ length: count }, (_, index) => ({
        first: BigInt(2 * index),
        last: BigInt(2 * index),
        value: { name: name(index) },
      }));
      const bytes = writeMmdb({ ipVersion: 4, databaseType: "t", buildEpoch: 0, ranges });
      return bytes.length - new Reader(bytes).metadata.searchTreeSize;
    };
    expect(sizeOf(100, () => "the same")).toBe(sizeOf(1, () => "the same"));
    expect(sizeOf(100, String)).toBeGreaterThan(sizeOf(1, String));
  });
});

describe("the file", () => {
  it("has its metadata", () => {
    const { metadata } = open({
      ipVersion: 6,
      ranges: RANGES,
      databaseType: "ASN",
      buildEpoch: 1_781_722_800,
      description: { en: "what it is", de: "was es ist" },
    });
    expect(metadata).toMatchObject({
      binaryFormatMajorVersion: 2,
      binaryFormatMinorVersion: 0,
      buildEpoch: new Date("2026-06-17T19:00:00Z"),
      databaseType: "ASN",
      description: { en: "what it is", de: "was es ist" },
      languages: ["en", "de"],
      ipVersion: 6,
      recordSize: 24,
    });
  });

  it("has the same bytes every time", () => {
    const content: MmdbContent = { ipVersion: 4, databaseType: "t", buildEpoch: 0, ranges: RANGES };
    expect(writeMmdb(content).equals(writeMmdb(content))).toBe(true);
  });

  it("has the smallest sufficient record size", () => {
    // Records of 24 bits cannot point to 16 MiB of data.
    const values = [`${"x".repeat(2 ** 24)}`, "y"];
    const ranges = values.map((value, index) => ({ first: BigInt(index), last: BigInt(index), value }));
    const reader = open({ ranges });
    expect(reader.metadata.recordSize).toBe(28);
    expect(reader.get("0.0.0.1")).toBe("y");
    expect(() => open({ ranges, recordSize: 24 })).toThrow("Records of 24 bits are too small for this file.");
  });
});

it.each([
  [
    "overlap",
    [range("1.0.0.0", "1.0.0.9", 1), range("1.0.0.9", "1.0.0.10", 2)],
    /overlaps the one before it/,
  ],
  ["are not in order", [range("2.0.0.0", "2.0.0.0", 1), range("1.0.0.0", "1.0.0.0", 2)], /not in order/],
  ["end before they begin", [range("1.0.0.1", "1.0.0.0", 1)], /is not one of 32-bit addresses/],
  [
    "are too large",
    [{ first: 0n, last: 2n ** 32n, value: 1 }],
    /0-4294967296 is not one of 32-bit addresses/,
  ],
])("rejects ranges that %s", (_, ranges, message) => {
  expect(() => open({ ranges })).toThrow(message);
});
