import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.js";
import { readConfig } from "../../src/config/read-config.js";
import { SETTINGS, settingFlag } from "../../src/config/settings.js";
import { PACKAGE_FOLDER } from "../../src/installed-package.js";

const DEFAULTS: Config = {
  host: "127.0.0.1",
  port: 8080,
  publicBaseUrl: undefined,
  trustedProxies: [],
  clientAddressHeader: "x-forwarded-for",
  proxyProtocol: "off",
  tlsCertFile: undefined,
  tlsKeyFile: undefined,
  unknownParameters: "reject",
  corsOrigins: [],
  webPage: "on",
  mcp: "on",
  geoIpCityFiles: undefined,
  geoIpAsnFiles: undefined,
  dataDir: join(PACKAGE_FOLDER, "data", "updates"),
  apiKeysFile: undefined,
  apiKeyMetrics: "off",
  openAreas: [],
  rateLimit: undefined,
  rateLimitStore: undefined,
  rateLimitBlock: 1,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  idleTimeout: 65_000,
  maxConnections: 8_192,
  maxConnectionsPerClient: undefined,
  maxConcurrentStreams: 256,
  maxHeldBytes: 134_217_728,
  maxHeaderBytes: 16_384,
  maxHeaderFields: 100,
  maxRequestBytes: 65_536,
  logLevel: "info",
  logFormat: "auto",
  logRequests: "none",
  logAddresses: "on",
  otlpEndpoint: undefined,
  otlpTracesEndpoint: undefined,
  workers: 1,
  gracePeriod: 10_000,
  stopDelay: 0,
};

const STORE = "rediss://user:hunter2@cache.example:6379/0";

/** Values of one setting each, and the members that then differ from the defaults. */
const GOOD: readonly (readonly [Record<string, string>, Partial<Config>])[] = [
  [{ HOST: "::" }, { host: "::" }],
  [{ PORT: "0" }, { port: 0 }],
  [{ PORT: "65535" }, { port: 65_535 }],
  [{ PUBLIC_BASE_URL: "https://tools.example" }, { publicBaseUrl: "https://tools.example" }],
  [{ PUBLIC_BASE_URL: "https://tools.example/" }, { publicBaseUrl: "https://tools.example" }],
  [{ PUBLIC_BASE_URL: "HTTP://Tools.Example:80/a/b//" }, { publicBaseUrl: "http://tools.example/a/b" }],
  [{ TRUSTED_PROXIES: "10.0.0.0/8, ::1" }, { trustedProxies: ["10.0.0.0/8", "::1"] }],
  [
    { TLS_CERT_FILE: "a.pem", TLS_KEY_FILE: "b.pem" },
    { tlsCertFile: "a.pem", tlsKeyFile: "b.pem" },
  ],
  [{ UNKNOWN_PARAMETERS: "ignore" }, { unknownParameters: "ignore" }],
  [{ CORS_ORIGINS: "*" }, { corsOrigins: ["*"] }],
  [{ WEB_PAGE: "off" }, { webPage: "off" }],
  [{ MCP: "off" }, { mcp: "off" }],
  [
    { CORS_ORIGINS: "https://a.example,http://[::1]:3000" },
    { corsOrigins: ["https://a.example", "http://[::1]:3000"] },
  ],
  [{ GEOIP_CITY_FILES: "/a.mmdb" }, { geoIpCityFiles: ["/a.mmdb"] }],
  [{ DATA_DIR: "/var/lib/data" }, { dataDir: "/var/lib/data" }],
  [{ GEOIP_ASN_FILES: "/a.mmdb, b c.mmdb" }, { geoIpAsnFiles: ["/a.mmdb", "b c.mmdb"] }],
  [{ API_KEYS_FILE: "/a, b" }, { apiKeysFile: "/a, b" }],
  [
    { API_KEYS_FILE: "a", OPEN_AREAS: "docs,metrics", API_KEY_METRICS: "on" },
    { apiKeysFile: "a", openAreas: ["docs", "metrics"], apiKeyMetrics: "on" },
  ],
  [{ RATE_LIMIT: "6000/1m" }, { rateLimit: { limit: 6000, window: 60 } }],
  [
    { TRUSTED_PROXIES: "10.0.0.1", CLIENT_ADDRESS_HEADER: "CF-Connecting-IP", PROXY_PROTOCOL: "required" },
    { trustedProxies: ["10.0.0.1"], clientAddressHeader: "cf-connecting-ip", proxyProtocol: "required" },
  ],
  [{ LOG_ADDRESSES: "off" }, { logAddresses: "off" }],
  [
    { RATE_LIMIT: "1/1s", RATE_LIMIT_STORE: STORE, RATE_LIMIT_BLOCK: "60" },
    { rateLimit: { limit: 1, window: 1 }, rateLimitStore: STORE, rateLimitBlock: 60 },
  ],
  [{ HEADERS_TIMEOUT: "100ms" }, { headersTimeout: 100 }],
  [
    { HEADERS_TIMEOUT: "10m", REQUEST_TIMEOUT: "10m" },
    { headersTimeout: 600_000, requestTimeout: 600_000 },
  ],
  [{ REQUEST_TIMEOUT: "1h" }, { requestTimeout: 3_600_000 }],
  [{ IDLE_TIMEOUT: "1s" }, { idleTimeout: 1000 }],
  [{ MAX_CONNECTIONS: "1" }, { maxConnections: 1 }],
  [{ MAX_CONNECTIONS_PER_CLIENT: "1" }, { maxConnectionsPerClient: 1 }],
  [{ MAX_CONCURRENT_STREAMS: "65536" }, { maxConcurrentStreams: 65_536 }],
  [{ MAX_HELD_BYTES: "16777216" }, { maxHeldBytes: 16_777_216 }],
  [{ MAX_HEADER_BYTES: "4096" }, { maxHeaderBytes: 4096 }],
  [{ MAX_HEADER_FIELDS: "20" }, { maxHeaderFields: 20 }],
  [{ MAX_REQUEST_BYTES: "1048576" }, { maxRequestBytes: 1_048_576 }],
  [{ LOG_LEVEL: "silent" }, { logLevel: "silent" }],
  [{ LOG_FORMAT: "json" }, { logFormat: "json" }],
  [{ LOG_REQUESTS: "failed" }, { logRequests: "failed" }],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://[::1]:4318/a" }, { otlpEndpoint: new URL("http://[::1]:4318/a") }],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://a/b/" }, { otlpTracesEndpoint: new URL("http://a/b/") }],
  [{ WORKERS: "256" }, { workers: 256 }],
  [{ GRACE_PERIOD: "0s" }, { gracePeriod: 0 }],
  [{ STOP_DELAY: "10m" }, { stopDelay: 600_000 }],
];

/** The same settings as flags: `--a-b` for A_B. */
const asFlags = (env: Record<string, string>) =>
  new Map(Object.entries(env).map(([name, text]) => [`--${name.toLowerCase().replaceAll("_", "-")}`, text]));

describe("settings", () => {
  test("have defaults", () => {
    expect(readConfig({})).toEqual({ ok: true, value: DEFAULTS });
    expect(readConfig({ PATH: "/bin", port: "1" })).toEqual({ ok: true, value: DEFAULTS });
  });

  test("count as unset if they are empty", () => {
    const env = Object.fromEntries(Object.values(SETTINGS).map(({ name }) => [name, ""]));
    expect(readConfig(env)).toEqual({ ok: true, value: DEFAULTS });
  });

  test.each(GOOD)("are read from %j, as variables and as flags", (env, members) => {
    const result = { ok: true, value: { ...DEFAULTS, ...members } };
    expect(readConfig(env)).toEqual(result);
    expect(readConfig({}, asFlags(env))).toEqual(result);
  });

  test("are all covered by these cases", () => {
    const tried = new Set(GOOD.flatMap(([env]) => Object.keys(env)));
    expect(Object.values(SETTINGS).filter(({ name }) => !tried.has(name))).toEqual([]);
  });

  test("are read from the flag if the variable is set as well", () => {
    const flags = new Map([["--port", "2"]]);
    expect(readConfig({ PORT: "1" }, flags)).toMatchObject({ value: { port: 2 } });
    expect(readConfig({ PORT: "wrong" }, flags)).toMatchObject({ value: { port: 2 } });
  });

  test("are not empty flags", () => {
    expect(readConfig({ PORT: "1" }, new Map([["--port", ""]]))).toMatchObject({
      failure: { description: "--port needs a value" },
    });
  });

  test("are frozen", () => {
    const config = readConfig({ RATE_LIMIT: "1/1s", TRUSTED_PROXIES: "::1", GEOIP_CITY_FILES: "a" });
    expect(config.ok).toBe(true);
    const { rateLimit, trustedProxies, geoIpCityFiles, corsOrigins } = config.ok ? config.value : DEFAULTS;
    for (const value of [config.ok && config.value, rateLimit, trustedProxies, geoIpCityFiles, corsOrigins]) {
      expect(value !== undefined && Object.isFrozen(value)).toBe(true);
    }
  });
});

const BAD_PORT = "PORT must be a number from 0 to 65535";
const BAD_HOST = "HOST must be an IP address without brackets or a host name";
const BAD_URL = "PUBLIC_BASE_URL must be an http or https URL without user, query and fragment";
const BAD_STORE =
  "RATE_LIMIT_STORE must be a redis or rediss URL with a host and nothing after the database number; in its password, " +
  "%, #, / and ? are percent-encoded as %25, %23, %2F and %3F";

/** The start of the message about `CORS_ORIGINS`. */
const BAD_ORIGINS =
  "CORS_ORIGINS must be * alone, or origins as browsers send them, joined by commas, such as";

describe("an invalid setting is rejected with the allowed values:", () => {
  test.each<[Record<string, string>, string]>([
    [{ PORT: "65536" }, BAD_PORT],
    [{ PORT: "-1" }, BAD_PORT],
    [{ PORT: "http" }, BAD_PORT],
    [{ PORT: "80 " }, BAD_PORT],
    [{ PORT: "0x50" }, BAD_PORT],
    [{ HOST: "a b" }, BAD_HOST],
    [{ HOST: "http://a" }, BAD_HOST],
    [{ HOST: "[::1]" }, BAD_HOST],
    [{ PUBLIC_BASE_URL: "tools.example" }, BAD_URL],
    [{ PUBLIC_BASE_URL: "ftp://tools.example" }, BAD_URL],
    [{ PUBLIC_BASE_URL: "https://user@tools.example" }, BAD_URL],
    [{ PUBLIC_BASE_URL: "https://tools.example/?a" }, BAD_URL],
    [{ PUBLIC_BASE_URL: "https://tools.example/#a" }, BAD_URL],
    [
      { TRUSTED_PROXIES: "10.0.0.0/33" },
      "TRUSTED_PROXIES must be IP addresses or CIDR blocks such as 10.0.0.0/8, joined by commas",
    ],
    ...["Forwarded", "host", "X-Forwarded-Proto", "a b"].map((name): [Record<string, string>, string] => [
      { TRUSTED_PROXIES: "::1", CLIENT_ADDRESS_HEADER: name },
      "CLIENT_ADDRESS_HEADER must be the name of a header that has addresses alone, such as X-Real-IP or CF-Connecting-IP, and not Forwarded",
    ]),
    [{ UNKNOWN_PARAMETERS: "yes" }, "UNKNOWN_PARAMETERS must be reject or ignore"],
    [
      { TLS_CERT_FILE: "a", TLS_KEY_FILE: "-----BEGIN PRIVATE KEY-----\nMC4" },
      "TLS_KEY_FILE must be the path of a file",
    ],
    [{ API_KEYS_FILE: "ci ba78\n" }, "API_KEYS_FILE must be the path of a file"],
    [{ GEOIP_CITY_FILES: "a,b\0" }, "GEOIP_CITY_FILES must be one path, or several joined by commas"],
    [{ GEOIP_CITY_FILES: "a,,b" }, "GEOIP_CITY_FILES must be one path, or several joined by commas"],
    [{ DATA_DIR: "a\nb" }, "DATA_DIR must be the path of a folder"],
    [{ GEOIP_ASN_FILES: "," }, "GEOIP_ASN_FILES must be one path, or several joined by commas"],
    [
      { API_KEYS_FILE: "a", OPEN_AREAS: "docs,health" },
      "OPEN_AREAS must be one or more of docs, reflection and metrics, joined by commas",
    ],
    [
      { RATE_LIMIT: "100" },
      "RATE_LIMIT must be from 1 to 10000000000 requests, a slash and from 1s to 1d, such as 100/1s, 6000/1m or 50000/1h",
    ],
    ...[
      "http://:hunter2@localhost",
      "redis://:pa%zz@host",
      "redis://:100%@host",
      "redis://:a#b@host",
      "redis://user:1#2@host",
      "redis://:a/b@host",
      "redis://user:1/2@host",
      "redis://:a?b@host",
    ].map((url): [Record<string, string>, string] => [
      { RATE_LIMIT: "1/1s", RATE_LIMIT_STORE: url },
      BAD_STORE,
    ]),
    [{ HEADERS_TIMEOUT: "10" }, "HEADERS_TIMEOUT must be a duration from 100ms to 10m, for example 10s"],
    [{ REQUEST_TIMEOUT: "0s" }, "REQUEST_TIMEOUT must be a duration from 100ms to 1h, for example 10s"],
    [{ IDLE_TIMEOUT: "999ms" }, "IDLE_TIMEOUT must be a duration from 1s to 1h, for example 10s"],
    [{ MAX_CONNECTIONS: "0" }, "MAX_CONNECTIONS must be a number from 1 to 1048576"],
    [{ MAX_CONCURRENT_STREAMS: "65537" }, "MAX_CONCURRENT_STREAMS must be a number from 1 to 65536"],
    [{ MAX_HEADER_BYTES: "16k" }, "MAX_HEADER_BYTES must be a number from 4096 to 262144"],
    [{ MAX_HEADER_FIELDS: "19" }, "MAX_HEADER_FIELDS must be a number from 20 to 10000"],
    [{ MAX_REQUEST_BYTES: "1048577" }, "MAX_REQUEST_BYTES must be a number from 1024 to 1048576"],
    [{ LOG_LEVEL: "INFO" }, "LOG_LEVEL must be trace, debug, info, warn, error or silent"],
    [{ LOG_REQUESTS: "true" }, "LOG_REQUESTS must be none, failed or all"],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4318" },
      "OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL without user, query and fragment",
    ],
    [{ WORKERS: "0" }, "WORKERS must be a number from 1 to 256"],
    [{ GRACE_PERIOD: "10" }, "GRACE_PERIOD must be a duration from 0s to 1h, for example 10s"],
    [{ GRACE_PERIOD: "2h" }, "GRACE_PERIOD must be a duration from 0s to 1h, for example 10s"],
    [{ STOP_DELAY: "1" }, "STOP_DELAY must be a duration from 0s to 10m, for example 10s"],
  ])("%j", (env, description) => {
    expect(readConfig(env)).toEqual({ ok: false, failure: { reason: "INVALID_SETTING", description } });
    const asFlag = description.replace(/^[A-Z0-9_]+/, (name) => settingFlag({ name }));
    expect(readConfig({}, asFlags(env))).toMatchObject({ ok: false, failure: { description: asFlag } });
  });

  test.each(["https://a.example/", "https://a.example, *", "*,*", "null"])("CORS_ORIGINS=%s", (origins) => {
    const result = readConfig({ CORS_ORIGINS: origins });
    expect(result).toMatchObject({ failure: { description: expect.stringContaining(BAD_ORIGINS) } });
  });

  test("all invalid settings are reported together, under the names that were used", () => {
    const result = readConfig({ PORT: "x", WORKERS: "x", LOG_LEVEL: "all" }, new Map([["--workers", "0"]]));
    const description = [
      BAD_PORT,
      "LOG_LEVEL must be trace, debug, info, warn, error or silent",
      "--workers must be a number from 1 to 256",
    ].join("; ");
    expect(result).toEqual({ ok: false, failure: { reason: "INVALID_SETTING", description } });
  });
});

describe("contradicting settings are rejected:", () => {
  test.each<[Record<string, string>, Record<string, string>, string]>([
    [{ TLS_CERT_FILE: "a" }, {}, "TLS_CERT_FILE needs TLS_KEY_FILE as well"],
    [{ TLS_KEY_FILE: "a" }, {}, "TLS_KEY_FILE needs TLS_CERT_FILE as well"],
    [{}, { TLS_KEY_FILE: "a" }, "--tls-key-file needs --tls-cert-file as well"],
    [{ OPEN_AREAS: "docs" }, {}, "OPEN_AREAS needs API_KEYS_FILE as well"],
    [{ API_KEY_METRICS: "on" }, {}, "API_KEY_METRICS needs API_KEYS_FILE as well"],
    [{ RATE_LIMIT_STORE: STORE }, {}, "RATE_LIMIT_STORE needs RATE_LIMIT as well"],
    [{ RATE_LIMIT: "1/1s", RATE_LIMIT_BLOCK: "2" }, {}, "RATE_LIMIT_BLOCK needs RATE_LIMIT_STORE as well"],
    [
      { HEADERS_TIMEOUT: "1m" },
      {},
      "HEADERS_TIMEOUT must not be longer than REQUEST_TIMEOUT, which is 30s by default",
    ],
    [
      {},
      { REQUEST_TIMEOUT: "5s" },
      "--request-timeout must not be shorter than --headers-timeout, which is 10s by default",
    ],
    [
      { HEADERS_TIMEOUT: "3s" },
      { REQUEST_TIMEOUT: "2s" },
      "HEADERS_TIMEOUT must not be longer than --request-timeout",
    ],
  ])("%j and flags %j", (env, flags, description) => {
    expect(readConfig(env, asFlags(flags))).toMatchObject({ ok: false, failure: { description } });
  });

  test("variables of OpenTelemetry are checked if there is an endpoint", () => {
    const env = { OTEL_TRACES_SAMPLER_ARG: "2" };
    expect(readConfig(env).ok).toBe(true);
    for (const name of ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]) {
      const failure = { description: "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1" };
      expect(readConfig({ ...env, [name]: "http://a" })).toMatchObject({ failure });
      expect(readConfig(env, asFlags({ [name]: "http://a" }))).toMatchObject({ failure });
    }
  });

  test("an invalid timeout is not compared", () => {
    expect(readConfig({ REQUEST_TIMEOUT: "x" })).toMatchObject({
      failure: { description: "REQUEST_TIMEOUT must be a duration from 100ms to 1h, for example 10s" },
    });
  });

  test("a certificate may come from a variable and its key from a flag", () => {
    expect(readConfig({ TLS_CERT_FILE: "a" }, new Map([["--tls-key-file", "b"]])).ok).toBe(true);
  });
});

test("never throws or repeats a value", () => {
  const names = fc.constantFrom(...Object.values(SETTINGS).map(({ name }) => name));
  const texts = fc.string().map((text) => `hunter2${text}hunter2`);
  fc.assert(
    fc.property(fc.dictionary(names, texts), (env) => {
      const result = readConfig(env);
      expect(result.ok ? "" : result.failure.description).not.toContain("hunter2");
    }),
  );
});
