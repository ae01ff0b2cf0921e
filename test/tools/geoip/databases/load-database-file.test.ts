import { appendFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DatabaseFile,
  openDatabaseFile,
} from "../../../../src/tools/geoip/databases/load-database-file.js";
import { type Location, readLocation } from "../../../../src/tools/geoip/databases/records.js";
import type { SharedFile } from "../../../../src/tools/tool.js";
import { address, mmdbBytes } from "../test-databases.js";
import { columnsBytes, dbIpRecord } from "./block-databases.js";

/** Two thousand networks, so that the file has several pages. */
const recordsOf = (code: string) => ({
  ...Object.fromEntries(
    Array.from({ length: 2_000 }, (_, index) => [
      `${20 + (index >> 4)}.${(index & 15) << 4}.0.0/12`,
      dbIpRecord(index % 2 === 0 ? code : "FR", `Region ${index}`),
    ]),
  ),
  "2600::/12": dbIpRecord(code),
});

const FORMATS = ([24, 28, 32] as const)
  .map((recordSize) => ({
    name: `MMDB, records of ${recordSize} bits`,
    bytesOf: (code: string) => mmdbBytes(recordsOf(code), { recordSize }),
  }))
  .concat({ name: "columns", bytesOf: (code) => columnsBytes(recordsOf(code)) })
  .map(({ name, bytesOf }) => ({ name, swiss: bytesOf("CH"), german: bytesOf("DE") }));

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "files-"));
});

afterAll(() => rm(folder, { recursive: true }));

async function open(path: string, ...shared: readonly (SharedFile | undefined)[]) {
  const opened = await openDatabaseFile(path, readLocation, ...shared, ...(shared.length > 0 ? [true] : []));
  if (!opened.ok) {
    throw new Error(opened.failure.description);
  }
  return opened.value;
}

async function file(name: string, content: Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const countryOf = ({ reader }: DatabaseFile<Location>, text: string) =>
  reader.lookup(address(text)).record?.location.country;

describe.each(FORMATS)("a file in $name", ({ swiss, german }) => {
  it("lookups read pages until the file is loaded, and have the same results then", async () => {
    const database = await open(await file("a.columns", swiss));
    const details = database.reader.withRecords((record) => record !== undefined, 10);
    const before = ["20.0.0.1", "20.16.0.1", "140.1.1.1", "2600::1", "9.9.9.9"].map((each) =>
      database.reader.lookup(address(each)),
    );
    expect(before.map(({ record }) => record?.location.country)).toEqual(["CH", "FR", "CH", "CH", undefined]);
    const pages = database.pages();
    expect(pages?.length).toBeGreaterThanOrEqual(database.size);
    expect(pages?.subarray(0, database.size).equals(swiss)).toBe(false);
    await database.load(pages ?? Buffer.alloc(0));
    expect(database.pages()).toBeUndefined();
    expect(pages?.subarray(0, database.size).equals(swiss)).toBe(true);
    expect(
      ["20.0.0.1", "20.16.0.1", "140.1.1.1", "2600::1", "9.9.9.9"].map((each) =>
        database.reader.lookup(address(each)),
      ),
    ).toEqual(before);
    expect(details.lookup(address("20.0.0.1")).record).toBe(true);
  });

  it("a file that is replaced is still the one that was opened, and another one is loaded into its memory", async () => {
    const path = await file("b.columns", swiss);
    const first = await open(path);
    await rename(await file("new", german), path);
    expect(countryOf(first, "20.0.0.1")).toBe("CH");
    const memory = Buffer.alloc(first.size + 1_000);
    await first.load(memory);
    const second = await open(path);
    expect([countryOf(first, "20.0.0.1"), countryOf(second, "20.0.0.1")]).toEqual(["CH", "DE"]);
    const loaded = second.load(memory);
    expect([countryOf(second, "20.0.0.1"), countryOf(second, "20.16.0.1")]).toEqual(["DE", "FR"]);
    await loaded;
    expect([countryOf(second, "140.1.1.1"), countryOf(second, "2600::1")]).toEqual(["DE", "DE"]);
    expect(memory.subarray(0, second.size).equals(german)).toBe(true);
  });

  it("a file that changes in place is not loaded, and lookups go on", async () => {
    const path = await file("c.columns", swiss);
    const database = await open(path);
    await appendFile(path, "more");
    await expect(database.load(Buffer.alloc(database.size))).rejects.toThrow(
      /^it was changed while it was read$/,
    );
    expect(database.pages()).toBeDefined();
    expect(countryOf(database, "20.0.0.1")).toBe("CH");
  });

  it("a file that is cut in place is not loaded", async () => {
    const path = await file("d.columns", swiss);
    const database = await open(path);
    await writeFile(path, swiss.subarray(0, 20_000));
    await expect(database.load(Buffer.alloc(database.size))).rejects.toThrow(/^it is truncated$/);
    expect(database.reader.lookup(address("60.0.0.1"))).toEqual({
      record: undefined,
      prefixLength: 0,
      damage: "it is truncated",
    });
  });

  it("is shared by threads", async () => {
    const path = await file("e", swiss);
    const first = await open(path, undefined);
    const shared = first.share();
    expect(shared.memory).toBeInstanceOf(SharedArrayBuffer);
    // Its path leads to another file by now.
    const other = await file("other", german);
    await rename(other, path);
    const second = await open(path, shared);
    expect(second.share().memory).toBe(shared.memory);
    expect([countryOf(first, "20.0.0.1"), countryOf(second, "20.0.0.1")]).toEqual(["CH", "CH"]);
    await first.load(Buffer.from(shared.memory));
    expect([countryOf(first, "20.0.0.1"), countryOf(second, "20.0.0.1")]).toEqual(["CH", "CH"]);
    expect(Buffer.from(shared.memory).equals(swiss)).toBe(true);
  });
});

it("a file that was not opened for threads is not shared", async () => {
  const database = await open(await file("f", FORMATS[0]?.swiss ?? Buffer.alloc(0)));
  expect(() => database.share()).toThrow(/^only a file that was opened for several threads is shared$/);
});
