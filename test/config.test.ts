import { expect, test } from "vitest";
import { readConfig } from "../src/config.js";

const DEFAULTS = {
  host: "127.0.0.1",
  port: 8080,
  publicBaseUrl: undefined,
  unknownParameters: "reject",
  geoIpCityFiles: undefined,
  geoIpAsnFiles: undefined,
  apiKeysFile: undefined,
  workers: 1,
  gracePeriod: 10_000,
};

test.each<[Record<string, string>, object]>([
  [{}, {}],
  [{ HOST: "", PORT: "", PUBLIC_BASE_URL: "", UNKNOWN_PARAMETERS: "", GEOIP_CITY_FILES: "" }, {}],
  [{ HOST: "::" }, { host: "::" }],
  [{ PORT: "0" }, { port: 0 }],
  [{ PORT: "65535" }, { port: 65535 }],
  [{ PUBLIC_BASE_URL: "https://tools.example" }, { publicBaseUrl: "https://tools.example" }],
  [{ PUBLIC_BASE_URL: "https://tools.example/" }, { publicBaseUrl: "https://tools.example" }],
  [{ PUBLIC_BASE_URL: "HTTP://Tools.Example:80/a/b//" }, { publicBaseUrl: "http://tools.example/a/b" }],
  [{ UNKNOWN_PARAMETERS: "ignore" }, { unknownParameters: "ignore" }],
  [{ GEOIP_CITY_FILES: "/a.mmdb" }, { geoIpCityFiles: ["/a.mmdb"] }],
  [{ GEOIP_ASN_FILES: "/a.mmdb, b c.mmdb" }, { geoIpAsnFiles: ["/a.mmdb", "b c.mmdb"] }],
  [{ PATH: "/bin" }, {}],
])("reads %j", (env, settings) => {
  expect(readConfig(env)).toEqual({ ok: true, value: { ...DEFAULTS, ...settings } });
});

const BAD_PORT = "PORT must be a number from 0 to 65535";
const BAD_URL = "PUBLIC_BASE_URL must be an http or https URL without user, query and fragment";

test.each<[Record<string, string>, string]>([
  [{ PORT: "65536" }, BAD_PORT],
  [{ PORT: "-1" }, BAD_PORT],
  [{ PORT: "http" }, BAD_PORT],
  [{ PORT: "80 " }, BAD_PORT],
  [{ HOST: "a b" }, "HOST must be an IP address or a host name"],
  [{ HOST: "http://a" }, "HOST must be an IP address or a host name"],
  [{ PUBLIC_BASE_URL: "tools.example" }, BAD_URL],
  [{ PUBLIC_BASE_URL: "ftp://tools.example" }, BAD_URL],
  [{ PUBLIC_BASE_URL: "https://user@tools.example" }, BAD_URL],
  [{ PUBLIC_BASE_URL: "https://tools.example/?a" }, BAD_URL],
  [{ PUBLIC_BASE_URL: "https://tools.example/#a" }, BAD_URL],
  [{ UNKNOWN_PARAMETERS: "yes" }, "UNKNOWN_PARAMETERS must be reject or ignore"],
  [{ GEOIP_CITY_FILES: "a,,b" }, "GEOIP_CITY_FILES must be one path, or several joined by commas"],
  [{ GEOIP_ASN_FILES: "," }, "GEOIP_ASN_FILES must be one path, or several joined by commas"],
  [{ PORT: "x", UNKNOWN_PARAMETERS: "x" }, `${BAD_PORT}; UNKNOWN_PARAMETERS must be reject or ignore`],
])("refuses %j", (env, description) => {
  expect(readConfig(env)).toEqual({ ok: false, failure: { reason: "INVALID_SETTING", description } });
});

test("the settings cannot be changed", () => {
  const config = readConfig({});
  expect(config.ok && Object.isFrozen(config.value)).toBe(true);
});
