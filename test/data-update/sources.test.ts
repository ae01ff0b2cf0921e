import { describe, expect, it } from "vitest";
import { DATABASES } from "../../src/data-files/data-folder.js";
import {
  allowedSources,
  DEFAULT_SOURCES,
  findSource,
  PUBLISHERS,
  type SourceContext,
} from "../../src/data-update/sources.js";
import { originOfSource } from "../../src/tools/geoip/geoip-sources.js";
import { CREDENTIALS } from "./fake-publishers.js";

const CONTEXT: SourceContext = {
  publishers: PUBLISHERS,
  credentials: CREDENTIALS,
  now: new Date("2026-01-31T23:59:59Z"),
};
const NO_CREDENTIALS = { maxmindAccountId: "", maxmindLicenseKey: "", ipinfoToken: "" };
const BASIC = "Basic NDI0MjQyOmxpY2Vuc2U6a2V5";

// The addresses are those in the documentation of the publishers.
it.each([
  [
    "dbip",
    "city",
    [
      { url: "https://download.db-ip.com/free/dbip-city-lite-2026-01.mmdb.gz" },
      { url: "https://download.db-ip.com/free/dbip-city-lite-2025-12.mmdb.gz" },
    ],
  ],
  [
    "origin-asn",
    "asn",
    [
      {
        url: "https://github.com/sapics/ip-location-db/releases/download/latest/origin-asn.mmdb",
        checksum:
          "https://github.com/sapics/ip-location-db/releases/download/checksum/origin-asn.mmdb.sha256",
      },
    ],
  ],
  [
    "geolite2",
    "city",
    [
      {
        url: "https://download.maxmind.com/geoip/databases/GeoLite2-City/download?suffix=tar.gz",
        checksum: "https://download.maxmind.com/geoip/databases/GeoLite2-City/download?suffix=tar.gz.sha256",
        authorization: BASIC,
      },
    ],
  ],
  [
    "geoip2",
    "asn",
    [
      {
        url: "https://download.maxmind.com/geoip/databases/GeoIP2-ISP/download?suffix=tar.gz",
        checksum: "https://download.maxmind.com/geoip/databases/GeoIP2-ISP/download?suffix=tar.gz.sha256",
        authorization: BASIC,
      },
    ],
  ],
  [
    "ipinfo",
    "asn",
    [
      {
        url: "https://ipinfo.io/data/ipinfo_lite.mmdb?token=token-of-ipinfo",
        checksum: "https://ipinfo.io/data/ipinfo_lite.mmdb/checksums?token=token-of-ipinfo",
      },
    ],
  ],
  ["HTTPS://files.example/a.mmdb?key=1", "city", [{ url: "https://files.example/a.mmdb?key=1" }]],
  [
    "http://jane:p%40ss@files.example/a.mmdb",
    "city",
    [{ url: "http://files.example/a.mmdb", authorization: "Basic amFuZTpwQHNz" }],
  ],
] as const)("the files of %s", (name, database, downloads) => {
  const found = findSource(name, database, CONTEXT);
  expect(found.ok && JSON.parse(JSON.stringify(found.value.downloads))).toEqual(downloads);
});

describe("a description", () => {
  it.each([
    ["geolite2", "geolite2"],
    ["https://jane:hunter2@files.example:8443/secret/a.mmdb?key=secret", "files.example:8443"],
  ])("has no secrets: %s", (name, description) => {
    const found = findSource(name, "city", CONTEXT);
    expect(found.ok && found.value.description).toBe(description);
  });
});

it.each(DATABASES)("the default source of %s needs no account", (database) => {
  const context = { ...CONTEXT, credentials: NO_CREDENTIALS };
  expect(findSource(DEFAULT_SOURCES[database], database, context).ok).toBe(true);
});

it.each(DATABASES.flatMap((database) => allowedSources(database).split(" or ")[0]?.split(", ") ?? []))(
  "the origin of the files of %s is known",
  (name) => {
    expect(originOfSource(name)).toMatchObject({ url: expect.stringMatching(/^https:/) });
  },
);

it("lists the allowed sources", () => {
  expect(allowedSources("city")).toBe("dbip, geolite2, geoip2, ipinfo or an http or https URL");
  expect(allowedSources("asn")).toBe("dbip, origin-asn, geolite2, geoip2, ipinfo or an http or https URL");
});

it.each(["", "DBIP", "origin-asn", "toString", "files.example/a.mmdb", "ftp://files.example/a.mmdb"])(
  "rejects the source %j of city",
  (name) => {
    expect(findSource(name, "city", CONTEXT)).toEqual({
      ok: false,
      failure: { reason: "UNKNOWN_SOURCE", description: `must be ${allowedSources("city")}` },
    });
  },
);

it.each(["http://", "https://%:%@files.example/a.mmdb", "https://u:a#b@files.example/"])(
  "rejects the URL %j, and does not quote it",
  (url) => {
    const description = "must be a URL with a host, and a percent-encoded user and password if any";
    expect(findSource(url, "city", CONTEXT)).toEqual({
      ok: false,
      failure: { reason: "UNKNOWN_SOURCE", description },
    });
  },
);

it.each([
  ["geolite2", "the sources geolite2 and geoip2 need MAXMIND_ACCOUNT_ID and MAXMIND_LICENSE_KEY"],
  ["geoip2", "the sources geolite2 and geoip2 need MAXMIND_ACCOUNT_ID and MAXMIND_LICENSE_KEY"],
  ["ipinfo", "the source ipinfo needs IPINFO_TOKEN"],
])("%s needs credentials", (name, description) => {
  expect(findSource(name, "asn", { ...CONTEXT, credentials: NO_CREDENTIALS })).toEqual({
    ok: false,
    failure: { reason: "MISSING_CREDENTIALS", description },
  });
});
