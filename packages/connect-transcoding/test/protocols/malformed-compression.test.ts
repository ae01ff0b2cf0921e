import { brotliCompressSync, gzipSync } from "node:zlib";
import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test } from "vitest";
import { compressions as webCompressions } from "../../src/platform/web.js";
import { CODINGS, inflateWithin } from "../../src/protocols/compression.js";
import { useOnePort } from "../support/servers.js";

const LIMIT = 200_000;
const server = useOnePort({
  routes: (router) =>
    router.service(ShelfService, {
      createBook: ({ book }) => book ?? {},
      getBook: ({ name }) => ({ name }),
      async *watchBook({ name }) {
        yield { name };
      },
    }),
  readMaxBytes: LIMIT,
});

const MESSAGE = '{"name":"shelves/1/books/2"}';
const GZIP = gzipSync(MESSAGE);
// Incompressible, so that it is inflated asynchronously.
const NOISE = Array.from({ length: 90_000 }, (_, index) => Math.trunc(1e9 * Math.sin(index)) % 10).join("");
const LONG = gzipSync(`{"name":"${NOISE}"}`, { level: 0 });
const bytes = (...parts: (Uint8Array | string)[]) => Buffer.concat(parts.map((each) => Buffer.from(each)));
const withWrongSum = bytes(GZIP.subarray(0, -8), "12345678");

const ENDS = "ends within its gzip data";
const MORE = "has other data after its gzip data";
const DAMAGED = "has damaged gzip data";
const OTHER = "is not compressed with gzip";

/** Undefined: the body is too large. `onWeb` is the problem without Node. */
const cases: [what: string, body: Uint8Array, problem: string | undefined, onWeb?: string][] = [
  ["JSON", bytes(MESSAGE), OTHER],
  ["the start of the signature and something else", bytes([0x1f, 0x8b] as never, "x"), OTHER],
  ["another method than deflate", bytes(GZIP.subarray(0, 2), "\x07", GZIP.subarray(3)), OTHER],
  ["one byte", GZIP.subarray(0, 1), ENDS, DAMAGED],
  ["a part of the header", GZIP.subarray(0, 5), ENDS, DAMAGED],
  ["a part of the content", GZIP.subarray(0, -12), ENDS, DAMAGED],
  ["a part of the trailer", GZIP.subarray(0, -1), ENDS, DAMAGED],
  ["a part of a second member", bytes(GZIP, GZIP.subarray(0, 15)), ENDS, DAMAGED],
  ["a part of a long body", LONG.subarray(0, -9), ENDS, DAMAGED],
  ["one byte more", bytes(GZIP, "x"), MORE, DAMAGED],
  ["a line more", bytes(GZIP, "\n{}"), MORE, DAMAGED],
  ["zeros at the end", bytes(GZIP, "\0\0"), MORE],
  ["zeros and more", bytes(GZIP, "\0x"), MORE],
  ["zeros after a long body", bytes(LONG, "\0"), MORE],
  ["another checksum", withWrongSum, DAMAGED],
  ["content that is not deflate", bytes(GZIP.subarray(0, 10), "\xff\xff\xff\xff\xff"), DAMAGED],
  ["200,001 bytes", gzipSync(" ".repeat(LIMIT + 1)), undefined],
  ["100 MB", gzipSync(Buffer.alloc(100_000_000, " ")), undefined],
];

const envelope = (message: Uint8Array) => {
  const prefix = Buffer.alloc(5);
  prefix[0] = 1;
  prefix.writeUInt32BE(message.length, 1);
  return bytes(prefix, message);
};
const grpc = { "grpc-encoding": "gzip" };
const TOO_LARGE = `the message is too large; allowed: ${LIMIT} bytes`;

const connectError = (problem: string | undefined) =>
  problem === undefined
    ? `"code":"resource_exhausted","message":"${TOO_LARGE}"`
    : `"code":"invalid_argument","message":"the message ${problem}"`;
const GET_BOOK = `/${ShelfService.typeName}/GetBook`;
const JSON_IN_GZIP = { "content-type": "application/json", "content-encoding": "gzip" };

/** Requests, and what the response to one has, by its problem. */
const protocols: [string, path: string, Record<string, string>, (problem: string | undefined) => string][] = [
  [
    "REST",
    "/v1/shelves/1/books",
    JSON_IN_GZIP,
    (problem) =>
      problem === undefined
        ? `413 {"error":{"code":413,"status":"RESOURCE_EXHAUSTED","message":"the request body is too large; allowed: ${LIMIT} bytes"`
        : `400 {"error":{"code":400,"status":"INVALID_ARGUMENT","message":"the body ${problem}"`,
  ],
  [
    "gRPC",
    GET_BOOK,
    { "content-type": "application/grpc+json", ...grpc },
    (problem) => (problem === undefined ? `200 8 ${TOO_LARGE}` : `200 3 the message ${problem}`),
  ],
  [
    "gRPC-Web",
    GET_BOOK,
    { "content-type": "application/grpc-web+json", ...grpc },
    (problem) =>
      problem === undefined
        ? `grpc-message: ${TOO_LARGE}\r\ngrpc-status: 8`
        : `grpc-message: the message ${problem}\r\ngrpc-status: 3`,
  ],
  ["Connect unary", GET_BOOK, JSON_IN_GZIP, connectError],
  [
    "Connect streaming",
    `/${ShelfService.typeName}/WatchBook`,
    { "content-type": "application/connect+json", "connect-content-encoding": "gzip" },
    connectError,
  ],
];

describe.each(protocols)("%s", (_name, path, headers, outcome) => {
  test.each(cases)("rejects %s", async (_what, content, problem) => {
    const body = Buffer.from(headers === JSON_IN_GZIP ? content : envelope(content));
    const response = await fetch(server.url + path, { method: "POST", headers, body });
    const [code, message] = ["grpc-status", "grpc-message"].map((name) => response.headers.get(name));
    const text = [response.status, code, message, await response.text()].filter((each) => each !== null);
    expect(text.join(" ")).toContain(outcome(problem));
  });
});

// Node's `DecompressionStream` ignores zeros at the end, against the standard.
test.each(cases.filter(([what]) => !what.startsWith("zeros")))(
  "without Node: %s",
  async (_what, body, problem, onWeb = problem) => {
    const [gzip] = webCompressions;
    const inflated = async () =>
      inflateWithin(
        gzip as (typeof webCompressions)[number],
        body,
        LIMIT,
        (found) => new Error(found) as never,
      );
    await expect(inflated()).rejects.toThrow(new Error(onWeb));
  },
);

test.each<[what: string, body: Uint8Array, problem: string]>([
  ["JSON", bytes(MESSAGE), "has damaged br data"],
  ["a part", brotliCompressSync(MESSAGE).subarray(0, -3), "has damaged br data"],
  ["more", bytes(brotliCompressSync(MESSAGE), "x"), "has other data after its br data"],
])("brotli: %s", (_what, body, problem) => {
  const br = CODINGS.find(({ name }) => name === "br");
  expect(() => br?.decompress(body, LIMIT)).toThrow(`the message ${problem}`);
});
