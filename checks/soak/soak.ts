import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { check, conclude } from "connect-transcoding-testing/checks.mjs";
import { encodeHttp2 } from "connect-transcoding-testing/load/http2.js";
import { createClient, type LoadClient, load } from "connect-transcoding-testing/load/open-loop.js";
import { GRPC_HEADERS } from "connect-transcoding-testing/load/workload.js";
import { residentMemory } from "connect-transcoding-testing/processes/process-state.js";
import { createRandom } from "connect-transcoding-testing/random.js";
import { startService } from "../lib/processes/service.js";
import { http1Connection, http2Connection } from "./connections.js";
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

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "600" }, rate: { type: "string", default: "200" } },
});
const [seconds, rate] = [Number(values.seconds), Number(values.rate)];

/** The different requests of a client, of which it sends three tenths at most. */
const COUNT = Math.min(Math.ceil(seconds * rate * 0.3), 1_000_000);

/** Something that clients do, in thousandths of the rate. */
function action(share: number, act: (url: string, number: number) => Promise<void>): LoadClient {
  let number = 0;
  const late = async (): Promise<never> => {
    await wait(LONGEST_ACTION, undefined, { ref: false });
    throw new Error("no end");
  };
  const outcome = { failure: undefined, isRetried: false, localPort: undefined };
  return {
    share,
    send: () =>
      Promise.race([act(service.url, number++), late()]).then(
        () => outcome,
        ({ code, message }) => ({ ...outcome, failure: code ?? message }),
      ),
    close: () => {},
  };
}

/** Requests that are sent in turn, in thousandths of the rate. */
function requests(share: number, ...client: Parameters<typeof createClient>): LoadClient {
  return { ...createClient(...client), share };
}

const service = await startService();
const { url } = service;
const random = createRandom(1);
const texts = textRequests(random, COUNT);
const calls = callRequests(random, COUNT);
const lookups = Array.from({ length: COUNT }, () => ({ path: lookupPath(random), body: Buffer.alloc(0) }));
const http2 = { http: 2, authority: "utility-tools.test" } as const;
const grpc = { ...http2, grpc: true, method: "POST", headers: GRPC_HEADERS, requests: calls } as const;
const rest = { ...http2, grpc: false, method: "GET", headers: [], requests: lookups } as const;

/** All loads. At a rate of 200, 38 connections are opened each second: 20,000 in ten minutes. */
const LOADS: Readonly<Record<string, LoadClient>> = {
  "REST and Connect over HTTP/1.1": requests(
    300,
    url,
    { http: 1, requests: texts.map(({ bytes }) => bytes) },
    (at, { status }) => texts[at]?.statuses.includes(status) === true,
    32,
  ),
  gRPC: requests(
    300,
    url,
    encodeHttp2(grpc, false),
    (at, { grpcStatus }) => calls[at]?.statuses.includes(Number(grpcStatus)) === true,
    4,
  ),
  "REST over HTTP/2": requests(
    210,
    url,
    encodeHttp2(rest, false),
    (_, { status }) => status === 200 || status === 404,
    4,
  ),
  "connections of HTTP/1.1": action(95, http1Connection),
  "connections of HTTP/2": action(95, http2Connection),
};

const samples: number[] = [];
const end = performance.now() + seconds * 1_000;
const { requests: sent, failed } = await load(LOADS, rate, async () => {
  while (performance.now() < end) {
    await wait(Math.min(INTERVAL, seconds / 10) * 1_000);
    samples.push(residentMemory(service.pid));
    const passed = (seconds * 1_000 - end + performance.now()) / 1_000;
    console.log(`${passed.toFixed(0)} s: ${samples.at(-1)?.toFixed(0)} MiB`);
  }
});

for (const name of Object.keys(LOADS)) {
  const failures = failed.flatMap(({ protocol, failure }) => (protocol === name ? [failure] : []));
  check(`${name}: ${failures.length} failures`, failures.length === 0, [...new Set(failures)]);
}
check(`${sent} requests and actions`, sent >= seconds * rate * 0.9);
const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
const steady = samples.slice(Math.ceil(samples.length * WARM_UP));
const third = Math.floor(steady.length / 3);
const [first, last] = [mean(steady.slice(0, third)), mean(steady.slice(-third))];
check(
  `memory: ${first.toFixed(0)} MiB in the first third after the warm-up, ${last.toFixed(0)} MiB in the last`,
  third > 0 && last <= first * MAX_GROWTH,
);
check("the service has shut down", (await service.end()) === 0);
conclude();
process.exit();
