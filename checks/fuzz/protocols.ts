import { SERVICES as TOOLS } from "@utility-tools/protos/services.js";
import { ServerReflection } from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionV1Alpha } from "connect-transcoding/gen/grpc/reflection/v1alpha/reflection_pb.js";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { OURS } from "../lib/service.js";
import { anyRequest, methodsOf, type Surface } from "./protocols/any-request.js";
import { sendBytes } from "./protocols/bytes-client.js";
import { createHttp1Client, http1Bytes } from "./protocols/http1.js";
import { createHttp2Client } from "./protocols/http2-client.js";
import { createTally, judge } from "./protocols/judge.js";
import { type AnyRequest, describeRequest, type ProtocolResponse } from "./protocols/request.js";
import { operationsOf } from "./protocols/rest-request.js";
import {
  createMemoryWatch,
  fillCaches,
  isMeaningful,
  startWatched,
  type WatchedService,
} from "./protocols/watched-service.js";
import { createRandom, randomAt, readRunArguments } from "./random.js";

// Sends random and mutated requests over all protocols to the service in a separate process. Each must get a response
// or an orderly end that does not indicate a server fault: `npm run check -- fuzz/protocols --count 20000 --seed 1`. To
// repeat a single request by its index: `--seed 1 --from 4711 --count 1`.

const SERVICES = [...Object.values(TOOLS), Health, ServerReflection, ServerReflectionV1Alpha];

/** Concurrent requests. */
const WORKERS = 64;
/** The timeout of a response, in milliseconds. The machine may be shared. */
const TIMEOUT = 20_000;
/** The time after which an abandoning client disconnects, in milliseconds. */
const ABANDON_AFTER = 15;
/** The time in which the service must close connections, in milliseconds. It checks them every one or two seconds. */
const CLOSE_TIMEOUT = 5000;
/** Connections that `fetch` keeps open. */
const FETCH_CONNECTIONS = 1;
/** The run ends after this many failures. */
const MAX_FAILURES = 20;

const { count, from, seed } = readRunArguments();
const isOne = count === 1;

async function main(): Promise<void> {
  const service = await startWatched(OURS);
  try {
    await run(service);
  } finally {
    await service.stop();
  }
}

async function run(service: WatchedService): Promise<void> {
  const { url, port } = service;
  const document: unknown = await (await fetch(`${url}/openapi.json`)).json();
  const surface: Surface = {
    operations: operationsOf(document),
    methods: methodsOf(SERVICES),
    host: new URL(url).host,
  };
  const http1 = createHttp1Client(port, TIMEOUT, ABANDON_AFTER);
  const http2 = createHttp2Client(url, TIMEOUT, ABANDON_AFTER);
  const tally = createTally();
  const failures: string[] = [];
  if (isMeaningful(count)) {
    await fillCaches(url, createRandom(seed));
  }
  const memory = createMemoryWatch(service, count);
  const begun = performance.now();
  const progress = Math.max(Math.floor(count / 10), 1000);
  let next = from;
  let done = 0;
  let slowest = { milliseconds: 0, index: 0 };

  async function askOne(index: number): Promise<void> {
    const random = randomAt(seed, index);
    const request = anyRequest(random, surface);
    const started = performance.now();
    const response = await send(request, () => random.oneIn(2));
    const milliseconds = performance.now() - started;
    if (milliseconds > slowest.milliseconds) {
      slowest = { milliseconds, index };
    }
    const verdict = judge(request, response);
    tally.add(request, verdict);
    if (verdict.problem !== undefined) {
      const failure = `request ${index}: ${verdict.problem}\n  ${describeRequest(request)}`;
      console.error(`FAILED ${failure}`);
      failures.push(failure);
    }
    if (isOne) {
      printExchange(request, response);
    }
    done++;
    await memory.look(done);
    if (done % progress === 0) {
      console.log(`${done} requests after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    }
  }

  function send(request: AnyRequest, half: () => boolean): Promise<ProtocolResponse> {
    if (request.protocol === "bytes") {
      return sendBytes(port, request, TIMEOUT);
    }
    const isHalf = request.breakOff && half();
    if (request.http === 2) {
      return http2.ask(request, isHalf);
    }
    const bytes = http1Bytes(randomAt(seed, request.body.length), request);
    return http1.ask(request, isHalf ? bytes.subarray(0, bytes.length / 2) : bytes);
  }

  async function work(): Promise<void> {
    while (next < from + count && failures.length < MAX_FAILURES && service.isRunning()) {
      await askOne(next++);
    }
  }

  await Promise.all(Array.from({ length: WORKERS }, work));
  const seconds = (performance.now() - begun) / 1000;
  const late = [...(await memory.conclude())];
  http1.close();
  http2.close();
  late.push(...(await connectionsLeft(url)), ...(await service.stop()));

  console.log(tally.table(seconds));
  console.log(`${done} requests in ${seconds.toFixed(1)} s, ${(done / seconds).toFixed(0)} per second`);
  console.log(`slowest: ${slowest.milliseconds.toFixed(0)} ms, request ${slowest.index}`);
  console.log(memory.report());
  for (const [{ code, message, source }, times] of tally.expectedFault) {
    console.log(`expected fault, ${times} times: ${code} "${message}" (${source})`);
  }
  for (const failure of late) {
    console.error(`FAILED ${failure}`);
  }
  const all = failures.length + late.length;
  console.log(all === 0 ? "no failures" : `${all} failures; seed ${seed}`);
  process.exitCode = all === 0 ? 0 : 1;
}

/** Returns a problem if the service keeps connections that the clients have closed. */
async function connectionsLeft(url: string): Promise<string[]> {
  const deadline = performance.now() + CLOSE_TIMEOUT;
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const left = Number(/^utility_tools_connections (\d+)$/m.exec(metrics)?.[1]) - FETCH_CONNECTIONS;
    if (left <= 0) {
      return [];
    }
    if (performance.now() > deadline) {
      return [`${left} connections of disconnected clients are still open`];
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function printExchange(request: AnyRequest, { status, headers, body, end }: ProtocolResponse): void {
  console.log(describeRequest(request));
  console.log({
    end,
    status,
    headers: Object.fromEntries(headers),
    body: body.toString("latin1").slice(0, 2000),
  });
}

await main();
