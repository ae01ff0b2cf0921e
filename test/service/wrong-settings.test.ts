import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLS } from "connect-transcoding-testing/files.js";
import { runProgram } from "connect-transcoding-testing/run-program.js";
import { afterAll, describe, expect, test } from "vitest";
import { changedSettings } from "../../src/config/changed-settings.js";
import { readConfig } from "../../src/config/read-config.js";
import { settingWarnings } from "../../src/config/setting-warnings.js";
import { unknownVariables } from "../../src/config/unknown-variables.js";
import { MAIN } from "../support/programs.js";

// What read-config.test.ts cannot show: the whole message of the program, and its exit status.

const folder = mkdtempSync(join(tmpdir(), "wrong-settings-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a file. Returns its path. */
function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const NO_PEM = file("text.pem", "this is no PEM file");
const CERT = join(TLS, "first-cert.pem");
const OTHER_KEY = join(TLS, "second-key.pem");

describe.concurrent("a wrong configuration aborts the start with status 78 and one message:", () => {
  test.each<[Record<string, string>, string]>([
    [
      { TLS_CERT: "a", PORT: "x" },
      "TLS_CERT is not a setting; did you mean TLS_CERT_FILE?; PORT must be a number from 0 to 65535",
    ],
    [{ PROXY_PROTOCOL: "required" }, "PROXY_PROTOCOL needs TRUSTED_PROXIES as well"],
    [{ CLIENT_ADDRESS_HEADER: "X-Real-IP" }, "CLIENT_ADDRESS_HEADER needs TRUSTED_PROXIES as well"],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318",
        OTEL_EXPORTER_OTLP_HEADERS: "hunter2",
        OTEL_TRACES_SAMPLER_ARG: "50",
      },
      "OTEL_EXPORTER_OTLP_HEADERS must be headers such as name=value, joined by commas, with other special characters percent-encoded; " +
        "OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1",
    ],
    [{ DATA_DIR: "/nowhere" }, "DATA_DIR: /nowhere does not exist"],
    [{ DATA_DIR: NO_PEM }, `DATA_DIR: ${NO_PEM} is not a folder`],
    [{ API_KEYS_FILE: "/nowhere" }, "API_KEYS_FILE: /nowhere does not exist"],
    [{ TLS_CERT_FILE: "/nowhere", TLS_KEY_FILE: "/nowhere" }, "TLS_CERT_FILE: /nowhere does not exist"],
    [
      { TLS_CERT_FILE: CERT, TLS_KEY_FILE: OTHER_KEY },
      `TLS_KEY_FILE: ${OTHER_KEY} is not the key of the certificate in ${CERT}`,
    ],
    [
      { API_KEYS_FILE: "/a", TLS_CERT_FILE: "/b", TLS_KEY_FILE: "/c", DATA_DIR: "/d" },
      "API_KEYS_FILE: /a does not exist; TLS_CERT_FILE: /b does not exist; DATA_DIR: /d does not exist",
    ],
  ])("%j", async (env, message) => {
    const programs = [[], ["serve", "--check"]].map((args) =>
      runProgram([MAIN, ...args], { PORT: "0", ...env }),
    );
    for (const program of programs) {
      expect(await program.exit).toBe(78);
      expect(program.out()).toBe("");
      expect(program.err().trimEnd().split("\n")).toHaveLength(1);
      expect(JSON.parse(program.err())).toMatchObject({
        level: "error",
        msg: `utility-tools cannot start: ${message}`,
      });
    }
  });
});

describe("serve --check", () => {
  test("exits with 0 if everything is usable, and prints warnings", async () => {
    const program = runProgram([MAIN, "serve", "--check"], {
      TLS_CA_FILE: "a",
      TRUSTED_PROXIES: "::/0",
      OTEL_SERVICE_NAME: "a",
    });
    expect(await program.exit).toBe(0);
    expect(program.out()).toMatch(/^settings and files are valid\ndata: DB-IP [^\n]* days old\n/);
    // The age of the installed data depends on the day of the test.
    expect(program.err().replaceAll(/^warning: .* days old: run update-data\n/gm, "")).toBe(
      "warning: TLS_CA_FILE is not a setting and has no effect\n" +
        "warning: OTEL_SERVICE_NAME has no effect without OTEL_EXPORTER_OTLP_ENDPOINT: no spans are sent\n" +
        "warning: TRUSTED_PROXIES has ::/0: every client can claim any address, and evade limits by address\n",
    );
  });

  test("warns of unusable files in the data folder, in place of which the installed ones are used", async () => {
    const city = file("city.mmdb", "broken");
    const list = file("disposable.txt", "<html>");
    const program = runProgram([MAIN, "serve", "--check"], { DATA_DIR: folder });
    expect(await program.exit).toBe(0);
    expect(program.out()).toMatch(/^settings and files are valid\ndata: DB-IP /);
    const warnings = program.err().replaceAll(/^warning: .* days old: run update-data\n/gm, "");
    expect(warnings).toMatch(
      new RegExp(
        `^warning: DATA_DIR: ${city} is .*; .*/data/city.columns is used\n` +
          `warning: the e-mail list ${list} has .*; the installed list is used\n$`,
      ),
    );
  });

  test("exits with 69 if data, the host or the store cannot be used", async () => {
    const program = runProgram([MAIN, "serve", "--check"], {
      HOST: "192.0.2.1",
      GEOIP_ASN_FILES: NO_PEM,
      RATE_LIMIT: "6000/1m",
      RATE_LIMIT_STORE: "redis://user:hunter2@127.0.0.1:1",
    });
    expect(await program.exit).toBe(69);
    expect(program.out()).toBe("settings are valid\n");
    const [_warning, data, host, store, ...more] = program.err().trimEnd().split("\n");
    expect(data).toMatch(/^problem: GEOIP_ASN_FILES: .*text\.pem /);
    expect(host).toBe("problem: HOST: 192.0.2.1 is not an address of this machine (EADDRNOTAVAIL)");
    expect(store).toBe("problem: RATE_LIMIT_STORE: ECONNREFUSED: no server listens at this host and port");
    expect(more).toEqual([]);
  });
});

test.each<[string, string | undefined]>([
  ["API_KEY_FILE", "API_KEYS_FILE"],
  ["API_KEYS", "API_KEYS_FILE"],
  ["LOG_ADDRESS", "LOG_ADDRESSES"],
  ["RATE_LIMITS", "RATE_LIMIT"],
  ["RATE_LIMIT_BURST", "RATE_LIMIT"],
  ["TRUSTED_PROXY", "TRUSTED_PROXIES"],
  ["WORKER", "WORKERS"],
  ["rate_limit", "RATE_LIMIT"],
  ["DATADIR", "DATA_DIR"],
  // Variables of other programs.
  ["HOME", undefined],
  ["POST", undefined],
  ["HOSTNAME", undefined],
  ["SSL_CERT_FILE", undefined],
  ["OTEL_EXPORTER_OTLP_HEADERS", undefined],
  ["OTEL_EXPORTER_OTLP_TIMEOUT", undefined],
  ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", undefined],
  // Variables of Kubernetes for a Service rate-limit.
  ["RATE_LIMIT_SERVICE_HOST", undefined],
  ["RATE_LIMIT_PORT_6379_TCP_ADDR", undefined],
  ["UTILITY_TOOLS_URL", undefined],
  ["DATA_DISPOSABLE_SOURCE", undefined],
])("%s is near to %s", (name, setting) => {
  const misspelled = setting === undefined ? [] : [`${name} is not a setting; did you mean ${setting}?`];
  expect(unknownVariables({ [name]: "x" })).toEqual({ misspelled, ignored: [] });
});

test.each([
  ["ALLOWED_ORIGINS", "; did you mean CORS_ORIGINS?"],
  ["API_KEY", "; did you mean API_KEYS_FILE?"],
  ["api_key", "; did you mean API_KEYS_FILE?"],
  ["KEYS_FILE", "; did you mean API_KEYS_FILE?"],
  ["MAX_BODY_BYTES", "; did you mean MAX_REQUEST_BYTES?"],
  ["TRUST_PROXY", "; did you mean TRUSTED_PROXIES?"],
  ["PUBLIC_URL", "; did you mean PUBLIC_BASE_URL?"],
  ["HTTP_PORT", "; did you mean PORT?"],
  ["LISTEN_ADDRESS", "; did you mean HOST?"],
  ["REDIS_URL", "; did you mean RATE_LIMIT_STORE?"],
  ["WEB_CONCURRENCY", "; did you mean WORKERS?"],
  ["SHUTDOWN_TIMEOUT", "; did you mean GRACE_PERIOD?"],
  ["MANAGEMENT_PORT", ""],
])("%s may be meant for another program, and is a warning", (name, hint) => {
  const ignored = [`${name} is not a setting and has no effect${hint}`];
  expect(unknownVariables({ [name]: "x" })).toEqual({ misspelled: [], ignored });
});

test.each([
  ["tcp://10.0.0.1:6379", false],
  ["udp://10.0.0.1:6379", false],
  ["6379", true],
])("RATE_LIMIT_PORT=%s: a misspelled setting: %j", (text, isMisspelled) => {
  const misspelled = isMisspelled ? ["RATE_LIMIT_PORT is not a setting; did you mean RATE_LIMIT_STORE?"] : [];
  expect(unknownVariables({ RATE_LIMIT_PORT: text })).toEqual({ misspelled, ignored: [] });
  const ignored = isMisspelled ? ["MANAGEMENT_PORT is not a setting and has no effect"] : [];
  const http = isMisspelled ? ["HTTP_PORT is not a setting and has no effect; did you mean PORT?"] : [];
  expect(unknownVariables({ HTTP_PORT: text })).toEqual({ misspelled: [], ignored: http });
  expect(unknownVariables({ MANAGEMENT_PORT: text })).toEqual({ misspelled: [], ignored });
});

test("other variables with the prefix of a setting are ignored, and empty ones are not mentioned", () => {
  expect(unknownVariables({ GEOIP_FILES: "x", TLS_CA_FILE: "", RATE_LIMITS: "" })).toEqual({
    misspelled: [],
    ignored: ["GEOIP_FILES is not a setting and has no effect"],
  });
});

function configOf(env: Record<string, string>) {
  const config = readConfig(env);
  if (!config.ok) {
    throw new Error(config.failure.description);
  }
  return config.value;
}

test.each<[Record<string, string>, string[]]>([
  [{}, []],
  [{ WORKERS: "4", TRUSTED_PROXIES: "10.0.0.0/8,::1,2001:db8::/32,10.1.2.3" }, []],
  [
    { WORKERS: "5" },
    ["WORKERS is 5, and there are 4 processor cores: more workers take memory and bring no benefit"],
  ],
  [
    { TRUSTED_PROXIES: "0.0.0.0/0" },
    ["TRUSTED_PROXIES has 0.0.0.0/0: every client can claim any address, and evade limits by address"],
  ],
  [{ TRUSTED_PROXIES: "10.1.2.3/8" }, ["TRUSTED_PROXIES has 10.1.2.3/8, which means all of 10.0.0.0/8"]],
  [
    { TRUSTED_PROXIES: "::ffff:10.1.2.3/104" },
    ["TRUSTED_PROXIES has ::ffff:10.1.2.3/104, which means all of 10.0.0.0/8"],
  ],
  [
    { TRUSTED_PROXIES: "2001:db8::1/64" },
    ["TRUSTED_PROXIES has 2001:db8::1/64, which means all of 2001:db8::/64"],
  ],
  ...[
    "0.0.0.0/1",
    "64.0.0.0/7",
    "2000::/3",
    "2a00::/12",
    "fe00::/8",
    "::ffff:0.0.0.0/97",
    "::ffff:0:0/90",
  ].map((block): [Record<string, string>, string[]] => [
    { TRUSTED_PROXIES: block },
    [
      `TRUSTED_PROXIES has ${block}: every client in this large block can claim any address, and evade limits by address`,
    ],
  ]),
  [{ TRUSTED_PROXIES: "10.0.0.0/8,::ffff:10.0.0.0/104,2a00::/16,fc00::/7,fd00::/8,fe80::/10" }, []],
  [
    { HOST: "0.0.0.0" },
    ["HOST is 0.0.0.0, and API_KEYS_FILE is not set: every client that can reach the service can use it"],
  ],
  [
    { RATE_LIMIT: "6000/1m", WORKERS: "3" },
    [
      "RATE_LIMIT is 6000/1m, and each of 3 WORKERS counts by itself: a client can send up to 3 times as much. RATE_LIMIT_STORE lets them share the limit",
    ],
  ],
  [{ RATE_LIMIT: "6000/1m", WORKERS: "3", RATE_LIMIT_STORE: "redis://a", RATE_LIMIT_BLOCK: "5999" }, []],
  [
    { RATE_LIMIT: "6000/1m", RATE_LIMIT_STORE: "redis://a", RATE_LIMIT_BLOCK: "6000" },
    [
      "RATE_LIMIT_BLOCK is 6000, and RATE_LIMIT is 6000/1m: one process takes all requests of a client, and the others reject it",
    ],
  ],
  [{ RATE_LIMIT: "1000/1s" }, []],
  [
    { RATE_LIMIT: "999/1s" },
    ["RATE_LIMIT is 999/1s: a batch that has more items is rejected, and 1000 are allowed otherwise"],
  ],
  [{ MAX_CONNECTIONS_PER_CLIENT: "8191" }, []],
  [
    { MAX_CONNECTIONS_PER_CLIENT: "8192" },
    ["MAX_CONNECTIONS_PER_CLIENT is 8192, and MAX_CONNECTIONS is 8192: it has no effect"],
  ],
  [{ LOG_REQUESTS: "all", LOG_LEVEL: "debug" }, []],
  [{ LOG_REQUESTS: "none", LOG_LEVEL: "silent" }, []],
  ...["warn", "error"].map((level): [Record<string, string>, string[]] => [
    { LOG_REQUESTS: "failed", LOG_LEVEL: level },
    [
      `LOG_REQUESTS is failed, and LOG_LEVEL is ${level}: only requests with a failure of the service are logged`,
    ],
  ]),
  [
    { LOG_REQUESTS: "all", LOG_LEVEL: "silent" },
    ["LOG_REQUESTS is all, and LOG_LEVEL is silent: no request is logged"],
  ],
  [
    { MAX_CONNECTIONS: "19937" },
    [
      "MAX_CONNECTIONS is 19937, and the process can open 20000 files (ulimit -n): it cannot accept as many connections",
    ],
  ],
  [{ MAX_CONNECTIONS: "19936" }, []],
])("%j: warnings", (env, warnings) => {
  expect(settingWarnings(configOf(env), 4, 20_000)).toEqual(warnings);
});

test("the settings in the log differ from the defaults, and have no password", () => {
  const store = "redis://user:hunter2@cache.example:6379/0";
  expect(
    changedSettings(
      configOf({ PORT: "8080", STOP_DELAY: "2s", RATE_LIMIT: "60/1m", RATE_LIMIT_STORE: store }),
    ),
  ).toEqual({
    STOP_DELAY: "2s",
    RATE_LIMIT: "60/1m",
    RATE_LIMIT_STORE: "redis://user:***@cache.example:6379/0",
  });
  // A colon before the password is easily forgotten.
  const slip = configOf({ RATE_LIMIT: "60/1m", RATE_LIMIT_STORE: "redis://hunter2@cache.example" });
  expect(changedSettings(slip)).toMatchObject({ RATE_LIMIT_STORE: "redis://***@cache.example" });
});
