import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { get as getOverTls } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { digestOf } from "connect-transcoding-operations/access/api-keys";
import { TLS } from "connect-transcoding-testing/files.js";
import { endPrograms, type Program, runProgram } from "connect-transcoding-testing/run-program.js";
import { afterAll, expect, test } from "vitest";
import { samplesOf } from "../../packages/operations/test/telemetry/scraped.js";
import { MAIN } from "../support/programs.js";
import { useSmallData } from "../support/small-data.js";

// The program, in workers; test/service/process/ tests what needs neither, and test/main.test.ts has the real data.

const DATA_DIR = useSmallData();
afterAll(endPrograms);

function run(env: Record<string, string>): Program {
  return runProgram([MAIN], { PORT: "0", DATA_DIR, ...env });
}

/** Sends a request over a connection of its own, which any worker may accept. Returns the body of the response. */
async function send(url: string): Promise<string> {
  const [response] = await once(get(url, { agent: false }), "response");
  return text(response);
}

async function metric(url: string, name: string): Promise<number | undefined> {
  return samplesOf(await send(`${url}/metrics`)).get(name);
}

test.concurrent("a process measures how long its event loop was blocked", async () => {
  const { says, process: service } = run({});
  const [, url = ""] = await says(/is ready on (\S+)/);
  service.kill("SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, 300));
  service.kill("SIGCONT");
  expect(await metric(url, "nodejs_eventloop_lag_max_seconds")).toBeGreaterThan(0.1);
});

test.concurrent("a process with a certificate measures when it expires", async () => {
  const folder = TLS;
  const cert = join(folder, "first-cert.pem");
  const { says } = run({ TLS_CERT_FILE: cert, TLS_KEY_FILE: join(folder, "first-key.pem") });
  const [, url = ""] = await says(/is ready on (\S+)/);
  const [response] = await once(
    getOverTls(`${url}/metrics`, { agent: false, ca: readFileSync(cert) }),
    "response",
  );
  const samples = samplesOf(await text(response));
  expect(samples.get("utility_tools_certificate_expiry_timestamp_seconds")).toBe(
    Date.parse(new X509Certificate(readFileSync(cert)).validTo) / 1000,
  );
});

test.concurrent("workers serve on one port, have metrics in common, and exit with 0", async () => {
  const startedAt = Date.now() / 1000;
  const { says, out, err, process: primary, exit } = run({ WORKERS: "2" });
  const [, url = ""] = await says(/is ready on (\S+).*\n/);
  expect(out().match(/is ready on/g)).toHaveLength(1);
  for (let requests = 0; requests < 20; requests++) {
    expect(await send(`${url}/v1/geoIp?ip_address=8.8.8.8`)).toContain('"asn":15169');
  }
  const lookUps =
    'utility_tools_requests_total{method="utilitytools.v1.GeoIpService.LookupIp",protocol="rest",code="OK"}';
  expect(await metric(url, lookUps)).toBe(20);
  // Of the primary process.
  expect(await metric(url, "process_start_time_seconds")).toBeGreaterThan(startedAt - 1);
  expect(await metric(url, "utility_tools_worker_exits_total")).toBe(0);
  expect(await metric(url, 'utility_tools_service_ready{service="utilitytools.v1.GeoIpService"}')).toBe(1);
  const atOnce = Array.from({ length: 50 }, () => metric(url, lookUps));
  expect(new Set(await Promise.all(atOnce))).toEqual(new Set([20]));
  // Without a warning about too many listeners.
  expect(err()).toBe("");
  primary.kill("SIGTERM");
  expect(await exit).toBe(0);
});

test.concurrent("workers that cannot start end the start with one line that names the file", async () => {
  const program = run({ WORKERS: "2", API_KEYS_FILE: "/nowhere" });
  expect(await program.exit).toBe(78);
  expect(program.out()).toBe("");
  expect(JSON.parse(program.err())).toMatchObject({
    msg: "utility-tools cannot start: API_KEYS_FILE: /nowhere does not exist",
  });
});

// Alone: a worker that takes more than ten seconds to start has no metrics.
test("the metrics of workers are complete while a worker is restarted", async () => {
  const { says, out, process: primary } = run({ WORKERS: "2" });
  const [, url = ""] = await says(/is ready on (\S+).*\n/);
  const [, killed = ""] = /worker (\d+) is ready/.exec(out()) ?? [];
  process.kill(Number(killed), "SIGKILL");
  await says(/starting another worker in 100 ms/);
  await new Promise((resolve) => setTimeout(resolve, 150));
  // The worker is loading, and cannot respond to the primary process yet.
  expect(await metric(url, "utility_tools_connections")).toBeGreaterThanOrEqual(1);
  expect(await metric(url, "utility_tools_worker_exits_total")).toBe(1);
  primary.kill("SIGTERM");
});

test.concurrent("a keys file with problems and an untrusted forwarding header are logged once, and are metrics", async () => {
  const folder = mkdtempSync(join(tmpdir(), "serve-"));
  const keys = join(folder, "keys");
  const line = (name: string) => `${name} ${digestOf(name)}\n`;
  writeFileSync(keys, line("ut_a").replace("ut_", "") + line("ut_b").replace("ut_", ""));
  const { says, out } = run({ API_KEYS_FILE: keys, OPEN_AREAS: "metrics", API_KEY_METRICS: "on" });
  const [, url = ""] = await says(/is ready on (\S+)/);
  const lookUp = async (key: string) => {
    const headers = { "x-api-key": key, "x-forwarded-for": "198.51.100.1" };
    const [response] = await once(
      get(`${url}/v1/geoIp?ip_address=8.8.8.8`, { agent: false, headers }),
      "response",
    );
    response.resume();
    return response.statusCode;
  };
  expect([await lookUp("ut_a"), await lookUp("ut_b")]).toEqual([200, 200]);
  expect(await metric(url, "utility_tools_api_keys_file_valid")).toBe(1);
  // "a" is revoked while another line is broken.
  writeFileSync(`${keys}.new`, `${line("ut_b").replace("ut_", "")}c\n`);
  renameSync(`${keys}.new`, keys);
  await says(/cannot be used as a whole: [^"]* line 2 must be/);
  expect([await lookUp("ut_a"), await lookUp("ut_b")]).toEqual([401, 200]);
  const samples = samplesOf(await send(`${url}/metrics`));
  expect(Object.fromEntries(samples)).toMatchObject({
    utility_tools_api_keys_file_valid: 0,
    utility_tools_forwarding_headers_ignored: 1,
    'utility_tools_api_key_requests_total{name="a"}': 1,
    'utility_tools_api_key_requests_total{name="b"}': 2,
  });
  expect(out().match(/"header":"x-forwarded-for","client":"127.0.0.1"/g)).toHaveLength(1);
  rmSync(folder, { recursive: true });
});

test.concurrent.each(["1", "2"])("warns once that no API key is needed: WORKERS=%s", async (workers) => {
  const { says, out } = run({ HOST: "0.0.0.0", WORKERS: workers });
  await says(/ready on/);
  expect(out().match(/HOST is 0\.0\.0\.0, and API_KEYS_FILE is not set/g)).toHaveLength(1);
});
