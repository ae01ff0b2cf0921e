import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { BookSchema, GetBookRequestSchema } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { useOnePort } from "../support/servers.js";

let open = 0;
let received = 0;
const server = useOnePort({
  readMaxBytes: 4_000_000,
  routes: shelfRoutes({
    async *watchBook({ name }) {
      open += 1;
      try {
        for (;;) {
          yield { name, title: "x".repeat(1000) };
        }
      } finally {
        open -= 1;
      }
    },
    async collectBooks(requests) {
      open += 1;
      try {
        for await (const _request of requests) {
          received += 1;
        }
        return { books: [] };
      } finally {
        open -= 1;
      }
    },
    async *exchangeBooks(requests) {
      open += 1;
      try {
        for await (const { name } of requests) {
          yield create(BookSchema, { name });
        }
      } finally {
        open -= 1;
      }
    },
  }),
});
let session: ClientHttp2Session;
beforeAll(() => {
  session = connect(server.url);
});
afterAll(() => session.destroy());

/** Short data that inflates to 100 MB and more. */
const BOMBS: readonly [coding: string, bytes: Buffer][] = [
  ["gzip", gzipSync(Buffer.alloc(200_000_000), { level: 1 })],
  // Quality 11 takes two seconds for no byte less.
  ["br", brotliCompressSync(Buffer.alloc(100_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })],
];

const TYPES = ["application/grpc", "application/grpc-web", "application/connect+proto"];

function call(method: string, type: string, headers: Record<string, string> = {}): ClientHttp2Stream {
  const path = `/${ShelfService.typeName}/${method}`;
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": type, ...headers });
  return stream.on("error", () => {});
}

/** Everything that a client of any of the protocols sees of the outcome, as text. */
function outcomeOf(stream: ClientHttp2Stream): Promise<string> {
  let seen = "";
  return new Promise((resolve) => {
    stream.on("response", (headers) => {
      seen += JSON.stringify(headers);
    });
    stream.on("trailers", (headers) => {
      seen += JSON.stringify(headers);
    });
    stream.on("data", (part: Buffer) => {
      seen += part.toString("latin1");
    });
    stream.on("close", () => resolve(seen));
  });
}

function framed(message: Uint8Array, flags = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

const EXHAUSTED = new RegExp(`resource_exhausted|grpc-status"?: ?"?${Code.ResourceExhausted}`);
const usedBytes = () => process.memoryUsage().rss;

describe.each(TYPES)("%s", (type) => {
  const encoding = type.includes("connect") ? "connect-content-encoding" : "grpc-encoding";

  test.each(BOMBS)("a bomb of %s is rejected before it is inflated", async (coding, bomb) => {
    const before = usedBytes();
    const stream = call("CollectBooks", type, { [encoding]: coding });
    const outcome = outcomeOf(stream);
    stream.end(framed(bomb, 1));
    expect(await outcome).toMatch(EXHAUSTED);
    expect(usedBytes() - before).toBeLessThan(100_000_000);
  });

  test("a message that never ends is rejected by its prefix if it is too long, and waits otherwise", async () => {
    const long = call("CollectBooks", type);
    const outcome = outcomeOf(long);
    long.write(framed(new Uint8Array(10)).fill(0xff, 1, 5));
    expect(await outcome).toMatch(EXHAUSTED);
    const slow = call("CollectBooks", type);
    const prefix = framed(new Uint8Array(0));
    prefix.writeUInt32BE(3_999_999, 1);
    slow.write(prefix);
    for (let sent = 0; sent < 2000; sent++) {
      slow.write(Buffer.alloc(1));
    }
    await expect.poll(() => open).toBe(1);
    slow.close(8);
    await expect.poll(() => open).toBe(0);
  });

  test("a hundred thousand empty messages are read one by one", async () => {
    received = 0;
    const before = usedBytes();
    const stream = call("CollectBooks", type);
    const outcome = outcomeOf(stream);
    stream.end(Buffer.concat(Array.from({ length: 100_000 }, () => framed(new Uint8Array(0)))));
    await outcome;
    expect(received).toBe(100_000);
    expect(usedBytes() - before).toBeLessThan(150_000_000);
  });

  test("a client that does not read stops the handler, and ends it when it cancels", async () => {
    const stream = call("WatchBook", type).pause();
    stream.end(framed(toBinary(GetBookRequestSchema, create(GetBookRequestSchema, { name: "a" }))));
    await expect.poll(() => open).toBe(1);
    const other = call("WatchBook", type, { "grpc-timeout": "500m", "connect-timeout-ms": "500" });
    const outcome = outcomeOf(other);
    other.end(framed(new Uint8Array(0)));
    expect(await outcome).toContain("x".repeat(1000));
    stream.close(8);
    await expect.poll(() => open).toBe(0);
  });

  test.each([0, 1, 7, 14])("a call that is cancelled after %i bytes leaves no handler", async (length) => {
    for (const method of ["WatchBook", "CollectBooks", "ExchangeBooks"]) {
      const message = framed(toBinary(GetBookRequestSchema, create(GetBookRequestSchema, { name: "a" })));
      const body = Buffer.concat([message, message]);
      const stream = call(method, type);
      stream.write(body.subarray(0, length));
      await new Promise((resolve) => setTimeout(resolve, 10));
      stream.close(8);
    }
    await expect.poll(() => open).toBe(0);
  });
});
