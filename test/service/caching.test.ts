import { AboutService } from "@utility-tools/protos/utilitytools/v1/about_pb.js";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { httpOptionsOf } from "connect-transcoding/rules";
import { describe, expect, test } from "vitest";
import { type CachingSettings, cachingOptions } from "../../src/service/caching.js";

const OPEN: CachingSettings = {
  apiKeysFile: undefined,
  publicBaseUrl: undefined,
  rateLimit: undefined,
  trustedProxies: [],
};
const PUBLIC_BASE_URL = "https://tools.example";

test.each<[string, Partial<CachingSettings>]>([
  ["no settings", {}],
  ["a base URL", { publicBaseUrl: PUBLIC_BASE_URL }],
  ["a proxy and a base URL", { trustedProxies: ["127.0.0.1"], publicBaseUrl: PUBLIC_BASE_URL }],
])("shared caches may store responses with %s", (_, settings) => {
  expect(cachingOptions({ ...OPEN, ...settings })).toBeUndefined();
});

describe.each<[string, Partial<CachingSettings>]>([
  ["API keys", { apiKeysFile: "keys.txt", publicBaseUrl: PUBLIC_BASE_URL }],
  ["a rate limit", { rateLimit: { limit: 10, window: 60 }, publicBaseUrl: PUBLIC_BASE_URL }],
  ["a proxy that sets the host in URLs", { trustedProxies: ["127.0.0.1"] }],
])("with %s", (_, settings) => {
  const methodOptions = cachingOptions({ ...OPEN, ...settings });

  test.each([
    [
      CountriesService.method.listCountries,
      "private, max-age=3600, stale-while-revalidate=86400, stale-if-error=86400",
    ],
    [AboutService.method.getAbout, "private, max-age=60"],
    [GeoIpService.method.lookupIp, "private, no-cache"],
    [GeoIpService.method.lookupSelf, "private, no-store"],
    [EmailService.method.sanitizeEmail, ""],
  ])("$name is private", (method, cacheControl) => {
    const { cacheControl: before, ...others } = httpOptionsOf(method);
    expect({ ...httpOptionsOf(method, methodOptions), cacheControl: before }).toEqual({
      ...others,
      cacheControl: before,
    });
    expect(httpOptionsOf(method, methodOptions).cacheControl).toBe(cacheControl);
  });
});
