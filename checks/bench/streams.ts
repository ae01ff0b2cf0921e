import { execFile } from "node:child_process";
import { type ClientHttp2Session, connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { create, toBinary } from "@bufbuild/protobuf";
import { TYPESCRIPT_FLAGS } from "../../test/typescript-flags.js";
import { grpcFrame } from "../lib/load/workload.js";
import { PROCESSORS, pinned } from "../lib/processors.js";
import { type Service, startService } from "../lib/service.js";
import { percentile } from "../lib/statistics.js";
import { loadStreamSchema } from "./stream-schema.js";
import { HOST } from "./workloads.js";

// Measures what streams cost others: the heap of idle streams, and how long another client waits while one reads 300 MB:
// `npm run check -- bench/streams`.

const { service } = loadStreamSchema();

/** Starts the engine with streams. */
function startPeer(): Promise<Service> {
  const program = ["--expose-gc", ...TYPESCRIPT_FLAGS, "checks/bench/peers/peer.ts", "engine-streams"];
  return startService({ command: [process.execPath, ...program], processors: PROCESSORS?.server });
}

const IDLE_STREAMS = 2000;
/** Streams of one connection: fewer than the server allows. */
const STREAMS_PER_CONNECTION = 100;

/** About 300 MB of items of 37 bytes with their prefix. */
const READ_BYTES = 300e6;
const ITEMS = 10_000_000;

/** Milliseconds between two calls of the other client. */
const PAUSE = 5;

/** The window of the client that reads: it never has to wait. */
const WINDOW = 2 ** 31 - 1;

function call(session: ClientHttp2Session, method: "List" | "Collect" | "Echo") {
  return session.request({
    ":method": "POST",
    ":path": `/${service.typeName}/${method}`,
    ":authority": HOST,
    "content-type": "application/grpc",
    te: "trailers",
  });
}

function listFrame(count: number): Buffer {
  const desc = service.method.list.input;
  return grpcFrame(toBinary(desc, create(desc, { prefix: "stream-12345", count })));
}

/** Collects garbage in the server, and resolves to the bytes of its heap. */
async function heapOf(server: Service): Promise<number> {
  const pattern = /heap (\d+)\n/g;
  const looked = server.says(pattern, server.count(pattern) + 1);
  server.process.kill("SIGUSR2");
  await looked;
  return Number([...server.output().matchAll(pattern)].at(-1)?.[1]);
}

async function measureIdle(): Promise<void> {
  const server = await startPeer();
  /** Opens the streams, and resolves to the heap with them after closing them. */
  const openAll = async (): Promise<number> => {
    const sessions = Array.from({ length: IDLE_STREAMS / STREAMS_PER_CONNECTION }, () => connect(server.url));
    for (const session of sessions) {
      for (let index = 0; index < STREAMS_PER_CONNECTION; index++) {
        const stream = call(session, "Echo").on("error", () => {});
        stream.write(Buffer.alloc(0));
      }
    }
    await sleep(2000);
    const heap = await heapOf(server);
    for (const session of sessions) {
      session.destroy();
    }
    await sleep(2000);
    return heap;
  };
  // The first streams compile the code.
  await openAll();
  const before = await heapOf(server);
  const bytes = ((await openAll()) - before) / IDLE_STREAMS;
  await server.end();
  console.log(
    `an idle stream in both directions: ${(bytes / 1024).toFixed(1)} KiB of heap, of ${IDLE_STREAMS} streams`,
  );
}

/** Reads a stream of about 300 MB as fast as it arrives. Resolves to the bytes per second. */
async function readAll(url: string): Promise<number> {
  const session = connect(url, { settings: { initialWindowSize: WINDOW } });
  session.on("connect", () => session.setLocalWindowSize(WINDOW));
  const started = performance.now();
  const stream = call(session, "List");
  stream.end(listFrame(ITEMS));
  let received = 0;
  for await (const chunk of stream) {
    received += (chunk as Buffer).length;
    if (received >= READ_BYTES) {
      break;
    }
  }
  session.destroy();
  return (received / (performance.now() - started)) * 1000;
}

/** Makes calls with one message, one after the other, until `isOver`. Resolves to their durations in milliseconds. */
async function waitTimes(url: string, isOver: () => boolean): Promise<number[]> {
  const session = connect(url);
  const times: number[] = [];
  while (!isOver()) {
    const started = performance.now();
    const stream = call(session, "List");
    stream.end(listFrame(1));
    for await (const _ of stream) {
      // Only the end counts.
    }
    times.push(performance.now() - started);
    await sleep(PAUSE);
  }
  session.close();
  return times;
}

function describe(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => percentile(sorted, part).toFixed(1);
  return `median ${at(0.5)} ms, 99 % ${at(0.99)} ms, most ${at(1)} ms (${times.length} calls)`;
}

async function measureWait(): Promise<void> {
  const server = await startPeer();
  const end = performance.now() + 3000;
  await waitTimes(server.url, () => performance.now() > end);
  const alone = performance.now() + 3000;
  console.log(
    `alone, a call takes: ${describe(await waitTimes(server.url, () => performance.now() > alone))}`,
  );
  let isOver = false;
  // Another process, so that this one only waits for the server.
  const program = [process.execPath, ...TYPESCRIPT_FLAGS, import.meta.filename, "read", server.url];
  const [command = "", ...args] = pinned(PROCESSORS?.load, program);
  const reading = promisify(execFile)(command, args).finally(() => {
    isOver = true;
  });
  const times = await waitTimes(server.url, () => isOver);
  const rate = Number((await reading).stdout);
  console.log(`while another client reads ${READ_BYTES / 1e6} MB: ${describe(times)}`);
  console.log(`that client reads ${(rate / 1e6).toFixed(0)} MB/s`);
  await server.end();
}

const [, , command, url = ""] = process.argv;
if (command === "read") {
  console.log(await readAll(url));
} else {
  await measureIdle();
  await measureWait();
}
