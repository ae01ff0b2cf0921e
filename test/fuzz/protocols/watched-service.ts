import { once } from "node:events";
import { startProcess } from "../../bench/server-process.js";
import { slope } from "../../bench/statistics.js";
import { type Random, randomAddress } from "../random.js";
import { tells } from "./judge.js";

/** The service in a process of its own, of which everything is heard. */
export interface WatchedService {
  readonly url: string;
  readonly port: number;
  isRunning(): boolean;
  /** MiB of the process that are in memory; NaN where the system does not tell. */
  residentMemory(): number;
  /** MiB that live objects take, after all garbage is collected. */
  liveHeap(): Promise<number>;
  /** Stops it, and says what it did that it must not: nothing, mostly. */
  stop(): Promise<string[]>;
}

/** Has the service collect its garbage and say what is left, when it is told to by a signal. */
const PROBE = `data:text/javascript,${encodeURIComponent(
  'process.on("SIGUSR2", () => { gc(); console.log("live heap: " + process.memoryUsage().heapUsed); });',
)}`;

/** Milliseconds to wait for the probe. */
const PATIENCE = 10_000;

/** How much of its error output is told of. */
const MAX_OUTPUT = 4000;

/** Starts the service with the flags of `npm start` and its probe. */
export async function startWatched(args: readonly string[]): Promise<WatchedService> {
  const heard = new EventTarget();
  const gone = new AbortController();
  let errorOutput = "";
  let exit: string | undefined;
  let hasToldSecret = false;
  let isStopping = false;
  let hasExited = false;
  const bugs: string[] = [];
  const server = await startProcess(["--expose-gc", "--import", PROBE, ...args], {
    onOutput(line) {
      const octets = /^live heap: (\d+)$/.exec(line)?.[1];
      if (octets !== undefined) {
        heard.dispatchEvent(new CustomEvent("heap", { detail: Number(octets) / 2 ** 20 }));
      } else if (isBug(line) && bugs.length < 10) {
        bugs.push(line.slice(0, MAX_OUTPUT));
      }
      hasToldSecret ||= tells(line);
    },
    onErrorOutput(text) {
      errorOutput = (errorOutput + text).slice(0, MAX_OUTPUT);
      hasToldSecret ||= tells(text);
    },
    onExit(code, signal) {
      exit = isStopping && code === 0 ? undefined : `code ${code}, signal ${signal}`;
      isStopping = true;
      hasExited = true;
      gone.abort(new Error("the service has ended"));
    },
  });

  async function liveHeap(): Promise<number> {
    const answer = once(heard, "heap", {
      signal: AbortSignal.any([gone.signal, AbortSignal.timeout(PATIENCE)]),
    });
    server.signal("SIGUSR2");
    const [event] = await answer;
    return event.detail;
  }

  async function stop(): Promise<string[]> {
    isStopping = true;
    if (!hasExited) {
      await server.stop();
    }
    return [
      ...(exit === undefined ? [] : [`the process ended: ${exit}`]),
      ...(errorOutput === "" ? [] : [`on its standard error: ${errorOutput}`]),
      ...bugs.map((bug) => `in its log: ${bug}`),
      ...(hasToldSecret ? ["what it wrote tells the secret"] : []),
    ];
  }

  return {
    url: server.url,
    port: Number(new URL(server.url).port),
    isRunning: () => !isStopping,
    residentMemory: server.residentMemory,
    liveHeap,
    stop,
  };
}

/** Whether a line of a log is one of an error, in words or in JSON. */
function isBug(line: string): boolean {
  return line.startsWith("bug ") || /"level":\s*("(error|fatal)"|[56]0)/.test(line);
}

/** Looks at the memory of the service while requests come. */
export interface MemoryWatch {
  /** To be told of how many requests were answered. */
  look(done: number): Promise<void>;
  /** The last look; what is wrong, if anything is. */
  conclude(): Promise<string[]>;
  report(): string;
}

/** Looks at a whole run, at live objects too at every fifth of them, and the part of it that is warm-up. */
const LOOKS = 50;
const LOOKS_FOR_A_HEAP = 5;
const WARM_UP = 0.5;

/** Fewer requests than these tell nothing of growth. */
const MEANINGFUL = 200_000;

/** Whether so many requests tell whether memory grows, given that what the service keeps is full. */
export const isMeaningful = (count: number): boolean => count >= MEANINGFUL;

/** MiB that live objects may grow by, and the process may grow by, for each 100,000 requests after the warm-up. */
const MAX_HEAP_GROWTH = 1;
const MAX_RESIDENT_GROWTH = 5;
/** MiB of the process, however many requests. */
const MAX_RESIDENT = 512;

/** Watches the memory over `count` requests. */
export function createMemoryWatch(service: WatchedService, count: number): MemoryWatch {
  const samples: (readonly [requests: number, mebibytes: number])[] = [];
  const heaps: (readonly [requests: number, mebibytes: number])[] = [];
  const interval = Math.max(Math.floor(count / LOOKS), 1);
  const warmedUp = Math.floor(count * WARM_UP);
  let most = 0;

  async function look(done: number): Promise<void> {
    if (done % interval === 0) {
      most = Math.max(most, service.residentMemory());
      if (done >= warmedUp) {
        samples.push([done, service.residentMemory()]);
      }
    }
    if (done >= warmedUp && done % (LOOKS_FOR_A_HEAP * interval) === 0) {
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

/** Batches of a thousand, of which every other address leads to a record that was not read before. */
const BATCHES = 400;
/** More addresses than answers are kept for. */
const SINGLE = 5000;

/**
 * Asks the service at the URL so many different things that what it keeps is full: all the growth that there is
 * afterwards is a leak.
 */
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
    throw new Error(`${url} was answered with ${response.status}`);
  }
}
