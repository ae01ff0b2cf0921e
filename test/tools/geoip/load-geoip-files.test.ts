import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { INSTALLED_ORIGINS } from "../../../src/tools/geoip/geoip-sources.js";
import {
  defaultGeoIpPaths,
  findDatabaseFiles,
  findOrigins,
  type GeoIpSettings,
  watchedPaths,
} from "../../../src/tools/geoip/load-geoip.js";

const installed = defaultGeoIpPaths();
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
      paths: installed,
      names: { city: "installed files", asn: "installed files" },
    });
  });

  it("prefers the files in the data folder, each on its own", async () => {
    await writeFile(path("city.mmdb"), "city");
    expect(await findDatabaseFiles(settings)).toEqual({
      paths: { city: [path("city.mmdb")], asn: installed.asn },
      names: { city: "DATA_DIR", asn: "installed files" },
    });
  });

  it("prefers the files of the settings to all others", async () => {
    await writeFile(path("asn.mmdb"), "asn");
    const given = { ...settings, geoIpCityFiles: ["/a", "/b"], geoIpAsnFiles: ["/c"] };
    expect(await findDatabaseFiles(given)).toEqual({
      paths: { city: ["/a", "/b"], asn: ["/c"] },
      names: { city: "GEOIP_CITY_FILES", asn: "GEOIP_ASN_FILES" },
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
  const origins = async () => findOrigins(await findDatabaseFiles(settings), settings);

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
