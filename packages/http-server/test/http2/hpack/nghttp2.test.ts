import { sensitiveHeaders } from "node:http2";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { HpackDecoder } from "../../../src/http2/hpack/decoder.js";
import { encodeHeaders, encodeStatus } from "../../../src/http2/hpack/encoder.js";
import { STATIC_TABLE } from "../../../src/http2/hpack/static-table.js";
import { Nghttp2Client } from "./nghttp2-client.js";

/** How many random header lists are sent each way: HPACK_LISTS=100000 is a longer run. */
const LISTS = Number(process.env.HPACK_LISTS ?? 500);
const BATCH = 50;

let client: Nghttp2Client | undefined;

afterEach(() => client?.close());

/** Names that node:http2 does not treat in a way of its own. */
const PLAIN_NAMES = [
  ..."accept accept-charset accept-encoding accept-language allow authorization cache-control".split(" "),
  ..."content-disposition content-encoding content-language link range server vary via".split(" "),
  ..."grpc-timeout grpc-encoding x-request-id x-a x-b traceparent".split(" "),
];

function textOf(first: number, last: number, maxLength: number): fc.Arbitrary<string> {
  return fc
    .array(fc.integer({ min: first, max: last }), { maxLength })
    .map((codes) => String.fromCharCode(...codes.filter((code) => code !== 0x7f)).trim());
}

const VALUE = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom("", "a", "trailers", "gzip, deflate", "identity", "no-cache", "0"),
  },
  { weight: 4, arbitrary: textOf(0x20, 0x7e, 40) },
  { weight: 2, arbitrary: textOf(0x20, 0xff, 40).map((text) => text.replaceAll("\xa0", "")) },
  { weight: 1, arbitrary: textOf(0x30, 0x39, 9) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 5000 }).map((length) => "v".repeat(length)) },
);

const NAME = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PLAIN_NAMES) },
  { weight: 1, arbitrary: fc.stringMatching(/^x-[a-z0-9!#$%&'*+.^_`|~-]{1,20}$/) },
);

const FIELDS = fc.uniqueArray(fc.tuple(NAME, VALUE), { selector: ([name]) => name, maxLength: 12 });

const EXCHANGE = fc.record({
  method: fc.constantFrom("GET", "POST", "PATCH"),
  path: fc.oneof(
    fc.constantFrom("/", "/index.html", "/a.B/C"),
    textOf(0x21, 0x7e, 60).map((text) => `/${text}`),
  ),
  request: FIELDS,
  isSensitive: fc.boolean(),
  tableSize: fc.option(fc.constantFrom(0, 64, 512, 4096), { freq: 10 }),
  status: fc.integer({ min: 200, max: 599 }),
  response: FIELDS,
});

test(`${LISTS} header lists that nghttp2 encodes are decoded, and as many that are encoded here are decoded by nghttp2`, async () => {
  const decoder = new HpackDecoder({ maxHeaderBytes: 1_000_000, maxHeaderFields: 10_000 });
  const requests: (readonly string[] | undefined)[] = [];
  const responses: Uint8Array[] = [];
  const current = new Nghttp2Client((block) => {
    requests.push(decoder.decode(Buffer.from(block), 0, block.length)?.list);
    return responses.shift() ?? new Uint8Array(0);
  });
  client = current;
  const target = Buffer.alloc(100_000);
  for (let sent = 0; sent < LISTS; sent += BATCH) {
    const batch = fc.sample(EXCHANGE, { numRuns: BATCH, seed: sent + 1 });
    const received = await Promise.all(
      batch.map((exchange) => {
        const end = encodeHeaders(exchange.response.flat(), target, encodeStatus(exchange.status, target, 7));
        responses.push(Uint8Array.from(target.subarray(7, end)));
        if (exchange.tableSize !== null) current.setTableSize(exchange.tableSize);
        return current.request({
          ":method": exchange.method,
          ":path": exchange.path,
          ...Object.fromEntries(exchange.request),
          [sensitiveHeaders]: exchange.isSensitive ? exchange.request.slice(0, 2).map(([name]) => name) : [],
        });
      }),
    );
    for (const [i, { method, path, request, status, response }] of batch.entries()) {
      const expected = new Map([
        [":authority", "test:81"],
        [":method", method],
        [":path", path],
        [":scheme", "http"],
        ...request,
      ]);
      const list = requests[i] ?? [];
      expect(new Map(pairs(list))).toEqual(expected);
      expect(list.slice(8)).toEqual(request.flat());
      expect(received[i]).toEqual(new Map<string, unknown>([[":status", status], ...response]));
    }
    requests.length = 0;
  }
}, 3_600_000);

function encodeBlock(status: number, list: readonly string[]): Uint8Array {
  const target = new Uint8Array(100_000);
  return target.slice(0, encodeHeaders(list, target, encodeStatus(status, target, 0)));
}

function pairs(list: readonly string[]): [string, string][] {
  return Array.from({ length: list.length / 2 }, (_, i) => [list[2 * i] ?? "", list[2 * i + 1] ?? ""]);
}

test("nghttp2 decodes a response whose header block is longer than a frame", async () => {
  const response = Array.from({ length: 100 }, (_, i) => [`x-${i}`, `${i}`.repeat(150)] as const);
  const block = encodeBlock(200, response.flat());
  expect(block.length).toBeGreaterThan(16_384);
  client = new Nghttp2Client(() => block);
  expect(await client.request({})).toEqual(new Map<string, unknown>([[":status", 200], ...response]));
});

test("nghttp2 decodes a response with each entry of the static table", async () => {
  for (const [name, value] of STATIC_TABLE) {
    // What is a pseudo-header of requests, or belongs to a connection, nghttp2 does not accept in a response.
    if (/^(:(authority|method|path|scheme)|transfer-encoding|te|host|upgrade)$/.test(name)) continue;
    const text = name === "content-length" ? "0" : value;
    const status = name === ":status" ? Number(text) : 200;
    const list = name === ":status" ? [] : [name, text];
    const expected = new Map<string, unknown>([[":status", status], ...pairs(list)]);
    if (name === "set-cookie") expected.set("set-cookie", [text]);
    client?.close();
    client = new Nghttp2Client(() => encodeBlock(status, list));
    expect(await client.request({})).toEqual(expected);
  }
});
