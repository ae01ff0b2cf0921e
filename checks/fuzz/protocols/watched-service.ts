import { once } from "node:events";
import { residentMemory } from "../../lib/process-state.js";
import { PROCESSORS } from "../../lib/processors.js";
import { startService } from "../../lib/service.js";
import { slope } from "../../lib/statistics.js";
import { type Random, randomAddress } from "../random.js";
import { containsMarker } from "./judge.js";

/** The service in a separate process, whose output is monitored. */
export interface WatchedService {
  readonly url: string;
  readonly port: number;
  isRunning(): boolean;
  /** Resident memory in MiB. NaN where the system does not provide it. */
  residentMemory(): number;
  /** Live heap in MiB, after a garbage collection. */
  liveHeap(): Promise<number>;
  /** Stops the service and returns the problems that were observed. */
  stop(): Promise<string[]>;
}

/** On SIGUSR2, collects garbage and prints the size of the heap. */
const PROBE = `data:text/javascript,${encodeURIComponent(
  'process.on("SIGUSR2", () => { gc(); console.log("live heap: " + process.memoryUsage().heapUsed); });',
)}`;

/** The timeout of the probe, in milliseconds. */
const TIMEOUT = 10_000;

/** The maximum length of error output that is reported. */
const MAX_OUTPUT = 4000;

/** Starts the service with the flags of `npm start` and the probe. */
export async function startWatched(args: readonly string[]): Promise<WatchedService> {
  const events = new EventTarget();
  const gone = new AbortController();
  let errorOutput = "";
  let exit: string | undefined;
  let hasLeakedSecret = false;
  let isStopping = false;
  const bugs: string[] = [];
  const server = await startService({
    command: [process.execPath, "--expose-gc", "--import", PROBE, ...args],
    processors: PROCESSORS?.server,
    onLine(line) {
      const bytes = /^live heap: (\d+)$/.exec(line)?.[1];
      if (bytes !== undefined) {
        events.dispatchEvent(new CustomEvent("heap", { detail: Number(bytes) / 2 ** 20 }));
      } else if (isBug(line) && bugs.length < 10) {
        bugs.push(line.slice(0, MAX_OUTPUT));
      }
      hasLeakedSecret ||= containsMarker(line);
    },
    onError(text) {
      errorOutput = (errorOutput + text).slice(0, MAX_OUTPUT);
      hasLeakedSecret ||= containsMarker(text);
    },
  });
  void server.ended.then((how) => {
    exit = isStopping && how === 0 ? undefined : String(how);
    isStopping = true;
    gone.abort(new Error("the service has ended"));
  });

  async function liveHeap(): Promise<number> {
    const response = once(events, "heap", {
      signal: AbortSignal.any([gone.signal, AbortSignal.timeout(TIMEOUT)]),
    });
    server.process.kill("SIGUSR2");
    const [event] = await response;
    return event.detail;
  }

  async function stop(): Promise<string[]> {
    isStopping = true;
    await server.end();
    return [
      ...(exit === undefined ? [] : [`the process ended: ${exit}`]),
      ...(errorOutput === "" ? [] : [`on its standard error: ${errorOutput}`]),
      ...bugs.map((bug) => `in its log: ${bug}`),
      ...(hasLeakedSecret ? ["its output contains the secret"] : []),
    ];
  }

  return {
    url: server.url,
    port: server.port,
    isRunning: () => !isStopping,
    residentMemory: () => residentMemory(server.pid),
    liveHeap,
    stop,
  };
}

/** Returns whether a log line is an error, as text or JSON. */
function isBug(line: string): boolean {
  return line.startsWith("bug ") || /"level":\s*("(error|fatal)"|[56]0)/.test(line);
}

/** Monitors the memory of the service while requests are sent. */
export interface MemoryWatch {
  /** Called with the number of completed requests. */
  look(done: number): Promise<void>;
  /** Takes the last sample. Returns the problems that were found. */
  conclude(): Promise<string[]>;
  report(): string;
}

/** Samples per run, samples per sample of the live heap, and the share of the run that is warm-up. */
const SAMPLES = 50;
const SAMPLES_PER_HEAP_SAMPLE = 5;
const WARM_UP = 0.5;

/** Growth is not meaningful below this number of requests. */
const MEANINGFUL = 200_000;

/** Returns whether this many requests show memory growth, provided that all caches are full. */
export const isMeaningful = (count: number): boolean => count >= MEANINGFUL;

/** The maximum growth of live heap and process per 100,000 requests after the warm-up, in MiB. */
const MAX_HEAP_GROWTH = 1;
const MAX_RESIDENT_GROWTH = 5;
/** The maximum resident memory in MiB. */
const MAX_RESIDENT = 512;

/** Creates a monitor for a run of `count` requests. */
export function createMemoryWatch(service: WatchedService, count: number): MemoryWatch {
  const samples: (readonly [requests: number, mebibytes: number])[] = [];
  const heaps: (readonly [requests: number, mebibytes: number])[] = [];
  const interval = Math.max(Math.floor(count / SAMPLES), 1);
  const warmedUp = Math.floor(count * WARM_UP);
  let most = 0;

  async function look(done: number): Promise<void> {
    if (done % interval === 0) {
      most = Math.max(most, service.residentMemory());
      if (done >= warmedUp) {
        samples.push([done, service.residentMemory()]);
      }
    }
    if (done >= warmedUp && done % (SAMPLES_PER_HEAP_SAMPLE * interval) === 0) {
      heaps.push([done, await service.liveHeap()]);
    }
  }

  const residentGrowth = () => slope(samples) * 1e5;
  const heapGrowth = () => slope(heaps) * 1e5;

  async function conclude(): Promise<string[]> {
    if (!service.isRunning()) {
      return [];
    }
    if (heaps.at(-1)?.[0] !== count) {
      heaps.push([count, await service.liveHeap()]);
    }
    return [
      ...(isMeaningful(count) && heapGrowth() > MAX_HEAP_GROWTH ? ["live objects grow"] : []),
      ...(isMeaningful(count) && residentGrowth() > MAX_RESIDENT_GROWTH ? ["the process grows"] : []),
      ...(most > MAX_RESIDENT ? [`the process takes more than ${MAX_RESIDENT} MiB`] : []),
    ];
  }

  function report(): string {
    const ends = (points: typeof samples) =>
      [points[0], points.at(-1)].map((point) => `${point?.[1].toFixed(1)} MiB`).join(" to ");
    return [
      `resident memory from the warm-up to the end: ${ends(samples)}, at most ${most.toFixed(0)} MiB; ` +
        `${residentGrowth().toFixed(2)} MiB for 100,000 requests (at most ${MAX_RESIDENT_GROWTH})`,
      `live objects: ${ends(heaps)}; ${heapGrowth().toFixed(2)} MiB for 100,000 requests (at most ${MAX_HEAP_GROWTH})` +
        (!isMeaningful(count) ? `; growth counts from ${MEANINGFUL} requests on` : ""),
    ].join("\n");
  }

  return { look, conclude, report };
}

/** Batches of 1,000 addresses. About every second address leads to a record that was not read before. */
const BATCHES = 400;
/** More addresses than the response cache holds. */
const SINGLE = 5000;

/** Fills the caches of the service with varied requests, so that any growth afterwards is a leak. */
export async function fillCaches(url: string, random: Random): Promise<void> {
  const address = () => randomAddress(random);
  for (let batch = 0; batch < BATCHES; batch++) {
    const ip_addresses = Array.from({ length: 1000 }, address);
    await ask(`${url}/v1/geoIp:batch`, { method: "POST", body: JSON.stringify({ ip_addresses }) });
  }
  for (let count = 0; count < SINGLE; count++) {
    await ask(`${url}/v1/geoIp?ip_address=${address()}`);
  }
}

async function ask(url: string, init: RequestInit = {}): Promise<void> {
  const response = await fetch(url, { ...init, headers: { "content-type": "application/json" } });
  await response.arrayBuffer();
  if (response.status !== 200 && response.status !== 404) {
    throw new Error(`${url} returned ${response.status}`);
  }
}
