import { copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { endPrograms, type Program, runProgram } from "../run-program.js";
import { samplesOf } from "./telemetry/scraped.js";

// The built program with the real data, in workers; test/process/ tries everything that needs neither.
const ROOT = join(import.meta.dirname, "..", "..");
const MAIN = join(ROOT, "dist", "src", "main.js");
const folder = mkdtempSync(join(tmpdir(), "utility-tools-"));

afterEach(endPrograms);
afterAll(() => rmSync(folder, { recursive: true }));

function run(env: Record<string, string>): Program {
  return runProgram([MAIN], { PORT: "0", ...env });
}

async function lookUp(url: string): Promise<unknown> {
  const response = await fetch(`${url}/v1/geoIp?ip_address=8.8.8.8`);
  const { metadata } = (await response.json()) as { metadata: { asn: number } };
  return metadata.asn;
}

async function metric(url: string, name: string): Promise<number> {
  const response = await fetch(`${url}/metrics`);
  return samplesOf(await response.text()).get(name) ?? 0;
}

test("one process tells how long its event loop was held up", async () => {
  const { says, process: service } = run({});
  const [, url = ""] = await says(/is ready on (\S+)/);
  service.kill("SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, 300));
  service.kill("SIGCONT");
  expect(await metric(url, "nodejs_eventloop_lag_max_seconds")).toBeGreaterThan(0.1);
});

test("workers serve on one port that one line names, count on when they are replaced, and stop with 0", async () => {
  const { says, out, process: supervisor, exit } = run({ WORKERS: "2" });
  const [, url = ""] = await says(/is ready on (\S+).*\n/);
  expect(out().match(/is ready on/g)).toHaveLength(1);
  expect(await lookUp(url)).toBe(15169);
  supervisor.kill("SIGHUP");
  await says(/(takes the place of[\s\S]+){2}/);
  const lookUps =
    'utility_tools_requests_total{method="utilitytools.v1.GeoIpService.LookupIp",door="rest",code="OK"}';
  expect(await metric(url, lookUps)).toBe(1);
  supervisor.kill("SIGTERM");
  expect(await exit).toBe(0);
});

test("workers that cannot start end it with one line that names the file", async () => {
  const program = run({ WORKERS: "2", API_KEYS_FILE: "/nowhere" });
  expect(await program.exit).toBe(1);
  expect(program.out()).toBe("");
  expect(program.err()).toBe("utility-tools cannot start: API_KEYS_FILE: /nowhere does not exist\n");
});

test("workers stay when those that should replace them lack data", async () => {
  const file = join(folder, "asn.mmdb");
  copyFileSync(join(ROOT, "data", "asn.mmdb"), file);
  const { says, process: supervisor } = run({ WORKERS: "2", GEOIP_ASN_FILES: file });
  const [, url = ""] = await says(/ready on (\S+)/);
  // Another file in the place of the first, which is mapped or read by those that run.
  writeFileSync(`${file}.next`, "this is no MMDB file");
  renameSync(`${file}.next`, file);
  supervisor.kill("SIGHUP");
  await says(/data refused: GEOIP_ASN_FILES: .*asn\.mmdb/);
  await says(/the workers stay, for another cannot start: utilitytools\.v1\.GeoIpService: data is missing/);
  expect(await lookUp(url)).toBe(15169);
});

test.each(["1", "2"])("says once that anybody may use it: %s of WORKERS", async (workers) => {
  const { says, out } = run({ HOST: "0.0.0.0", WORKERS: workers });
  await says(/ready on/);
  expect(out().match(/HOST is 0\.0\.0\.0, and without API_KEYS_FILE/g)).toHaveLength(1);
});
