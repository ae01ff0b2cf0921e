import { fork, type Serializable } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import v8 from "node:v8";
import vm from "node:vm";
import { TLS } from "connect-transcoding-testing/files.js";
import {
  END_HEADERS,
  END_STREAM,
  FRAME,
  fieldBlock,
  frame,
  PREFACE,
} from "connect-transcoding-testing/raw-http2.js";
import { afterAll, expect, test } from "vitest";
import type { ServerRequest } from "../../src/request.js";
import { createHttpServer } from "../../src/server.js";

// Holds the budget against the memory of the process: what it says must not be less than two thirds of the growth.

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc") as () => void;

/** Handlers by path: what they do with a request. */
const HANDLERS: Readonly<Record<string, (request: ServerRequest) => void>> = {
  "/wait": () => {},
  "/read": (request) => request.readBody(1_000_000, () => {}),
  "/parts": (request) => {
    request.openBody(() => {});
  },
  "/stream": (request) => {
    request.openResponse(200, []).write(Buffer.from("a"), () => {});
  },
  "/large": (request) => {
    request.respond(200, [], Buffer.alloc(8_000_000));
  },
  "/": (request) => {
    request.readBody(1_000_000, () => request.respond(200, [], "ok"));
  },
};

const HOST = "Host: a\r\n";
const FIELDS = "a:\r\n".repeat(95);

function http1(line: string, rest = ""): string[] {
  return [`${line} HTTP/1.1\r\n${HOST}${rest}\r\n`];
}

function http2(...frames: readonly Buffer[]): string[] {
  return [Buffer.concat([PREFACE, frame(FRAME.SETTINGS, 0, 0), ...frames]).toString("latin1")];
}

const START = [
  [":method", "POST"],
  [":scheme", "http"],
  [":authority", "a"],
] as const;

/** The block of a request with fields that are all different. */
function block(path: string, fields: number, seed: number): Buffer {
  const extra = Array.from({ length: fields }, (_, index) => [`n${seed}-${index}`, ""] as const);
  return fieldBlock([...START, [":path", path], ...extra]);
}

/** The same, added to the dynamic table. */
function indexedBlock(seed: number): Buffer {
  const added = Array.from({ length: 60 }, (_, index) => {
    const name = `${seed.toString(36)}${index.toString(36)}`;
    return Buffer.concat([Buffer.from([0x40, name.length]), Buffer.from(name), Buffer.from([0])]);
  });
  return Buffer.concat([fieldBlock([...START, [":path", "/"]]), ...added]);
}

/** Ten requests on a connection. */
function requests(path: string, fields: number, flags: number, body: readonly Buffer[] = []): Buffer[] {
  return Array.from({ length: 10 }, (_, index) => [
    frame(FRAME.HEADERS, flags, 2 * index + 1, block(path, fields, index)),
    ...body.map((part) => frame(FRAME.DATA, 0, 2 * index + 1, part)),
  ]).flat();
}

const client = fork(join(import.meta.dirname, "holding-client.mjs"));
afterAll(() => client.disconnect());

/** Holds connections in the process of the client, instead of those of the previous call. */
async function hold(held: Serializable): Promise<void> {
  client.send(held);
  await once(client, "message");
}

const ALL = END_HEADERS | END_STREAM;
const BODY = Buffer.alloc(3_000, "x");

test.each<[thing: string, connections: number, parts: readonly string[], alpn?: string]>([
  ["a connection without a request", 300, []],
  ["a connection with TLS", 200, [], "http/1.1"],
  ["an idle HTTP/1.1 connection", 300, http1("GET /", FIELDS)],
  ["an idle HTTP/2 connection", 300, http2(frame(FRAME.HEADERS, ALL, 1, block("/", 0, 1)))],
  [
    "an idle HTTP/2 connection with a full table",
    300,
    http2(...[1, 2, 3].map((seed) => frame(FRAME.HEADERS, ALL, 2 * seed - 1, indexedBlock(seed)))),
  ],
  ["an incomplete head", 300, [`GET / HTTP/1.1\r\n${HOST}a: ${"x".repeat(8_000)}`]],
  ["a head in pieces", 50, ["GET / HTTP/1.1\r\n", ..."a: b\r\n".repeat(50)]],
  ["an incomplete header block", 300, http2(frame(FRAME.HEADERS, END_STREAM, 1, block("/", 95, 1)))],
  [
    "a header block in pieces",
    300,
    http2(
      frame(FRAME.HEADERS, END_STREAM, 1, block("/", 0, 1)),
      ...Array.from({ length: 30 }, () => frame(FRAME.CONTINUATION, 0, 1, Buffer.from([0x82]))),
    ),
  ],
  ["an open HTTP/1.1 request", 300, http1("GET /wait")],
  ["an open HTTP/1.1 request with many fields", 300, http1("GET /wait", FIELDS)],
  ["an open HTTP/1.1 stream", 300, http1("GET /stream")],
  ["open HTTP/2 requests", 100, http2(...requests("/wait", 0, ALL))],
  ["open HTTP/2 requests with many fields", 50, http2(...requests("/wait", 90, ALL))],
  ["open HTTP/2 streams", 100, http2(...requests("/stream", 0, ALL))],
  ["an incomplete body", 300, [...http1("POST /read", "Content-Length: 100000\r\n"), "x".repeat(20_000)]],
  ["an unread body", 300, [...http1("POST /wait", "Content-Length: 100000\r\n"), "x".repeat(20_000)]],
  [
    "a body that is not taken",
    300,
    [...http1("POST /parts", "Content-Length: 100000\r\n"), "x".repeat(20_000)],
  ],
  [
    "a chunked body in small chunks",
    300,
    [...http1("POST /read", "Transfer-Encoding: chunked\r\n"), "1\r\nx\r\n".repeat(5_000)],
  ],
  ["incomplete HTTP/2 bodies", 100, http2(...requests("/read", 0, END_HEADERS, [BODY, BODY]))],
  ["unread HTTP/2 bodies", 100, http2(...requests("/wait", 0, END_HEADERS, [BODY, BODY]))],
  [
    "pipelined requests behind an open one",
    100,
    [...http1("GET /wait"), http1("GET /").join("").repeat(2_000)],
  ],
  ["a response that is not read", 10, http1("GET /large")],
  ["HTTP/2 responses that are not read", 1, http2(...requests("/large", 0, ALL))],
])("the budget counts %s", async (_, connections, parts, alpn) => {
  const pair = {
    cert: readFileSync(join(TLS, "first-cert.pem")),
    key: readFileSync(join(TLS, "first-key.pem")),
  };
  const server = createHttpServer({
    maxHeldBytes: 1024 ** 3,
    tls: alpn === undefined ? undefined : { current: pair, onChange: () => {} },
    onRequest: (request) => HANDLERS[request.target]?.(request),
  });
  const { port } = await server.listen("127.0.0.1", 0);
  const before = await memory();
  await hold({ port, connections, parts, alpn });
  await expect.poll(() => server.connections).toBe(connections);
  await untilStable(() => server.heldBytes);
  // On a busy machine, the last requests are over later than they are counted.
  const uncounted = async () => (await memory()) - before - 1.5 * server.heldBytes;
  await expect.poll(uncounted).toBeLessThanOrEqual(200_000);
  await hold({ port, connections: 0, parts: [], alpn });
  await server.close(0);
  await expect.poll(() => server.heldBytes).toBe(0);
});

/** Resolves when a value has not changed for some time. */
async function untilStable(value: () => number): Promise<void> {
  let latest: number | undefined;
  for (let equal = 0; equal < 4; equal = value() === latest ? equal + 1 : 0) {
    latest = value();
    await wait(20);
  }
}

/** The bytes of memory of this process, after several collections: some finalizers run in between. */
async function memory(): Promise<number> {
  for (let times = 0; times < 3; times++) {
    collect();
    await wait(10);
  }
  const { heapUsed, external } = process.memoryUsage();
  // `external` includes `arrayBuffers`.
  return heapUsed + external;
}
