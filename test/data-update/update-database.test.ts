import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DatabaseName } from "../../src/data-files/data-folder.js";
import { findSource, type Source } from "../../src/data-update/sources.js";
import { updateDatabase } from "../../src/data-update/update-database.js";
import {
  CREDENTIALS,
  databaseFile,
  type FakePublishers,
  type Misbehavior,
  startPublishers,
} from "./fake-publishers.js";

const NOW = new Date("2026-11-22T12:00:00Z");
const LIMITS = { timeout: 60_000, pauses: [0], maxBytes: 1_000_000 };
/** For publishers that do not respond. */
const IMPATIENT = { ...LIMITS, timeout: 50 };
const NOVEMBER = databaseFile({ type: "Test", built: "2026-11-01" });
const OCTOBER = databaseFile({ type: "Test", built: "2026-10-01" });

let fake: FakePublishers;
let folder: string;

beforeAll(async () => {
  fake = await startPublishers();
});
afterAll(() => fake.close());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "update-"));
});
afterEach(() => rm(folder, { recursive: true }));

function offer(name: string, content: Buffer, changed = "2026-11-02T03:04:05Z"): void {
  fake.files.clear();
  fake.files.set(name, { content, changed: new Date(changed) });
  fake.misbehavior = "none";
  fake.requests.length = 0;
}

function source(name: string, database: DatabaseName): Source {
  const found = findSource(name, database, {
    publishers: fake.publishers,
    credentials: CREDENTIALS,
    now: NOW,
  });
  if (!found.ok) {
    throw new Error(found.failure.description);
  }
  return found.value;
}

const update = (name: string, database: DatabaseName, limits = LIMITS) =>
  updateDatabase({ database, source: source(name, database), folder, limits });

/** Whether the folder has this file. */
const has = async (database: DatabaseName, content: Buffer) =>
  content.equals(await readFile(join(folder, `${database}.mmdb`)));
const REPLACED = { ok: true, value: { builtAt: new Date("2026-11-01") } };
const CURRENT = { ok: true, value: undefined };

describe.each<[source: string, database: DatabaseName, file: string]>([
  ["dbip", "city", "dbip-city-lite-2026-11"],
  ["dbip", "asn", "dbip-asn-lite-2026-11"],
  ["origin-asn", "asn", "origin-asn"],
  ["geolite2", "city", "GeoLite2-City"],
  ["geolite2", "asn", "GeoLite2-ASN"],
  ["geoip2", "city", "GeoIP2-City"],
  ["geoip2", "asn", "GeoIP2-ISP"],
  ["ipinfo", "city", "ipinfo_lite"],
  ["ipinfo", "asn", "ipinfo_lite"],
  ["own.mmdb", "city", "own"],
  ["own.mmdb.gz", "city", "own"],
  ["own.tar.gz", "asn", "own"],
])("the source %s of %s", (name, database, file) => {
  const setting = () => (name.startsWith("own") ? fake.ownUrl(name) : name);

  it("creates the file and its provenance, readable by other users", async () => {
    offer(file, NOVEMBER);
    expect(await update(setting(), database)).toEqual(REPLACED);
    expect(await has(database, NOVEMBER)).toBe(true);
    expect((await stat(join(folder, `${database}.mmdb`))).mode & 0o777).toBe(0o644);
    expect(JSON.parse(await readFile(join(folder, `${database}.json`), "utf8"))).toMatchObject({
      source: name.startsWith("own") ? "url" : name,
      length: NOVEMBER.length,
      lastModified: "Mon, 02 Nov 2026 03:04:05 GMT",
    });
    expect((await readdir(folder)).toSorted()).toEqual([`${database}.json`, `${database}.mmdb`]);
  });

  it("downloads the file once, and again when it has changed", async () => {
    offer(file, OCTOBER, "2026-10-02T00:00:00Z");
    await update(setting(), database);
    fake.requests.length = 0;
    expect(await update(setting(), database)).toEqual(CURRENT);
    const downloads = fake.requests.filter(
      ({ path, status }) => status === 200 && !/checksum|download$/.test(path),
    );
    expect(downloads).toEqual([]);
    offer(file, NOVEMBER);
    expect(await update(setting(), database)).toEqual(REPLACED);
    expect(await has(database, NOVEMBER)).toBe(true);
  });

  it.each<[Misbehavior, reason: string, description: RegExp]>([
    ["missing", "NOT_PUBLISHED", /does not have the file \(HTTP status 404\)/],
    ["unavailable", "PUBLISHER_UNAVAILABLE", /does not return the file \(HTTP status 503\)/],
    ["page", "INVALID_DOWNLOAD", /is an HTML page|differs from its published checksum/],
    ["page as the file", "INVALID_DOWNLOAD", /is an HTML page|differs from its published checksum/],
    ["truncated", "INVALID_DOWNLOAD", /gzip file that is damaged|is truncated|published checksum/],
    ["disconnects", "PUBLISHER_UNAVAILABLE", /is unreachable/],
    ["slow", "PUBLISHER_UNAVAILABLE", /does not respond in time/],
    ["silent", "PUBLISHER_UNAVAILABLE", /does not respond in time/],
    ["endless redirects", "PUBLISHER_UNAVAILABLE", /is unreachable/],
  ])("keeps the old file if the publisher misbehaves: %s", async (misbehavior, reason, description) => {
    offer(file, OCTOBER, "2026-10-02T00:00:00Z");
    expect(await update(setting(), database)).toMatchObject({ ok: true });
    const before = await readFile(join(folder, `${database}.json`), "utf8");
    offer(file, NOVEMBER);
    fake.misbehavior = misbehavior;
    const isSilent = misbehavior === "slow" || misbehavior === "silent";
    const updated = await update(setting(), database, isSilent ? IMPATIENT : LIMITS);
    expect(updated).toEqual({
      ok: false,
      failure: { reason, description: expect.stringMatching(description) },
    });
    expect(JSON.stringify(updated)).not.toMatch(/token|license|own\./);
    expect(await has(database, OCTOBER)).toBe(true);
    expect(await readFile(join(folder, `${database}.json`), "utf8")).toBe(before);
    expect(await readdir(folder)).toHaveLength(2);
  });
});

it.each(["origin-asn", "geolite2", "ipinfo"])("rejects a file of %s with another checksum", async (name) => {
  offer(name === "geolite2" ? "GeoLite2-ASN" : name === "ipinfo" ? "ipinfo_lite" : name, NOVEMBER);
  fake.misbehavior = "wrong checksum";
  expect(await update(name, "asn")).toEqual({
    ok: false,
    failure: {
      reason: "INVALID_DOWNLOAD",
      description: `${name} has a file that differs from its published checksum`,
    },
  });
  expect(await readdir(folder)).toEqual([]);
});

it("uses last month's file of DB-IP while this month's is missing", async () => {
  offer("dbip-city-lite-2026-10", OCTOBER);
  expect(await update("dbip", "city")).toEqual({ ok: true, value: { builtAt: new Date("2026-10-01") } });
  expect(await update("dbip", "city")).toEqual(CURRENT);
  expect(fake.requests.map(({ path, status }) => [path, status])).toEqual([
    ["/free/dbip-city-lite-2026-11.mmdb.gz", 404],
    ["/free/dbip-city-lite-2026-10.mmdb.gz", 200],
    ["/free/dbip-city-lite-2026-11.mmdb.gz", 404],
    ["/free/dbip-city-lite-2026-10.mmdb.gz", 304],
  ]);
});

it("does not replace a file by an older one of the same type", async () => {
  offer("dbip-city-lite-2026-11", NOVEMBER);
  await update("dbip", "city");
  offer("dbip-city-lite-2026-10", OCTOBER);
  expect(await update("dbip", "city")).toEqual(CURRENT);
  expect(await has("city", NOVEMBER)).toBe(true);
});

it("replaces a file of another source, and one that is damaged", async () => {
  offer("GeoLite2-City", databaseFile({ type: "GeoLite2-City", built: "2026-11-05" }));
  await update("geolite2", "city");
  offer("dbip-city-lite-2026-11", NOVEMBER);
  expect(await update("dbip", "city")).toEqual(REPLACED);
  await writeFile(join(folder, "city.mmdb"), "damaged");
  expect(await update("dbip", "city")).toEqual(REPLACED);
});

it("retries after a failure", async () => {
  offer("dbip-city-lite-2026-11", NOVEMBER);
  fake.misbehavior = "unavailable";
  const limits = { ...LIMITS, pauses: [100] };
  const updated = updateDatabase({ database: "city", source: source("dbip", "city"), folder, limits });
  while (fake.requests.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  fake.misbehavior = "none";
  expect(await updated).toEqual(REPLACED);
  expect(fake.requests.map(({ status }) => status)).toEqual([503, 200]);
});

it("does not send credentials that were rejected again", async () => {
  offer("GeoLite2-City", NOVEMBER);
  const credentials = { ...CREDENTIALS, maxmindLicenseKey: "wrong" };
  const found = findSource("geolite2", "city", { publishers: fake.publishers, credentials, now: NOW });
  expect(
    found.ok && (await updateDatabase({ database: "city", source: found.value, folder, limits: LIMITS })),
  ).toEqual({
    ok: false,
    failure: {
      reason: "CREDENTIALS_REJECTED",
      description: "geolite2 rejects the request (HTTP status 401); check the credentials",
    },
  });
  expect(fake.requests).toHaveLength(1);
});

it("rejects a file that is too large", async () => {
  offer("origin-asn", NOVEMBER);
  const limits = { ...LIMITS, maxBytes: NOVEMBER.length - 1 };
  const updated = await updateDatabase({
    database: "asn",
    source: source("origin-asn", "asn"),
    folder,
    limits,
  });
  expect(updated).toEqual({
    ok: false,
    failure: {
      reason: "INVALID_DOWNLOAD",
      description: `origin-asn has a file that is too large; allowed: ${NOVEMBER.length - 1} bytes`,
    },
  });
});

it("fails if the folder cannot be created", async () => {
  offer("dbip-city-lite-2026-11", NOVEMBER);
  await writeFile(join(folder, "file"), "");
  const unusable = join(folder, "file", "folder");
  const updated = await updateDatabase({
    database: "city",
    source: source("dbip", "city"),
    folder: unusable,
    limits: LIMITS,
  });
  expect(updated).toEqual({
    ok: false,
    failure: {
      reason: "FOLDER_UNWRITABLE",
      description: `${unusable} cannot be written (a part of the path is no folder); DATA_DIR names another folder`,
    },
  });
});

it("reports the progress of a download", async () => {
  offer("own", NOVEMBER);
  const seen: [number, number | undefined][] = [];
  await updateDatabase({
    database: "city",
    source: source(fake.ownUrl("own.mmdb"), "city"),
    folder,
    limits: LIMITS,
    onProgress: (received, length) => seen.push([received, length]),
  });
  expect(seen.at(-1)).toEqual([NOVEMBER.length, NOVEMBER.length]);
});

describe("the list of disposable domains", () => {
  const name = "disposable_email_blocklist.conf";
  const list = () => readFile(join(import.meta.dirname, "../../data/email/disposable-domains.txt"));
  const updateList = () =>
    updateDatabase({ database: "disposable", source: listSource(), folder, limits: LIMITS });
  function listSource(): Source {
    const found = findSource("disposable-email-domains", "disposable", {
      publishers: fake.publishers,
      credentials: CREDENTIALS,
      now: NOW,
    });
    return found.ok ? found.value : expect.unreachable();
  }

  it("is checked and replaced, and not downloaded again", async () => {
    offer(name, Buffer.concat([await list(), Buffer.from("new.example\n")]));
    expect(await updateList()).toEqual({ ok: true, value: { builtAt: new Date("2026-11-02T03:04:05Z") } });
    expect(await readFile(join(folder, "disposable.txt"), "utf8")).toMatch(/\nnew.example\n$/);
    expect(await updateList()).toEqual(CURRENT);
    expect(fake.requests.map(({ status }) => status)).toEqual([200, 304]);
  });

  it("stays if the new one is not valid", async () => {
    offer(name, Buffer.from("<html>"));
    expect(await updateList()).toMatchObject({ ok: false, failure: { reason: "INVALID_DOWNLOAD" } });
    expect(await readdir(folder)).toEqual([]);
  });
});
