import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseAddress } from "../../src/text/ip-address.js";
import { findSpecialPurpose } from "../../src/tools/geoip/special-purpose.js";
import { peakMemory } from "../lib/process-state.js";
import { createRandom, type Random, randomAddress } from "../lib/random.js";
import { ROOT, startService } from "../lib/service.js";

// Measures speed and memory of the command `geoip` for a million addresses on standard input, as JSON and as CSV with three fields, and
// compares its output with the service's responses: `npm run check -- bench/lines --count 4000000`. The built program runs in a separate
// process, from file to file.

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "1000000" },
    sample: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
  },
});
const [count, sample] = [Number(values.count), Number(values.sample)];
/** The most addresses of a batch. */
const BATCH = 1000;

/** Returns random public addresses. */
function publicAddresses(random: Random): string[] {
  const addresses: string[] = [];
  while (addresses.length < count) {
    const address = randomAddress(random);
    const parsed = parseAddress(address);
    if (parsed.ok && findSpecialPurpose(parsed.value).block === undefined) {
      addresses.push(address);
    }
  }
  return addresses;
}

/** Runs the command with flags, prints its duration and memory, and resolves to the lines of its output. */
async function runCommand(input: string, output: string, ...flags: string[]): Promise<string[]> {
  const started = performance.now();
  const child = spawn(process.execPath, [join(ROOT, "dist/src/main.js"), "geoip", ...flags], {
    env: { PATH: process.env.PATH },
    // Addresses without data are errors on standard error, unless the output is JSON.
    stdio: [openSync(input, "r"), openSync(output, "w"), "ignore"],
  });
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, peakMemory(child.pid ?? 0) || 0);
  }, 20);
  const [status] = await once(child, "exit");
  clearInterval(timer);
  const seconds = (performance.now() - started) / 1000;
  console.log(`Node ${process.version}, ${flags.join(" ")}, exit status ${status}: ${count} addresses in ${seconds.toFixed(2)} s,
  ${Math.round(count / seconds)}/s, with at most ${peak.toFixed(0)} MiB`);
  return readFileSync(output, "latin1").split("\n").slice(0, -1);
}

/** Fails if a number of differences is not 0. */
function report(what: string, different: number): void {
  console.log(`${what}: ${different} different`);
  process.exitCode ||= different === 0 ? 0 : 1;
}

/** Sends a sample of the addresses to a running service, in batches, and compares the results byte for byte. */
async function compareWithService(addresses: readonly string[], lines: readonly string[]): Promise<void> {
  const every = Math.max(1, Math.floor(count / sample));
  const chosen = addresses.flatMap((address, index) =>
    index % every === 0 ? [{ address, line: lines[index] }] : [],
  );
  const service = await startService();
  let different = 0;
  for (let start = 0; start < chosen.length; start += BATCH) {
    const batch = chosen.slice(start, start + BATCH);
    const response = await fetch(`${service.url}/v1/geoIp:batch`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ip_addresses: batch.map(({ address }) => address) }),
    });
    const body = Buffer.from(await response.arrayBuffer()).toString("latin1");
    different += body === `{"results":[${batch.map(({ line }) => line).join(",")}]}` ? 0 : batch.length;
  }
  await service.end();
  const found = chosen.filter(({ line }) => line?.includes('"answer":')).length;
  report(`${chosen.length} compared with the service, ${found} of them found`, different);
}

const folder = mkdtempSync(join(tmpdir(), "utility-tools-"));
try {
  const [input, output] = [join(folder, "addresses"), join(folder, "results")];
  const addresses = publicAddresses(createRandom(Number(values.seed)));
  writeFileSync(input, `${addresses.join("\n")}\n`);
  const json = await runCommand(input, output, "--json");
  const [, ...csv] = await runCommand(input, output, "--csv", "--fields", "country,asn,city");
  // Each line of the CSV begins with the address, the country and the number of the system.
  const different = json.filter((line, index) => {
    const { input: address, answer } = JSON.parse(line);
    const { country = "" } = answer?.metadata.location ?? {};
    return csv[index]?.startsWith(`${address},${country},${answer?.metadata.asn ?? ""},`) !== true;
  });
  report(
    `${count} lines of CSV compared with JSON`,
    different.length + Math.abs(csv.length - count) + Math.abs(json.length - count),
  );
  await compareWithService(addresses, json);
} finally {
  rmSync(folder, { recursive: true });
}
