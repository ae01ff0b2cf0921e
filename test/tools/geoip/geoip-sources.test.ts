import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { PACKAGE_FOLDER } from "../../../src/installed-package.js";
import { memorySource } from "../../../src/tools/geoip/databases/block-source.js";
import { openMmdb } from "../../../src/tools/geoip/databases/mmdb-reader.js";
import type { MmdbReader } from "../../../src/tools/geoip/databases/movable-reader.js";
import { geoIpSources, INSTALLED_ORIGINS, TIME_ZONES } from "../../../src/tools/geoip/geoip-sources.js";
import type { GeoIpDatabases } from "../../../src/tools/geoip/lookup-ip.js";
import { mmdbBytes } from "./test-databases.js";

const BUILT = "2026-06-17T19:00:00.000Z";
const OTHERS = {};
const { dependencies } = JSON.parse(readFileSync(join(PACKAGE_FOLDER, "package.json"), "utf8"));

function reader(
  databaseType: string,
  ipVersion: 4 | 6 = 6,
  description?: string,
  buildEpoch = Date.parse(BUILT) / 1_000,
): MmdbReader<never> {
  const content = { databaseType, buildEpoch };
  const block = ipVersion === 4 ? "8.0.0.0/8" : "2600::/12";
  const bytes = mmdbBytes(
    { [block]: {} },
    description === undefined ? content : { ...content, description: { en: description } },
  );
  const opened = openMmdb<never>(memorySource(bytes), () => undefined);
  if (!opened.ok) {
    throw new Error(opened.failure.description);
  }
  return opened.value;
}

function cityOnly(city: MmdbReader<never>): GeoIpDatabases {
  return { city: { 4: city, 6: city }, asn: { 4: undefined, 6: undefined } };
}

const iana = [
  expect.objectContaining({ name: "IANA special-purpose address registries", license: "CC0-1.0" }),
  expect.objectContaining({ name: "IANA IPv6 Global Unicast Address Assignments", license: "CC0-1.0" }),
];

describe("geoIpSources", () => {
  it("returns only the registries without databases", () => {
    expect(geoIpSources(undefined, OTHERS)).toEqual(iana);
  });

  it("returns each file once, with its IP version if it is one of two", () => {
    const asn = reader("ASN");
    const databases = {
      city: { 4: reader("city ipv4", 4), 6: reader("city ipv6") },
      asn: { 4: asn, 6: asn },
    };
    const sources = geoIpSources(databases, INSTALLED_ORIGINS);
    expect(sources.map(({ name, license, builtAt }) => [name, license, builtAt?.toISOString()])).toEqual([
      ["DB-IP IP to City Lite (IPv4)", "CC-BY-4.0", BUILT],
      ["DB-IP IP to City Lite (IPv6)", "CC-BY-4.0", BUILT],
      ["origin-asn", "PDDL-1.0", BUILT],
      ["IANA special-purpose address registries", "CC0-1.0", expect.any(String)],
      ["IANA IPv6 Global Unicast Address Assignments", "CC0-1.0", expect.any(String)],
    ]);
  });

  // The names are those in the metadata of the publishers' files.
  it.each([
    ["DBIP-City-Lite", "DB-IP", "CC-BY-4.0", /^IP Geolocation by DB-IP/],
    ["DBIP-ASN-Lite (compat=GeoLite2-ASN)", "DB-IP", "CC-BY-4.0", /^IP Geolocation by DB-IP/],
    ["DBIP-Location", "DB-IP", "NOASSERTION", /^$/],
    ["GeoLite2-City", "MaxMind", "LicenseRef-MaxMind-GeoLite-EULA", /GeoLite Data created by MaxMind/],
    ["GeoIP2-City", "MaxMind", "NOASSERTION", /^$/],
    ["ipinfo standard_location.mmdb", "IPinfo", "NOASSERTION", /^$/],
    // Several publishers use these names.
    ["city ipv4", "", "NOASSERTION", /^$/],
    ["ASN", "", "NOASSERTION", /^$/],
  ])("uses the database type in a file's metadata: %s", (type, publisher, license, attribution) => {
    const [source] = geoIpSources(cityOnly(reader(type)), OTHERS);
    expect(source).toMatchObject({ name: type, publisher, license, version: "" });
    expect(source?.attribution).toMatch(attribution);
  });

  // A google.protobuf.Timestamp ends with the year 9999, and a Date 8.64e12 seconds after the epoch.
  it.each([
    [0, "1970-01-01T00:00:00.000Z"],
    [253_402_300_799, "9999-12-31T23:59:59.000Z"],
    [253_402_300_800, undefined],
    [Date.parse(BUILT), undefined],
    [2 ** 52, undefined],
  ])("returns the build date if a Timestamp can represent it: %s", (buildEpoch, builtAt) => {
    const [source] = geoIpSources(cityOnly(reader("x", 6, undefined, buildEpoch)), OTHERS);
    expect(source?.builtAt?.toISOString()).toBe(builtAt);
  });

  it.each([-1, Number.NaN])("returns no build date of a damaged file: %s", (time) => {
    const [source] = geoIpSources(cityOnly({ ...reader("x"), builtAt: new Date(time) }), OTHERS);
    expect(source?.builtAt).toBeUndefined();
  });

  it("uses the description of a file as its name", () => {
    const [source] = geoIpSources(cityOnly(reader("x", 6, "Our offices")), OTHERS);
    expect(source).toMatchObject({ name: "Our offices", publisher: "", url: "" });
  });
});

test("the version of the time zones is that of the package", () => {
  expect(TIME_ZONES.version).toBe(dependencies["@photostructure/tz-lookup"]);
});
