import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  createReadStream,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { Agent, get, request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { parseAddress } from "../../src/text/ip-address.js";
import { findSpecialPurpose } from "../../src/tools/geoip/special-purpose.js";
import { OURS, startProcess } from "./server-process.js";

// Measures speed and memory of the command `geoip` for a million addresses on standard input, as JSON and as CSV with three
// fields, and compares its output with the service's responses. It runs the built program in a separate process, from file to
// file.

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "1000000" },
    sample: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
  },
});
const count = Number(values.count);
const ROOT = dirname(createRequire(import.meta.url).resolve("#package.json"));
const folder = mkdtempSync(join(tmpdir(), "utility-tools-"));
const [input, output] = [join(folder, "addresses"), join(folder, "results")];
const csvOutput = join(folder, "results.csv");

/** Prefixes of allocated addresses: https://www.iana.org/assignments/ipv6-unicast-address-assignments */
const PREFIXES = [
  "2001",
  "2400",
  "2404",
  "2600",
  "2601",
  "2607",
  "2800",
  "2a00",
  "2a01",
  "2a02",
  "2c0f",
] as const;

try {
  const addresses = publicAddresses(count, Number(values.seed));
  writeFileSync(input, `${addresses.join("\n")}\n`);
  await runCommand(["--json"], output);
  await runCommand(["--csv", "--fields", "country,asn,city"], csvOutput);
  await compareFormats();
  await compare(addresses, Number(values.sample));
} finally {
  rmSync(folder, { recursive: true });
}

/** Runs the command with flags and prints its duration and memory. */
async function runCommand(flags: readonly string[], target: string): Promise<void> {
  const started = performance.now();
  const child = spawn(process.execPath, [join(ROOT, "dist/src/main.js"), "geoip", ...flags], {
    env: { PATH: process.env.PATH },
    // Addresses without data are errors on standard error, unless the output is JSON.
    stdio: [openSync(input, "r"), openSync(target, "w"), "ignore"],
  });
  const looks: { readonly written: number; readonly peak: number }[] = [];
  const timer = setInterval(() => {
    looks.push({ written: statSync(target).size, peak: peakMemory(child.pid) });
  }, 20);
  const [status] = await once(child, "exit");
  clearInterval(timer);
  const seconds = (performance.now() - started) / 1000;
  const size = statSync(target).size;
  const peakAt = (part: number) => looks.find(({ written }) => written >= part * size)?.peak ?? Number.NaN;
  console.log(`Node ${process.version}`);
  console.log(
    `${flags.join(" ")}: ${count} addresses in ${seconds.toFixed(2)} s: ${Math.round(count / seconds)}/s, exit status ${status}`,
  );
  const peaks = [0.1, 0.25, 0.5, 0.75].map((part) => `${peakAt(part).toFixed(0)} MiB at ${part * 100} %`);
  console.log(
    `peak memory: ${peaks.join(", ")}, ${Math.max(...looks.map(({ peak }) => peak).filter(Number.isFinite)).toFixed(0)} MiB at the end`,
  );
}

/** Compares each line of the CSV with that of the JSON: the address, the country and the system. */
async function compareFormats(): Promise<void> {
  const csvLines = createInterface({ input: createReadStream(csvOutput) })[Symbol.asyncIterator]();
  await csvLines.next();
  let different = 0;
  for await (const line of createInterface({ input: createReadStream(output) })) {
    const { input: address, answer } = JSON.parse(line);
    const { country, asn } = {
      country: answer?.metadata.location.country ?? "",
      asn: answer?.metadata.asn ?? "",
    };
    const { value = "" } = await csvLines.next();
    different += String(value).startsWith(`${address},${country},${asn},`) ? 0 : 1;
  }
  different += (await csvLines.next()).done === true ? 0 : 1;
  console.log(`${count} lines of CSV compared with JSON: ${different} different`);
  process.exitCode = different === 0 ? 0 : 1;
}

/** Returns the peak resident memory of a process in MiB. NaN where the system does not provide it. */
function peakMemory(pid: number | undefined): number {
  try {
    return Number(/^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

/**
 * Sends a sample of the addresses to a running service, one by one and in batches, and compares the results byte for
 * byte.
 */
async function compare(addresses: readonly string[], sample: number): Promise<void> {
  const every = Math.max(1, Math.floor(addresses.length / sample));
  const chosen: { readonly address: string; readonly line: string }[] = [];
  let index = 0;
  for await (const line of createInterface({ input: createReadStream(output) })) {
    if (index % every === 0) {
      chosen.push({ address: addresses[index] ?? "", line });
    }
    index++;
  }
  if (index !== addresses.length) {
    throw new Error(`${addresses.length} addresses have ${index} results`);
  }
  const server = await startProcess(OURS);
  const agent = new Agent({ keepAlive: true });
  try {
    let [found, errors, different] = [0, 0, 0];
    for (const { address, line } of chosen) {
      const { status, body } = await getText(
        `${server.url}/v1/geoIp?ip_address=${encodeURIComponent(address)}`,
        agent,
      );
      const isFound = status === 200;
      found += isFound ? 1 : 0;
      errors += isFound ? 0 : 1;
      const isSame = isFound
        ? line === `{"input":${JSON.stringify(address)},"answer":${body}}`
        : JSON.parse(line).error?.message === JSON.parse(body).error?.message;
      different += isSame ? 0 : 1;
    }
    for (let start = 0; start < chosen.length; start += 1000) {
      const batch = chosen.slice(start, start + 1000);
      const body = JSON.stringify({ ip_addresses: batch.map(({ address }) => address) });
      const response = await postText(`${server.url}/v1/geoIp:batch`, body, agent);
      different += response === `{"results":[${batch.map(({ line }) => line).join(",")}]}` ? 0 : 1;
    }
    console.log(
      `${chosen.length} compared with the service: ${found} found, ${errors} errors, ${different} different`,
    );
    process.exitCode ||= different === 0 ? 0 : 1;
  } finally {
    agent.destroy();
    await server.stop();
  }
}

async function getText(url: string, agent: Agent) {
  const [response] = await once(get(url, { agent }), "response");
  return { status: response.statusCode, body: await text(response) };
}

async function postText(url: string, body: string, agent: Agent): Promise<string> {
  const outgoing = request(url, { method: "POST", agent, headers: { "content-type": "application/json" } });
  outgoing.end(body);
  const [response] = await once(outgoing, "response");
  return text(response);
}

/** Returns random public addresses, alternating between IPv4 and IPv6, for a seed. */
function publicAddresses(wanted: number, seed: number): string[] {
  const random = generator(seed);
  const addresses: string[] = [];
  while (addresses.length < wanted) {
    const address = addresses.length % 2 === 0 ? randomIPv4(random) : randomIPv6(random);
    const parsed = parseAddress(address);
    if (parsed.ok && findSpecialPurpose(parsed.value).block === undefined) {
      addresses.push(address);
    }
  }
  return addresses;
}

function randomIPv4(random: () => number): string {
  return Array.from({ length: 4 }, () => random() % 256).join(".");
}

function randomIPv6(random: () => number): string {
  const groups = Array.from({ length: 7 }, () => (random() % 65_536).toString(16));
  return `${PREFIXES[random() % PREFIXES.length]}:${groups.join(":")}`;
}

/** A 32-bit xorshift generator (Marsaglia, 2003). */
function generator(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state >>> 4;
  };
}
