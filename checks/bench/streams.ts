import { type ClientHttp2Session, connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { TYPESCRIPT_FLAGS } from "../../test/typescript-flags.js";
import { grpcFrame, HOST } from "./requests.js";
import { runOnLoadProcessor, type ServerProcess, startProcess } from "./server-process.js";
import { percentile } from "./statistics.js";
import { loadStreamSchema } from "./stream-schema.js";

// Measures what streams cost others: the heap of idle streams, and how long another client waits while one reads 300 MB:
// `npm run check -- bench/streams`.

const { service } = loadStreamSchema();
const PEER = [...TYPESCRIPT_FLAGS, "checks/bench/peers/peer.ts"];

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
function heapOf(server: HeapServer): Promise<number> {
  return new Promise((resolve) => {
    server.onHeap = resolve;
    server.process.signal("SIGUSR2");
  });
}

interface HeapServer {
  readonly process: ServerProcess;
  onHeap: (bytes: number) => void;
}

async function startHeapServer(): Promise<HeapServer> {
  const listener = {
    onOutput: (line: string) => server.onHeap(Number(/^heap (\d+)$/.exec(line)?.[1])),
    onErrorOutput: (text: string) => void process.stderr.write(text),
    onExit: () => {},
  };
  const server: { process: ServerProcess; onHeap: (bytes: number) => void } = {
    process: await startProcess(["--expose-gc", ...PEER, "engine-streams"], { listener }),
    onHeap: () => {},
  };
  return server;
}

async function measureIdle(): Promise<void> {
  const server = await startHeapServer();
  const sessions: ClientHttp2Session[] = [];
  const open = async (): Promise<void> => {
    for (let index = 0; index < IDLE_STREAMS; index++) {
      if (index % STREAMS_PER_CONNECTION === 0) {
        sessions.push(connect(server.process.url));
      }
      const session = sessions.at(-1);
      if (session !== undefined) {
        call(session, "Echo")
          .on("error", () => {})
          .write(Buffer.alloc(0));
      }
    }
    await sleep(2000);
  };
  const close = async (): Promise<void> => {
    for (const session of sessions.splice(0)) {
      session.destroy();
    }
    await sleep(2000);
  };
  // The first streams compile the code.
  await open();
  await close();
  const before = await heapOf(server);
  await open();
  const after = await heapOf(server);
  await close();
  await server.process.stop();
  console.log(
    `an idle stream in both directions: ${((after - before) / IDLE_STREAMS / 1024).toFixed(1)} KiB of heap` +
      ` (${IDLE_STREAMS} streams on ${IDLE_STREAMS / STREAMS_PER_CONNECTION} connections)`,
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
  const server = await startProcess([...PEER, "engine-streams"]);
  const end = performance.now() + 3000;
  await waitTimes(server.url, () => performance.now() > end);
  const alone = performance.now() + 3000;
  console.log(
    `alone, a call takes: ${describe(await waitTimes(server.url, () => performance.now() > alone))}`,
  );
  let isOver = false;
  // Another process, so that this one only waits for the server.
  const reading = runOnLoadProcessor(process.execPath, [
    ...TYPESCRIPT_FLAGS,
    import.meta.filename,
    "read",
    server.url,
  ]).finally(() => {
    isOver = true;
  });
  const times = await waitTimes(server.url, () => isOver);
  const rate = Number(await reading);
  console.log(`while another client reads ${READ_BYTES / 1e6} MB: ${describe(times)}`);
  console.log(`that client reads ${(rate / 1e6).toFixed(0)} MB/s`);
  await server.stop();
}

const [, , command, url = ""] = process.argv;
if (command === "read") {
  console.log(await readAll(url));
} else {
  await measureIdle();
  await measureWait();
}
