import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeColumns } from "../../../../data/build/cities/write-columns.js";
import { convertColumns } from "../../../../scripts/convert-columns.mjs";
import { memorySource } from "../../../../src/tools/geoip/databases/block-source.js";
import {
  loadGeoIpDatabases,
  noOpenFiles,
  tryLookups,
} from "../../../../src/tools/geoip/databases/load-databases.js";
import { openMmdb } from "../../../../src/tools/geoip/databases/mmdb-reader.js";
import { type GeoIpDatabases, lookupByFamily } from "../../../../src/tools/geoip/lookup-ip.js";
import { address, mmdbBytes, REPLACED, replaceRecord, sharedArrays } from "../test-databases.js";

const NAMES = { city: "GEOIP_CITY_FILES", asn: "GEOIP_ASN_FILES" };
const CITY = { country_code: "US", latitude: 1, longitude: 2 };
const ASN = { autonomous_system_number: 64301, autonomous_system_organization: "Example" };

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "geoip-"));
  const cityIpv4 = mmdbBytes({ "8.0.0.0/8": { ...CITY, country_code: "AA" } });
  const files: Record<string, Buffer | string> = {
    "city-v4.mmdb": cityIpv4,
    "city-v6.mmdb": mmdbBytes({ "2600::/12": { ...CITY, country_code: "BB" } }),
    "city-both.mmdb": mmdbBytes({ "8.0.0.0/8": CITY, "2600::/12": CITY }),
    "asn.mmdb": mmdbBytes({ "8.0.0.0/8": ASN, "2600::/12": ASN }),
    "empty-tree.mmdb": mmdbBytes({}),
    "empty.mmdb": "",
    "text.mmdb": "not a database",
    "cut.mmdb": cityIpv4.subarray(0, 100),
    "shared-arrays.mmdb": replaceRecord(mmdbBytes({ "8.0.0.0/8": REPLACED }), (offset) =>
      sharedArrays(offset, 2, 24),
    ),
  };
  await Promise.all(Object.entries(files).map(([name, bytes]) => writeFile(join(folder, name), bytes)));
  await mkdir(join(folder, "folder.mmdb"));
});

afterAll(() => rm(folder, { recursive: true }));

async function load(city: readonly string[], asn: readonly string[] = []) {
  const inFolder = (name: string) => join(folder, name);
  return loadGeoIpDatabases({ city: city.map(inFolder), asn: asn.map(inFolder) }, NAMES);
}

async function country(city: readonly string[], text: string): Promise<unknown> {
  const loaded = await load(city);
  return loaded.ok ? lookupByFamily(loaded.value.city, address(text)).record : loaded.failure;
}

it("files that are open are opened again only if they have changed", async () => {
  const open = noOpenFiles();
  const paths = { city: [join(folder, "city.columns")], asn: [join(folder, "asn.mmdb")] };
  const replace = async (bytes: Buffer) => {
    await writeFile(join(folder, "new"), bytes);
    await rename(join(folder, "new"), join(folder, "city.columns"));
  };
  const columns = (code: string) =>
    convertColumns(
      writeColumns(
        mmdbBytes({
          "2600::/12": {
            country: { iso_code: code },
            subdivisions: [{ names: { en: "A" } }],
            city: { names: { en: "B" } },
            location: { latitude: 1, longitude: 2 },
          },
        }),
      ),
    );
  const read = async () => {
    const loaded = await loadGeoIpDatabases(paths, NAMES, open);
    return loaded.ok ? loaded.value : loaded.failure.description;
  };
  const countryOf = (databases: unknown) => {
    const { city } = databases as GeoIpDatabases;
    return city[6]?.lookup(address("2600::1")).record?.location.country;
  };
  await replace(columns("US"));
  const first = await read();
  expect(first).toMatchObject({ city: {} });
  expect(countryOf(first)).toBe("US");
  expect(await read()).toEqual(first);
  await replace(columns("CH"));
  const second = await read();
  expect([countryOf(first), countryOf(second)]).toEqual(["US", "CH"]);
  await replace(columns("DE").subarray(0, -1));
  expect([await read(), countryOf(second)]).toEqual([
    expect.stringMatching(/columns is damaged: it has/),
    "CH",
  ]);
});

describe("the file of a lookup", () => {
  it.each([
    ["IPv4 the file of version 4", ["city-v4.mmdb", "city-v6.mmdb"], "8.8.8.8", "AA"],
    ["IPv6 the file of version 6", ["city-v4.mmdb", "city-v6.mmdb"], "2600::1", "BB"],
    ["in any order", ["city-v6.mmdb", "city-v4.mmdb"], "2600::1", "BB"],
    [
      "IPv4 the file of version 4 also where both have it",
      ["city-both.mmdb", "city-v4.mmdb"],
      "8.8.8.8",
      "AA",
    ],
    ["IPv4 the file of version 6 where it is alone", ["city-both.mmdb"], "8.8.8.8", "US"],
    ["IPv6 the same file", ["city-both.mmdb"], "2600::1", "US"],
  ])("for %s", async (_, files, text, expected) => {
    expect(await country(files, text)).toMatchObject({ location: { country: expected } });
  });

  it("does not exist for IPv6 with only a file of version 4, or without files", async () => {
    expect(await country(["city-v4.mmdb"], "2600::1")).toBeUndefined();
    expect(await country([], "8.8.8.8")).toBeUndefined();
  });
});

describe("an unusable file fails with a one-line description", () => {
  it.each([
    ["missing.mmdb", "FILE_NOT_FOUND", "does not exist"],
    ["asn.mmdb/x", "FILE_NOT_FOUND", "does not exist"],
    ["folder.mmdb", "FILE_UNREADABLE", "is not a regular file"],
    ["empty.mmdb", "NOT_MMDB", "is not a MaxMind DB file, or is truncated"],
    ["text.mmdb", "NOT_MMDB", "is not a MaxMind DB file, or is truncated"],
    ["cut.mmdb", "NOT_MMDB", "is not a MaxMind DB file, or is truncated"],
    ["empty-tree.mmdb", "NO_USABLE_RECORDS", "has no CONTENT; its type is test"],
    [
      "shared-arrays.mmdb",
      "CORRUPT_MMDB",
      "is damaged: a lookup fails (a value has more than 4096 values or 32 levels)",
    ],
  ])("%s: %s", async (file, reason, description) => {
    const path = join(folder, file);
    const expected = {
      ok: false,
      failure: {
        reason,
        description: `GEOIP_CITY_FILES: ${path} ${description.replace("CONTENT", "countries or coordinates")}`,
      },
    };
    expect(await load([file])).toEqual(expected);
    expect(await load(["city-v6.mmdb", file])).toEqual(expected);
    expect(await load(["city-both.mmdb"], [file])).toEqual({
      ok: false,
      failure: {
        reason,
        description: `GEOIP_ASN_FILES: ${path} ${description.replace("CONTENT", "autonomous systems")}`,
      },
    });
  });

  it("for files of the other kind", async () => {
    const description = `${join(folder, "asn.mmdb")} has no countries or coordinates; its type is test`;
    expect(await load(["asn.mmdb"])).toMatchObject({
      failure: { reason: "NO_USABLE_RECORDS", description: `GEOIP_CITY_FILES: ${description}` },
    });
    expect(await load(["city-both.mmdb"], ["city-both.mmdb"])).toMatchObject({
      failure: {
        reason: "NO_USABLE_RECORDS",
        description: expect.stringMatching(/^GEOIP_ASN_FILES: .*city-both/),
      },
    });
  });

  it("for a second file with the same addresses", async () => {
    expect(await load(["city-v6.mmdb", "city-both.mmdb"])).toEqual({
      ok: false,
      failure: {
        reason: "DUPLICATE_IP_VERSION",
        description:
          `GEOIP_CITY_FILES: ${join(folder, "city-both.mmdb")} is the second file for IPv6; ` +
          "use at most one file for IPv4 and one for IPv6",
      },
    });
  });

  it("for an invalid path", async () => {
    const loaded = await loadGeoIpDatabases({ city: ["a\0b"], asn: [] });
    expect(loaded).toMatchObject({
      failure: {
        reason: "FILE_UNREADABLE",
        description: "city files: a\0b cannot be read (ERR_INVALID_ARG_VALUE)",
      },
    });
  });
});

describe("damaged bytes", () => {
  const records = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`${index * 6}.0.0.0/9`, { ...CITY, city: `City ${index}` }]),
  );
  const good = mmdbBytes(records);
  const asItIs = (record: unknown): unknown => record;

  it("with a loop are rejected", async () => {
    // Every record of the data section becomes a pointer to the start of the section, including the first.
    const bytes = Buffer.from(good);
    const data = bytes.indexOf("country_code") - 2;
    const end = bytes.indexOf("MaxMind.com") - 3;
    for (let offset = data; offset + 1 < end; offset += 2) {
      bytes.set([0x20, 0x00], offset);
    }
    const opened = openMmdb(memorySource(bytes), asItIs);
    const tried = opened.ok ? await tryLookups(opened.value, "city") : opened;
    expect(tried).toMatchObject({
      ok: false,
      failure: { reason: "CORRUPT_MMDB", description: expect.stringMatching(/^is damaged: a lookup fails/) },
    });
  });

  it("never throw at any position", async () => {
    const damage = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 20 });
    let damaged = 0;
    await fc.assert(
      fc.asyncProperty(damage, fc.nat(good.length), fc.boolean(), async (changes, cut, isCut) => {
        const bytes = Buffer.from(isCut ? good.subarray(0, cut) : good);
        for (const [offset, value] of changes) {
          bytes[offset] = value;
        }
        const opened = openMmdb(memorySource(bytes), asItIs);
        const tried = opened.ok ? await tryLookups(opened.value, "city") : opened;
        damaged += tried.ok ? 0 : 1;
      }),
      { seed: 1, numRuns: 2_000 },
    );
    expect(damaged).toBeGreaterThan(1_000);
  });

  it("never throw if they are random after a valid start or before a valid end", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 4_000 }), (noise) => {
        const marker = good.indexOf("MaxMind.com") - 3;
        for (const bytes of [
          Buffer.from(noise),
          Buffer.concat([good.subarray(0, marker), noise]),
          Buffer.concat([noise, good.subarray(marker)]),
        ]) {
          expect(openMmdb(memorySource(bytes), asItIs).ok).toBe(false);
        }
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
