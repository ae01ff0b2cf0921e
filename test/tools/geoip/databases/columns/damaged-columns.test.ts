import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { memorySource, pagedSource } from "../../../../../src/tools/geoip/databases/block-source.js";
import { openColumns } from "../../../../../src/tools/geoip/databases/columns/columns-reader.js";
import { readInto } from "../../../../../src/tools/geoip/databases/load-database-file.js";
import { lookupIp } from "../../../../../src/tools/geoip/lookup-ip.js";
import { address } from "../../test-databases.js";
import { columnsBytes, dbIpRecord, partsOf, withHeader, withWords } from "../block-databases.js";

const file = columnsBytes(
  Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [
      index % 2 === 0 ? `${index}.0.0.0/8` : `2a${String(index).padStart(3, "0").slice(1)}::/24`,
      dbIpRecord("CH", `Region ${index}`, `City ${index}`, index / 10, -index / 10),
    ]),
  ),
);
const { header, lengths } = partsOf(file);
const ADDRESSES = ["1.2.3.4", "8.8.8.8", "100.1.1.1", "197.1.1.1", "2a05::1", "2a99::1", "::", "ffff::"].map(
  address,
);
const folder = mkdtempSync(join(tmpdir(), "columns-"));
afterAll(() => rmSync(folder, { recursive: true }));

const asItIs = (record: unknown) => {
  const { state1, city } = record as { readonly state1: string; readonly city: string };
  return { ...(record as object), state1, city };
};
const open = (bytes: Buffer) => openColumns(memorySource(bytes), asItIs);

function opened(bytes: Buffer) {
  const result = open(bytes);
  if (!result.ok) {
    throw new Error(result.failure.description);
  }
  return result.value;
}

/** Returns a header with another length of a part. */
const withLength = (name: string, change: number) =>
  withHeader(file, {
    parts: header.parts.map(([each, length]) => [each, each === name ? length + change : length]),
  });
const without = (name: string) =>
  withHeader(file, { parts: header.parts.map(([each, length]) => [each === name ? "other" : each, length]) });

describe("a database is rejected", () => {
  it.each<readonly [what: string, bytes: Buffer, problem: string]>([
    ["without a header", file.subarray(0, 11), "it is truncated"],
    [
      "of an earlier format",
      Buffer.concat([Buffer.from("UTCOLS3\n"), file.subarray(8)]),
      "its format is UTCOLS3 instead of UTCOLS4",
    ],
    ["with a header beyond its end", withLengthOfHeader(file.length), "its header is too long"],
    ["with a header of 4 GB", withLengthOfHeader(0xffff_ffff), "its header is too long"],
    ["whose header is cut", withLengthOfHeader(20), "its header is not JSON"],
    ["without parts", withHeader(file, { parts: undefined }), "its header is incomplete"],
    [
      "with a part of a negative length",
      withHeader(file, { parts: [["strings", -1]] }),
      "its header is incomplete",
    ],
    [
      "with a part of half a byte",
      withHeader(file, { parts: [["strings", 0.5]] }),
      "its header is incomplete",
    ],
    ["with an invalid date", withHeader(file, { builtAt: "soon" }), "its header is incomplete"],
    ["with -1 locations", withHeader(file, { locations: -1 }), "its header is incomplete"],
    ["with a million locations", withHeader(file, { locations: 1e6 }), "its locations have a wrong length"],
    ["whose part is missing", without("strings"), "it has no part strings"],
    ["that is cut", file.subarray(0, -1), `it has ${file.length - 1} bytes instead of ${file.length}`],
    [
      "that is longer",
      Buffer.concat([file, Buffer.alloc(1)]),
      `it has ${file.length + 1} bytes instead of ${file.length}`,
    ],
  ])("%s", (_, bytes, problem) => {
    expect(open(bytes)).toEqual({
      ok: false,
      failure: { reason: "CORRUPT_MMDB", description: `is damaged: ${problem}` },
    });
  });

  it.each(["ipv4", "ipv6", "longer"])("whose table %s has another length", (table) => {
    for (const name of [`${table}-firsts`, `${table}-index`]) {
      expect(open(withLength(name, 4)).ok, name).toBe(false);
      expect(
        open(
          withHeader(file, {
            parts: header.parts.map(([each, length]) => [each, each === name ? 0 : length]),
          }),
        ).ok,
      ).toBe(false);
    }
  });
});

function withLengthOfHeader(length: number): Buffer {
  const copy = Buffer.from(file);
  copy.writeUInt32LE(length, 8);
  return copy;
}

describe("a lookup finds damage", () => {
  const last = (part: string) => (lengths.get(part) ?? 0) - 4;
  it.each<readonly [what: string, bytes: Buffer, problem: string]>([
    ["a block beyond the table", every("ipv4-firsts", 0xffff_ffff), "a number in it is too large"],
    [
      "a block that starts beyond the blocks",
      every("ipv4-index", 0xffff_fff0),
      "a number in it is too large",
    ],
    [
      "a block of gigabytes",
      withWords(file, "ipv4-index", last("ipv4-index"), 0xffff_fff0),
      "a block in it is too long",
    ],
    ["a location beyond the last one", every("ipv4-blocks", 0x7f7f_7f7f), "a location is missing"],
    ["a location block of gigabytes", every("location-index", 0xffff_fff0, 4), "a block in it is too long"],
    [
      "a location block that is too short",
      every("location-blocks", 0xffff_ffff),
      "a block in it is too short",
    ],
    [
      "a string of gigabytes",
      withWords(file, "string-ends", 4, 0, 0xffff_fff0),
      "a string in it is too long",
    ],
    ["a string beyond the strings", every("string-ends", 0xffff_fff0), "a number in it is too large"],
  ])("%s", (_, bytes, problem) => {
    const reader = opened(bytes);
    const damages = ADDRESSES.map((each) => reader.lookup(each).damage).filter((each) => each !== undefined);
    expect(damages).toContain(problem);
    const databases = { city: { 4: reader as never, 6: undefined }, asn: { 4: undefined, 6: undefined } };
    const found = ADDRESSES.map((each) => lookupIp(each, databases));
    expect(found).toContainEqual({
      ok: false,
      failure: {
        reason: "DATA_CORRUPTED",
        description: expect.stringMatching(/^the geolocation data of .* is damaged$/),
      },
    });
  });

  it("that the file has got since it was opened, and that it cannot read", () => {
    const path = join(folder, "cut.columns");
    // Long enough that the end is in another page than the start.
    const long = columnsBytes(
      Object.fromEntries(
        Array.from({ length: 4_000 }, (_, index) => [
          `${1 + (index >> 4)}.${(index & 15) << 4}.0.0/12`,
          dbIpRecord("CH", `Region ${index}`, `City ${index}`),
        ]),
      ),
    );
    expect(long.length).toBeGreaterThan(4 * 16_384);
    writeFileSync(path, long);
    const fd = openSync(path, "r+");
    const source = pagedSource(
      (bytes, position) => readInto(fd, bytes, position),
      long.length,
      Buffer.alloc(long.length),
    );
    const result = openColumns(source, asItIs);
    ftruncateSync(fd, 16_384);
    expect(result.ok && result.value.lookup(address("200.1.1.1"))).toEqual({
      record: undefined,
      prefixLength: 0,
      damage: "it is truncated",
    });
    closeSync(fd);
    expect(result.ok && result.value.lookup(address("200.1.1.1"))).toEqual({
      record: undefined,
      prefixLength: 0,
      damage: "it cannot be read",
    });
  });
});

/** Returns a copy of a database with the same word in a whole part, from a position on. */
function every(part: string, word: number, from = 0): Buffer {
  const count = Math.floor(((lengths.get(part) ?? 0) - from) / 4);
  return withWords(file, part, from, ...new Array<number>(count).fill(word));
}

describe("any damage", () => {
  const change = fc.tuple(fc.nat(file.length - 1), fc.nat(255));

  it("is rejected, or found by a lookup, or has a result: nothing else happens", () => {
    let rejected = 0;
    let damaged = 0;
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 200 }), (changes) => {
        const bytes = Buffer.from(file);
        for (const [at, value] of changes) {
          bytes[at] = value;
        }
        const result = open(bytes);
        rejected += result.ok ? 0 : 1;
        for (const each of result.ok ? ADDRESSES : []) {
          const { prefixLength, damage } = (result.ok && result.value.lookup(each)) || { prefixLength: 0 };
          damaged += damage === undefined ? 0 : 1;
          expect(prefixLength).toBeLessThanOrEqual(128);
          expect(prefixLength).toBeGreaterThanOrEqual(damage === undefined ? 1 : 0);
        }
      }),
      { seed: 1, numRuns: 2_000 },
    );
    expect(rejected).toBeGreaterThan(100);
    expect(damaged).toBeGreaterThan(100);
  });

  it("of random bytes after the header has an end", () => {
    const end = 12 + file.readUInt32LE(8);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: file.length - end, maxLength: file.length - end }), (noise) => {
        const result = open(Buffer.concat([file.subarray(0, end), noise]));
        for (const each of ADDRESSES) {
          expect((result.ok && result.value.lookup(each).prefixLength) || 0).toBeLessThanOrEqual(128);
        }
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});
