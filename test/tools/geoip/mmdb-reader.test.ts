import { describe, expect, it } from "vitest";
import { openMmdb } from "../../../src/tools/geoip/mmdb-reader.js";
import { address, mmdbBytes, mmdbReader } from "./test-databases.js";

describe("a reader of version 4", () => {
  const reader = mmdbReader({
    "8.8.8.0/24": { name: "IPv4" },
    "32.1.0.0/16": { name: "20.01 in hexadecimal" },
  });

  it("says what it reads", () => {
    expect(reader.ipVersion).toBe(4);
    expect(reader.databaseType).toBe("test");
    expect(reader.builtAt).toEqual(new Date("2026-06-17T19:00:00Z"));
  });

  it("finds IPv4 addresses, with the length of the prefix", () => {
    expect(reader.lookup(address("8.8.8.8"))).toEqual({ record: { name: "IPv4" }, prefixLength: 24 });
  });

  it("says how far nothing reaches", () => {
    expect(reader.lookup(address("8.8.9.1"))).toEqual({ record: null, prefixLength: 24 });
    expect(reader.lookup(address("200.0.0.0"))).toEqual({ record: null, prefixLength: 1 });
  });

  it("finds no IPv6 address, also where the first bits are those of an IPv4 record", () => {
    expect(reader.lookup(address("2001::1"))).toEqual({ record: null, prefixLength: 0 });
  });
});

describe("a reader of version 6", () => {
  const reader = mmdbReader({ "8.8.8.0/24": { name: "IPv4" }, "2001:4860::/32": { name: "IPv6" } });

  it("finds both families, with prefix lengths of each", () => {
    expect(reader.ipVersion).toBe(6);
    expect(reader.lookup(address("8.8.8.8"))).toEqual({ record: { name: "IPv4" }, prefixLength: 24 });
    expect(reader.lookup(address("2001:4860::1"))).toEqual({ record: { name: "IPv6" }, prefixLength: 32 });
    expect(reader.lookup(address("2001:4861::1"))).toEqual({ record: null, prefixLength: 32 });
  });

  it("knows no IPv4 address when it has none", () => {
    const onlyIpv6 = mmdbReader({ "2001:4860::/32": { name: "IPv6" } });
    expect(onlyIpv6.lookup(address("8.8.8.8"))).toEqual({ record: null, prefixLength: 0 });
  });
});

describe("openMmdb", () => {
  const good = mmdbBytes({ "8.8.8.0/24": { name: "IPv4" }, "9.0.0.0/8": { name: "x".repeat(500) } });
  const marker = good.indexOf("MaxMind.com");

  it("uses the bytes in place", () => {
    const bytes = Buffer.from(good);
    const opened = openMmdb(bytes);
    const at = bytes.indexOf("IPv4");
    bytes.write("IPv5", at);
    expect(opened.ok && opened.value.lookup(address("8.8.8.8")).record).toEqual({ name: "IPv5" });
  });

  /** The file with the value of one metadata field replaced. */
  function withMetadata(field: string, value: readonly number[]): Buffer {
    const bytes = Buffer.from(good);
    bytes.set(value, bytes.indexOf(field, marker) + field.length);
    return bytes;
  }

  it.each([
    ["nothing", Buffer.alloc(0), "NOT_MMDB", /its end is missing/],
    ["one byte", Buffer.alloc(1), "NOT_MMDB", /its end is missing/],
    ["zeros", Buffer.alloc(100_000), "NOT_MMDB", /its end is missing/],
    ["text", Buffer.from("ip,country\n8.8.8.8,US\n".repeat(1_000)), "NOT_MMDB", /not a MaxMind DB file/],
    ["gzip", Buffer.from([0x1f, 0x8b, 8, 0]), "NOT_MMDB", /compressed with gzip; unpack it first/],
    ["a file without its last half", good.subarray(0, good.length / 2), "NOT_MMDB", /its end is missing/],
    ["the marker alone", good.subarray(marker - 3, marker + 11), "CORRUPT_MMDB", /metadata cannot be read/],
    ["metadata that is cut off", good.subarray(0, marker + 40), "CORRUPT_MMDB", /metadata cannot be read/],
    ["metadata alone", good.subarray(marker - 3), "CORRUPT_MMDB", /search tree does not end where/],
    ["a file without its first bytes", good.subarray(7), "CORRUPT_MMDB", /search tree does not end where/],
    ["IP version 5", withMetadata("ip_version", [0xa1, 5]), "CORRUPT_MMDB", /IP version 5 in its metadata/],
    ["a text as IP version", withMetadata("ip_version", [0x41, 52]), "CORRUPT_MMDB", /IP version 4 in its/],
    [
      "records of 25 bits",
      withMetadata("record_size", [0xa1, 25]),
      "CORRUPT_MMDB",
      /Unsupported record size/,
    ],
    ["no nodes", withMetadata("node_count", [0xc1, 0]), "CORRUPT_MMDB", /search tree does not end where/],
    ["too many nodes", withMetadata("node_count", [0xc1, 0xff]), "CORRUPT_MMDB", /search tree does not end/],
    [
      "a pointer to itself",
      withMetadata("description", [0x20, 0]),
      "CORRUPT_MMDB",
      /metadata cannot be read/,
    ],
  ])("refuses %s", (_, bytes, reason, description) => {
    const opened = openMmdb(bytes);
    expect(opened.ok ? "opened" : opened.failure.reason).toBe(reason);
    expect(opened.ok ? "opened" : opened.failure.description).toMatch(description);
  });
});
