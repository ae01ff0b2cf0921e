import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lackOf, loadGeoIpService } from "../../../src/tools/geoip/load-geoip.js";
import { defaultGeoIpPaths, type GeoIpSettings } from "../../../src/tools/geoip/load-geoip-files.js";
import type { ToolEvent } from "../../../src/tools/tool.js";
import { callUnary, errorOf } from "../call.js";
import { mmdbBytes } from "./test-databases.js";

const SERVICE = "utilitytools.v1.GeoIpService";
let folder: string;
const path = (name: string) => join(folder, name);
const city = (country: string) => mmdbBytes({ "8.0.0.0/8": { country_code: country } });
const asn = mmdbBytes({ "8.0.0.0/8": { autonomous_system_number: 64301 } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "geoip-service-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Loads the tool with a city and an ASN file. The test triggers their changes. */
async function load(settings: Partial<GeoIpSettings> = {}) {
  const events: ToolEvent[] = [];
  let onEvent = (_event: ToolEvent): void => {};
  let change = (): void => {};
  let watched: readonly string[] = [];
  const tool = await loadGeoIpService(
    { geoIpCityFiles: [path("city.mmdb")], geoIpAsnFiles: [path("asn.mmdb")], dataDir: folder, ...settings },
    async () => ({ ok: true, value: [] }),
    {
      now: () => 0,
      watchFiles: async (paths, onChange) => {
        watched = paths;
        change = onChange;
        return { stop: () => {} };
      },
      report: (event) => {
        events.push(event);
        onEvent(event);
      },
    },
  );
  let changes = 0;
  tool.readiness?.onChange(() => {
    changes += 1;
  });
  return {
    tool,
    events,
    watched,
    changes: () => changes,
    isReady: () => tool.readiness?.isReady(),
    changed: () =>
      new Promise<ToolEvent>((resolve) => {
        onEvent = resolve;
        change();
      }),
    country: async () => {
      const { metadata } = await callUnary(tool, GeoIpService.method.lookupIp, { ipAddress: "8.8.8.8" });
      return metadata?.location?.country;
    },
  };
}

describe("loadGeoIpService", () => {
  it("watches all files, and reports its sources", async () => {
    await Promise.all([writeFile(path("city.mmdb"), city("AA")), writeFile(path("asn.mmdb"), asn)]);
    const { tool, events, watched, isReady } = await load();
    expect(watched).toEqual([path("city.mmdb"), path("asn.mmdb")]);
    expect(isReady()).toBe(true);
    expect(events).toEqual([
      {
        kind: "data_loaded",
        service: SERVICE,
        // Time zones are a part of the program.
        sources: tool.sources?.().slice(0, -1),
        files: tool.files?.(),
        outdated: [],
        isReplacement: false,
      },
    ]);
    expect(tool.files?.()).toEqual([path("city.mmdb"), path("asn.mmdb")]);
    expect(tool.sources?.()).toHaveLength(5);
    expect(JSON.stringify(tool.sources?.())).not.toContain(folder);
  });

  it("uses new files at once, and stays ready", async () => {
    const { country, changed, changes, isReady } = await load();
    expect([await country(), await country()]).toEqual(["AA", "AA"]);
    await writeFile(path("city.mmdb"), city("BB"));
    expect(await changed()).toMatchObject({ kind: "data_loaded", isReplacement: true });
    expect(await country()).toBe("BB");
    expect([isReady(), changes()]).toEqual([true, 0]);
  });

  it.each([
    ["that is truncated", "CORRUPT_MMDB|NOT_MMDB", () => city("CC").subarray(0, 100)],
    ["that is empty", "NOT_MMDB", () => Buffer.alloc(0)],
    ["of another kind", "NO_USABLE_RECORDS", () => asn],
  ])(
    "rejects a file %s, reports it with the setting, and continues with the older data",
    async (_name, reason, bytes) => {
      await writeFile(path("city.mmdb"), city("AA"));
      const { country, changed, isReady } = await load();
      await writeFile(path("city.mmdb"), bytes());
      expect(await changed()).toEqual({
        kind: "data_refused",
        service: SERVICE,
        reason: expect.stringMatching(reason),
        description: expect.stringContaining(`GEOIP_CITY_FILES: ${path("city.mmdb")} `),
        hasOlderData: true,
      });
      expect([isReady(), await country()]).toEqual([true, "AA"]);
      await writeFile(path("city.mmdb"), city("DD"));
      await changed();
      expect(await country()).toBe("DD");
    },
  );

  it.each([
    ["city.mmdb", "GEOIP_CITY_FILES"],
    ["asn.mmdb", "GEOIP_ASN_FILES"],
  ])("is not ready without %s, and becomes ready with it", async (name, setting) => {
    await Promise.all([writeFile(path("city.mmdb"), city("AA")), writeFile(path("asn.mmdb"), asn)]);
    await rm(path(name));
    const { tool, events, country, changed, changes, isReady } = await load();
    expect(events).toEqual([
      {
        kind: "data_refused",
        service: SERVICE,
        reason: "FILE_NOT_FOUND",
        description: `${setting}: ${path(name)} does not exist`,
        hasOlderData: false,
      },
    ]);
    expect([isReady(), tool.sources?.().length]).toEqual([false, 3]);
    expect(await errorOf(country())).toMatchObject({ reason: "DATA_UNAVAILABLE" });
    await writeFile(path(name), name === "asn.mmdb" ? asn : city("AA"));
    expect(await changed()).toMatchObject({ kind: "data_loaded", isReplacement: false });
    expect([isReady(), changes(), await country()]).toEqual([true, 1, "AA"]);
  });
});

describe("a data folder", () => {
  const inFolder = { geoIpCityFiles: undefined, geoIpAsnFiles: undefined };
  const [installedCity = ""] = defaultGeoIpPaths().city;
  const [installedAsn = ""] = defaultGeoIpPaths().asn;
  const newCity = mmdbBytes({ "8.0.0.0/8": { country_code: "AA" } }, { buildEpoch: 1_900_000_000 });
  const newAsn = mmdbBytes(
    { "8.0.0.0/8": { autonomous_system_number: 64301 } },
    { buildEpoch: 1_900_000_000 },
  );

  it.each([
    ["city.mmdb", newCity.subarray(200), installedCity],
    ["city.mmdb", Buffer.from("<html>"), installedCity],
    ["asn.mmdb", newAsn.subarray(200), installedAsn],
    // A newer file of another kind.
    ["asn.mmdb", newCity, installedAsn],
  ])("with an unusable %s does not keep the installed file from being used", async (name, bytes, used) => {
    await Promise.all([writeFile(path("city.mmdb"), newCity), writeFile(path("asn.mmdb"), newAsn)]);
    await writeFile(path(name), bytes);
    const { tool, events, isReady, country } = await load(inFolder);
    const files = [path("city.mmdb"), path("asn.mmdb")].map((file) => (file === path(name) ? used : file));
    expect([isReady(), tool.files?.()]).toEqual([true, files]);
    expect(await country()).toBe(name === "city.mmdb" ? "US" : "AA");
    expect(events).toEqual([
      {
        kind: "data_refused",
        service: SERVICE,
        reason: expect.stringMatching(/^(?:CORRUPT_MMDB|NOT_MMDB|NO_USABLE_RECORDS)$/),
        description: expect.stringMatching(`^DATA_DIR: ${path(name)} .*; ${used} is used$`),
        hasOlderData: true,
      },
      expect.objectContaining({ kind: "data_loaded", files, outdated: [], isReplacement: false }),
    ]);
  });

  it("whose file breaks keeps the newer data that is loaded", async () => {
    await Promise.all([writeFile(path("city.mmdb"), newCity), writeFile(path("asn.mmdb"), newAsn)]);
    const { country, changed, tool } = await load(inFolder);
    await writeFile(path("city.mmdb"), "broken");
    expect(await changed()).toMatchObject({
      kind: "data_refused",
      description: `DATA_DIR: ${path("city.mmdb")} is not a MaxMind DB file, or is truncated`,
      hasOlderData: true,
    });
    expect([await country(), tool.files?.()]).toEqual(["AA", [path("city.mmdb"), path("asn.mmdb")]]);
  });

  it("with an unusable file still reloads the other, and the unusable one when it is repaired", async () => {
    await Promise.all([writeFile(path("city.mmdb"), "broken"), rm(path("asn.mmdb"), { force: true })]);
    const { country, changed, events, tool } = await load(inFolder);
    expect(tool.files?.()).toEqual([installedCity, installedAsn]);
    await writeFile(path("asn.mmdb"), newAsn);
    await changed();
    await expect.poll(() => tool.files?.()).toEqual([installedCity, path("asn.mmdb")]);
    await writeFile(path("city.mmdb"), newCity);
    expect(await changed()).toMatchObject({ kind: "data_loaded", isReplacement: true });
    expect([await country(), tool.files?.()]).toEqual(["AA", [path("city.mmdb"), path("asn.mmdb")]]);
    expect(events.map(({ kind }) => kind)).toEqual([
      "data_refused",
      "data_loaded",
      "data_refused",
      "data_loaded",
      "data_loaded",
    ]);
  });
});

describe("lackOf", () => {
  const none = { 4: undefined, 6: undefined };
  const databases = { city: none, asn: none };
  const [installed = ""] = defaultGeoIpPaths().city;

  it("returns a warning if the countries of other sources cannot be read", () => {
    expect(lackOf({ databases, files: [installed] })).toMatch(
      /country-sources\.columns cannot be read: country_sources of a full view is empty$/,
    );
  });

  it("returns nothing for locations of the user, for which there are no other sources", () => {
    expect(lackOf({ databases, files: ["city.mmdb"] })).toBeUndefined();
  });
});
