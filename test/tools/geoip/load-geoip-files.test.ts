import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { INSTALLED_ORIGINS } from "../../../src/tools/geoip/geoip-sources.js";
import { loadDatabases } from "../../../src/tools/geoip/load-geoip.js";
import {
  defaultGeoIpPaths,
  findDatabaseFiles,
  findOrigins,
  type GeoIpSettings,
  watchedPaths,
} from "../../../src/tools/geoip/load-geoip-files.js";
import { mmdbBytes } from "./test-databases.js";

const installed = defaultGeoIpPaths();
const installedFiles = (database: "city" | "asn") => ({
  paths: installed[database],
  name: "installed files",
});
const PROVENANCE = { source: "ipinfo", address: "a", sha256: "b", length: 4, etag: "", lastModified: "" };
let folder: string;
let settings: GeoIpSettings;
const path = (name: string) => join(folder, name);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "database-files-"));
  settings = { geoIpCityFiles: undefined, geoIpAsnFiles: undefined, dataDir: folder };
});
afterEach(() => rm(folder, { recursive: true }));

describe("findDatabaseFiles", () => {
  it("returns the installed files if the data folder has none", async () => {
    const none = { ...settings, dataDir: path("missing") };
    expect(await findDatabaseFiles(none)).toEqual({
      city: [installedFiles("city")],
      asn: [installedFiles("asn")],
    });
  });

  it("prefers the files in the data folder, each on its own", async () => {
    await writeFile(path("city.mmdb"), "city");
    expect(await findDatabaseFiles(settings)).toEqual({
      city: [{ paths: [path("city.mmdb")], name: "DATA_DIR" }, installedFiles("city")],
      asn: [installedFiles("asn")],
    });
  });

  it.each([
    ["newer", "2027-01-01", true],
    ["older", "2020-01-01", false],
  ])("uses a file in the data folder that is %s than the installed one: %s, %s", async (_, date, isUsed) => {
    const buildEpoch = Date.parse(date) / 1000;
    await writeFile(path("city.mmdb"), mmdbBytes({ "8.0.0.0/8": { country_code: "AA" } }, { buildEpoch }));
    const choices = [{ paths: [path("city.mmdb")], name: "DATA_DIR" }, installedFiles("city")];
    const { city } = await findDatabaseFiles(settings);
    expect(city).toEqual(isUsed ? choices : choices.toReversed());
    const loaded = await loadDatabases(settings);
    expect(loaded.ok && loaded.value.databases.countrySources !== undefined).toBe(!isUsed);
    expect(loaded.ok && [loaded.value.files, loaded.value.outdated, loaded.value.rejected]).toEqual([
      [...(isUsed ? [path("city.mmdb")] : installed.city), ...installed.asn],
      isUsed ? [] : [path("city.mmdb")],
      [],
    ]);
  });

  it("prefers the files of the settings to all others", async () => {
    await writeFile(path("asn.mmdb"), "asn");
    const given = { ...settings, geoIpCityFiles: ["/a", "/b"], geoIpAsnFiles: ["/c"] };
    expect(await findDatabaseFiles(given)).toEqual({
      city: [{ paths: ["/a", "/b"], name: "GEOIP_CITY_FILES" }],
      asn: [{ paths: ["/c"], name: "GEOIP_ASN_FILES" }],
    });
  });
});

it("watches files that may appear in the data folder, and those in use", () => {
  expect(watchedPaths({ ...settings, geoIpAsnFiles: ["/c"] })).toEqual([
    path("city.mmdb"),
    path("city.json"),
    ...installed.city,
    "/c",
  ]);
});

describe("findOrigins", () => {
  /** The origins of the files that come first. */
  async function origins() {
    const { city, asn } = await findDatabaseFiles(settings);
    return findOrigins({ city: city[0]?.paths ?? [], asn: asn[0]?.paths ?? [] }, settings);
  }

  it("knows the installed files", async () => {
    expect(await origins()).toEqual(INSTALLED_ORIGINS);
  });

  it("knows copies of the installed files", async () => {
    await copyFile(installed.asn[0] ?? "", path("copy.mmdb"));
    settings = {
      ...settings,
      geoIpCityFiles: installed.city.toReversed(),
      geoIpAsnFiles: [path("copy.mmdb")],
    };
    expect(await origins()).toEqual(INSTALLED_ORIGINS);
  });

  it("knows files of update-data", async () => {
    await writeFile(path("asn.mmdb"), "1234");
    await writeFile(path("asn.json"), JSON.stringify(PROVENANCE));
    expect((await origins()).asn).toMatchObject({ publisher: "IPinfo", license: "CC-BY-SA-4.0" });
  });

  it.each([
    ["of another length", { ...PROVENANCE, length: 5 }],
    ["from a URL", { ...PROVENANCE, source: "url" }],
    ["of an unknown source", { ...PROVENANCE, source: "toString" }],
    ["with an incomplete provenance", { source: "ipinfo", length: 4 }],
    ["with an invalid provenance", null],
  ])("does not know files in the data folder %s", async (_, provenance) => {
    await writeFile(path("asn.mmdb"), "1234");
    await writeFile(path("asn.json"), JSON.stringify(provenance));
    expect((await origins()).asn).toBeUndefined();
  });

  it("does not know other files, and none that are missing", async () => {
    await writeFile(path("other.mmdb"), "1234");
    settings = {
      ...settings,
      geoIpCityFiles: [path("other.mmdb"), ...installed.city],
      geoIpAsnFiles: [path("missing")],
    };
    expect(await origins()).toEqual({ city: undefined, asn: undefined });
  });
});
