import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { brotliDecompressSync } from "node:zlib";
import { expect, it } from "vitest";
import { networksOf } from "../../data/build/cities/networks.js";
import type { IpAddress } from "../../src/text/ip-address.js";
import { loadGeoIpDatabases } from "../../src/tools/geoip/databases/load-databases.js";
import { geoIpSources, INSTALLED_ORIGINS } from "../../src/tools/geoip/geoip-sources.js";
import { defaultGeoIpPaths } from "../../src/tools/geoip/load-geoip-files.js";
import { lookupByFamily } from "../../src/tools/geoip/lookup-ip.js";
import { findSpecialPurpose, NOT_ALLOCATED } from "../../src/tools/geoip/special-purpose.js";
import { dataText } from "./load-countries.js";

const { resolve } = createRequire(import.meta.url);
const [record] = JSON.parse(dataText("SOURCES.json"))["asn.mmdb"];
const paths = { ...defaultGeoIpPaths(), city: [] };

const loaded = await loadGeoIpDatabases(paths);
if (!loaded.ok) {
  throw new Error(loaded.failure.description);
}
const { asn } = loaded.value;

// One pass for all tests, because it takes a second.
const names = new Map<number, string | undefined>();
const outside: IpAddress[] = [];
for (const family of [4, 6] as const) {
  for (const { first, record: system } of networksOf((each) => lookupByFamily(asn, each), family)) {
    if (system !== undefined && family === 4) {
      names.set(system.number, system.name);
    }
    if (system !== undefined && findSpecialPurpose(first).block?.name === NOT_ALLOCATED) {
      outside.push(first);
    }
  }
}

it("the committed and the installed ASN file are the recorded one", () => {
  const committed = brotliDecompressSync(readFileSync(resolve("#data/asn.mmdb.br")));
  expect(createHash("sha256").update(committed).digest("hex")).toBe(record.sha256);
  expect(committed.equals(readFileSync(paths.asn[0] ?? ""))).toBe(true);
});

it("the service returns the recorded source", () => {
  const { name, publisher, url, license, attribution, builtAt } = record;
  expect(geoIpSources(loaded.value, { asn: INSTALLED_ORIGINS.asn })[0]).toEqual({
    name,
    publisher,
    url,
    license,
    attribution,
    version: "",
    builtAt: new Date(builtAt),
  });
});

it("nearly all autonomous systems with IPv4 addresses have a name, and no name is only a number", () => {
  const named = [...names.values()].filter((name) => name !== undefined);
  expect(names.size).toBeGreaterThan(75_000);
  expect(named.length / names.size).toBeGreaterThan(0.995);
  expect(named.filter((name) => /^(?:AS)?\d+$/i.test(name))).toEqual([]);
  expect(named.filter((name) => /^(.+) - \1$|&\w+;/i.test(name))).toEqual([]);
  expect([...names.keys()].filter((number) => number > 64_495 && number < 131_072)).toEqual([]);
});

it("all networks are in blocks that IANA has allocated", () => {
  expect(outside).toEqual([]);
});
