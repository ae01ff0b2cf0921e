import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { encodeHttp2 } from "../lib/load/http2.js";
import { createClient, type LoadClient } from "../lib/load/open-loop.js";
import { GRPC_HEADERS } from "../lib/load/workload.js";
import { residentMemory } from "../lib/process-state.js";
import { createRandom } from "../lib/random.js";
import { startService } from "../lib/service.js";
import { slope } from "../lib/statistics.js";
import { cancelled, connection, slowReader, upload, watch } from "./connections.js";
import { callRequests, lookupPath, textRequests } from "./requests.js";

// A mixed load against the built service for minutes, whose memory must not grow: `npm run check -- soak --seconds 3600 --rate 400`.

/** Seconds between two samples. */
const INTERVAL = 10;
/** Milliseconds that an action takes at most. */
const LONGEST_ACTION = 60_000;
/** The part of the time in which caches fill and code is compiled. */
const WARM_UP = 0.2;
/** How much larger the memory may be at the end. */
const MAX_GROWTH = 1.15;
/** The most different requests of a client. */
const MAX_REQUESTS = 1_000_000;

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "600" }, rate: { type: "string", default: "200" } },
});
const [seconds, rate] = [Number(values.seconds), Number(values.rate)];

/** A kind of action with its share of the rate. */
interface Load {
  readonly name: string;
  readonly share: number;
  act(number: number): Promise<void>;
  /** The number of successful actions, and of failed ones by their failure. */
  done: number;
  readonly failed: Map<string, number>;
}

function action(name: string, share: number, act: Load["act"]): Load {
  return { name, share, act, done: 0, failed: new Map() };
}

/** Requests of a client that takes them in turn. */
function requests(name: string, share: number, create: (count: number) => LoadClient): Load {
  const client = create(Math.min(Math.ceil(seconds * rate * share), MAX_REQUESTS));
  return action(name, share, async () => {
    const { failure } = await client.send();
    if (failure !== undefined) {
      throw new Error(failure);
    }
  });
}

/** All loads. At a rate of 200, 17 connections are opened each second: 10,000 in ten minutes. */
function loadsOf(url: string): Load[] {
  const random = createRandom(1);
  const workload = {
    http: 2,
    grpc: false,
    method: "GET",
    authority: "utility-tools.test",
    headers: [],
  } as const;
  return [
    requests("REST and Connect over HTTP/1.1", 0.3, (count) => {
      const texts = textRequests(random, count);
      const encoded = { http: 1, requests: texts.map(({ bytes }) => bytes), largest: 0 } as const;
      return createClient(
        url,
        encoded,
        (at, { status }) => texts[at]?.statuses.includes(status) === true,
        32,
      );
    }),
    requests("gRPC", 0.3, (count) => {
      const calls = callRequests(random, count);
      const grpc = {
        ...workload,
        grpc: true,
        method: "POST",
        headers: GRPC_HEADERS,
        requests: calls,
      } as const;
      const isRight = (at: number, status: string | undefined) =>
        calls[at]?.statuses.includes(Number(status)) === true;
      return createClient(url, encodeHttp2(grpc, false), (at, { grpcStatus }) => isRight(at, grpcStatus), 4);
    }),
    requests("REST over HTTP/2", 0.21, (count) => {
      const lookups = Array.from({ length: count }, () => ({
        path: lookupPath(random),
        body: Buffer.alloc(0),
      }));
      const encoded = encodeHttp2({ ...workload, requests: lookups }, false);
      return createClient(url, encoded, (_, { status }) => status === 200 || status === 404, 4);
    }),
    action("uploads", 0.02, (number) => upload(url, number)),
    action("streams", 0.03, (number) => watch(url, number)),
    action("cancelled calls", 0.05, (number) => cancelled(url, number)),
    action("connections", 0.085, (number) => connection(url, number)),
    action("slow readers", 0.005, (number) => slowReader(url, number)),
  ];
}

/** Starts the actions of a load at its rate, and waits for those in progress at the end. */
async function repeat(load: Load, end: number): Promise<void> {
  const start = performance.now();
  const pending = new Set<Promise<void>>();
  for (let started = 0; performance.now() < end; ) {
    for (const due = ((performance.now() - start) / 1_000) * rate * load.share; started < due; started++) {
      const late = wait(LONGEST_ACTION, undefined, { ref: false }).then(() =>
        Promise.reject(new Error("no end")),
      );
      const act = Promise.race([load.act(started), late])
        .then(() => {
          load.done += 1;
        })
        .catch(({ code, message }) => {
          const failure = code ?? message;
          load.failed.set(failure, (load.failed.get(failure) ?? 0) + 1);
        })
        .finally(() => pending.delete(act));
      pending.add(act);
    }
    await wait(20);
  }
  await Promise.all(pending);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}

let failures = 0;
function check(what: string, holds: boolean): void {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}`);
  failures += holds ? 0 : 1;
}

const service = await startService();
const loads = loadsOf(service.url);
const end = performance.now() + seconds * 1_000;
const running = Promise.all(loads.map((load) => repeat(load, end)));
const samples: number[] = [];
while (performance.now() < end) {
  await wait(Math.min(INTERVAL, seconds / 10) * 1_000);
  samples.push(residentMemory(service.pid));
  console.log(
    `${((seconds * 1_000 - end + performance.now()) / 1_000).toFixed(0)} s: ${samples.at(-1)?.toFixed(0)} MiB`,
  );
}
await running;

for (const { name, done, failed } of loads) {
  const found = [...failed].map(([failure, count]) => `\n  ${count} × ${failure}`);
  check(`${name}: ${done} done${found.join("")}`, done > 0 && found.length === 0);
}
const steady = samples.slice(Math.ceil(samples.length * WARM_UP));
const third = Math.floor(steady.length / 3);
const [first, last] = [mean(steady.slice(0, third)), mean(steady.slice(-third))];
const growth =
  slope(steady.map((memory, index) => [index, memory])) * (1e5 / (rate * (seconds / samples.length)));
console.log(`after the warm-up, the memory grows by ${growth.toFixed(2)} MiB for 100,000 requests`);
check(
  `memory: ${first.toFixed(0)} MiB in the first third after the warm-up, ${last.toFixed(0)} MiB in the last`,
  third > 0 && last <= first * MAX_GROWTH,
);
check("the service has shut down", (await service.end()) === 0);
process.exit(failures === 0 ? 0 : 1);
