import { deepStrictEqual } from "node:assert/strict";
import { describe, expect, it } from "vitest";
import { type Network, networksOf, withoutReserved } from "../../../../../data/build/cities/networks.js";
import { writeColumns } from "../../../../../data/build/cities/write-columns.js";
import { convertColumns } from "../../../../../scripts/convert-columns.mjs";
import { type IpAddress, ipAddress } from "../../../../../src/text/ip-address.js";
import { memorySource } from "../../../../../src/tools/geoip/databases/block-source.js";
import { openColumns } from "../../../../../src/tools/geoip/databases/columns/columns-reader.js";
import type { MmdbReader } from "../../../../../src/tools/geoip/databases/movable-reader.js";
import { openDatabase } from "../../../../../src/tools/geoip/databases/open-database.js";
import { readLocation } from "../../../../../src/tools/geoip/databases/records.js";
import { findSpecialPurpose } from "../../../../../src/tools/geoip/special-purpose.js";
import { randomNumbers } from "../../draw-addresses.js";
import { address, mmdbBytes, toBytes } from "../../test-databases.js";

/** A record in the shape of DB-IP's file. Each number has another one. */
const place = (number: number) => ({
  country: { iso_code: number % 3 === 0 ? "CH" : "US" },
  subdivisions: [{ names: { en: `Region ${number % 7}` } }],
  city: { names: { en: `Zürich ${number % 50}` } },
  location: { latitude: 47.3764 - number / 100, longitude: -8.5418 + number / 10_000 },
});

const random = randomNumbers(1n);
/** Networks of all lengths that do not overlap. Some IPv6 networks are in one block of 64 bits. */
const blocks = new Map<string, { readonly bits: number; readonly first: bigint; readonly end: bigint }>();
for (let index = 0; index < 240; index++) {
  const [bits, fixed, space, shortest, longest] = (
    [
      [32, 0n, 32, 4, 32],
      [128, 1n << 125n, 125, 6, 48],
      [128, 0x2001_0200n << 96n, 64, 66, 128],
    ] as const
  )[index % 3] ?? [32, 0n, 32, 4, 32];
  const shift = BigInt(bits - longest) + (random(32) % BigInt(longest - shortest));
  const first = ((fixed | random(space)) >> shift) << shift;
  const block = `${ipAddress(toBytes(first, bits)).text}/${bits - Number(shift)}`;
  const end = first + (1n << shift);
  if (![...blocks.values()].some((other) => other.bits === bits && other.first < end && first < other.end)) {
    blocks.set(block, { bits, first, end });
  }
}
const mmdb = mmdbBytes(Object.fromEntries([...blocks.keys()].map((block, index) => [block, place(index)])));
const file = convertColumns(writeColumns(mmdb));

function open(bytes: Buffer): MmdbReader<unknown> {
  const opened = openDatabase<unknown>(memorySource(Buffer.from(bytes)), (record) => readLocation(record));
  if (!opened.ok) {
    throw new Error(opened.failure.description);
  }
  return opened.value;
}

function lastOf({ first, prefixLength }: Network<unknown>): IpAddress {
  return ipAddress(
    first.bytes.map((byte, index) => byte | (0xff >> Math.max(0, Math.min(8, prefixLength - 8 * index)))),
  );
}

describe("a database in columns", () => {
  const [columns, tree] = [open(file), open(mmdb)];

  it.each([4, 6] as const)("has the IPv%i networks of the MMDB file", (family) => {
    const lookup = withoutReserved(columns.lookup);
    let count = 0;
    for (const network of networksOf(withoutReserved(tree.lookup), family)) {
      for (const each of [network.first, lastOf(network)]) {
        const found = lookup(each);
        deepStrictEqual(found.record, network.record, each.text);
        // The prefix of a subnet in a response is never shorter.
        const { prefixLength } = findSpecialPurpose(each);
        expect(Math.max(found.prefixLength, prefixLength), each.text).toBe(
          Math.max(network.prefixLength, prefixLength),
        );
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(200);
  });

  it("has the metadata of the MMDB file", () => {
    const { databaseType, builtAt, ipVersion } = tree;
    expect(columns).toMatchObject({ databaseType, builtAt, ipVersion });
  });

  it("is the same in each build", () => {
    expect(convertColumns(writeColumns(mmdb)).equals(file)).toBe(true);
  });

  it("can be at any position in memory", () => {
    const moved = Buffer.alloc(file.length + 1);
    file.copy(moved, 1);
    const opened = openDatabase<unknown>(memorySource(moved.subarray(1)), (record) => readLocation(record));
    expect(opened.ok && opened.value.lookup(address("8.8.8.8"))).toEqual(columns.lookup(address("8.8.8.8")));
  });

  it.each([8, 12, 100, file.length - 1])("is rejected if it is cut to %i bytes", (length) => {
    expect(openColumns(memorySource(file.subarray(0, length)), (record) => record)).toMatchObject({
      ok: false,
      failure: { reason: "CORRUPT_MMDB" },
    });
  });

  it("never throws if its content is damaged", () => {
    for (let round = 0; round < 20; round++) {
      const damaged = Buffer.from(file);
      for (let at = 1_024 + Number(random(32) % 64n); at < damaged.length; at += 64) {
        damaged[at] = Number(random(8));
      }
      const opened = open(damaged);
      for (const text of ["0.0.0.0", "8.8.8.8", "2001:200::1", "2a00::1", "3fff::"]) {
        expect(opened.lookup(address(text)).prefixLength).toBeLessThanOrEqual(128);
      }
    }
  });
});
