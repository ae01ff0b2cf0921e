import {
  Code,
  createClient,
  createContextKey,
  createContextValues,
  type Transport,
} from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { createTransport as createConnect } from "@connectrpc/connect/protocol-connect";
import { createTransport as createGrpc } from "@connectrpc/connect/protocol-grpc";
import { createTransport as createGrpcWeb } from "@connectrpc/connect/protocol-grpc-web";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { clientAddressKey } from "../../src/call/context-keys.js";
import type { RequestRecord } from "../../src/call/http/request-record.js";
import { createTranscodingHandler, type TranscodingHandlerOptions } from "../../src/hosts/fetch.js";

const BASE_URL = "https://library.example";
const BOOK = "shelves/1/books/2";

const records: RequestRecord[] = [];
beforeEach(() => {
  records.length = 0;
});

const handlerOf = (options: Partial<TranscodingHandlerOptions> = {}) =>
  createTranscodingHandler({
    routes: shelfRoutes(),
    transcoding: { observers: [{ onEnd: (record) => records.push(record) }] },
    ...options,
  });
const handle = handlerOf();
const get = (path: string, init?: RequestInit) => handle(new Request(BASE_URL + path, init));

/** The parts of a body. connect-es needs the `throw` of a generator. */
async function* readAll(body: Response["body"]): AsyncIterable<Uint8Array> {
  if (body !== null) {
    yield* body;
  }
}

/** The transports of connect-es, with the handler in place of the network. */
function transportOf(create: typeof createConnect, serve = handle): Transport {
  return create({
    httpClient: async ({ url, method, header, body = createAsyncIterable<Uint8Array>([]), signal }) => {
      const parts: Uint8Array[] = [];
      for await (const part of body) {
        parts.push(part);
      }
      const init = { method, headers: header, body: Buffer.concat(parts), ...(signal && { signal }) };
      const response = await serve(new Request(url, init));
      return {
        status: response.status,
        header: response.headers,
        body: readAll(response.body),
        trailer: new Headers(),
      };
    },
    baseUrl: BASE_URL,
    useBinaryFormat: true,
    interceptors: [],
    acceptCompression: [],
    sendCompression: null,
    compressMinBytes: 1024,
    readMaxBytes: 0xffff_ffff,
    writeMaxBytes: 0xffff_ffff,
  });
}

describe.each([
  ["Connect", createConnect],
  ["gRPC-Web", createGrpcWeb],
])("a client of %s", (name, create) => {
  const client = createClient(ShelfService, transportOf(create));

  test("makes unary calls", async () => {
    const header = new Headers();
    const trailer = new Headers();
    const book = await client.getBook(
      { name: BOOK },
      {
        headers: { "x-reader": "Zoe" },
        onHeader: (each) => each.forEach((value, key) => void header.set(key, value)),
        onTrailer: (each) => each.forEach((value, key) => void trailer.set(key, value)),
      },
    );
    expect(book).toMatchObject({ name: BOOK, title: "read by Zoe" });
    expect([header.get("x-shelf"), trailer.get("x-returned")]).toEqual(["Zoe", "Zoe"]);
    expect(records).toMatchObject([{ status: 200, code: undefined, protocol: name.toLowerCase() }]);
  });

  test("receives streams", async () => {
    const pages: number[] = [];
    for await (const book of client.watchBook({ name: BOOK })) {
      pages.push(book.pages);
    }
    expect(pages).toEqual([1, 2, 3]);
  });

  test("receives errors", async () => {
    await expect(client.getBook({ name: "shelves/1/books/plain" })).rejects.toMatchObject({
      code: Code.Unavailable,
      rawMessage: "closed",
    });
    const readAll = async () => {
      for await (const book of client.watchBook({ name: "shelves/1/books/plain" })) {
        expect(book.pages).toBeGreaterThan(0);
      }
    };
    await expect(readAll()).rejects.toMatchObject({ code: Code.Unavailable });
  });
});

test("serves routes", async () => {
  const response = await get(`/v1/${BOOK}`, { headers: { "x-reader": "Zoe" } });
  expect([response.status, response.headers.get("x-shelf")]).toEqual([200, "Zoe"]);
  expect(await response.json()).toMatchObject({ name: BOOK, title: "read by Zoe" });
  const head = await get(`/v1/${BOOK}`, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  const missing = await get("/v1/nothing");
  expect([missing.status, await missing.json()]).toMatchObject([404, { error: { status: "NOT_FOUND" } }]);
});

test("serves streams over routes", async () => {
  const response = await get(`/v1/${BOOK}:watch`);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(await response.json()).toHaveLength(3);
});

test("reads bodies, also those without a length, and rejects long ones", async () => {
  const create = (body: string | ReadableStream, options: object = {}) =>
    handlerOf({ readMaxBytes: 100 })(
      new Request(`${BASE_URL}/v1/shelves/1/books`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        ...options,
      }),
    );
  const created = await create('{"name":"3"}');
  expect([created.status, await created.json()]).toMatchObject([200, { name: "shelves/1/books/3" }]);
  const parts = (count: number) => new Blob([JSON.stringify({ name: "x".repeat(count) })]).stream();
  expect((await create(parts(10), { duplex: "half" })).status).toBe(200);
  const long = await create(parts(200), { duplex: "half" });
  expect([long.status, await long.json()]).toMatchObject([413, { error: { status: "RESOURCE_EXHAUSTED" } }]);
});

test("gRPC fails with an error that clients understand, because there are no trailers", async () => {
  const client = createClient(ShelfService, transportOf(createGrpc as typeof createConnect));
  await expect(client.getBook({ name: BOOK })).rejects.toMatchObject({
    code: Code.Unimplemented,
    rawMessage: "this server cannot send the HTTP trailers of gRPC; use gRPC-Web or Connect",
  });
});

test("bidirectional streams are refused", async () => {
  const headers = { "content-type": "application/connect+proto" };
  const path = `/${ShelfService.typeName}/ExchangeBooks`;
  expect((await get(path, { method: "POST", headers, body: new Uint8Array(5) })).status).toBe(505);
});

test("a request that is aborted rejects, and aborts the signal of the handler", async () => {
  const controller = new AbortController();
  let reason: unknown;
  const serve = handlerOf({
    routes: shelfRoutes({
      getBook: (_request, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => {
            reason = signal.reason;
          });
          controller.abort();
        }),
    }),
  });
  const request = new Request(`${BASE_URL}/v1/${BOOK}`, { signal: controller.signal });
  await expect(serve(request)).rejects.toThrow("the request was aborted");
  expect(reason).toMatchObject({ code: Code.Canceled });
  expect(records).toMatchObject([{ status: 499, code: Code.Canceled }]);
});

test("a client that stops reading ends the stream of the handler", async () => {
  const ended = vi.fn();
  const serve = handlerOf({
    routes: shelfRoutes({
      async *watchBook({ name }) {
        try {
          for (;;) {
            yield { name, title: "x".repeat(10_000) };
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
        } finally {
          ended();
        }
      },
    }),
  });
  const response = await serve(new Request(`${BASE_URL}/v1/${BOOK}:watch`));
  const reader = response.body?.getReader();
  expect((await reader?.read())?.value?.length).toBeGreaterThan(10_000);
  await reader?.cancel();
  await expect.poll(() => ended.mock.calls.length).toBe(1);
});

test("a handler waits while the client does not read", async () => {
  let sent = 0;
  const serve = handlerOf({
    routes: shelfRoutes({
      async *watchBook({ name }) {
        for (; sent < 10_000; sent++) {
          yield { name, title: "x".repeat(10_000) };
        }
      },
    }),
  });
  const response = await serve(new Request(`${BASE_URL}/v1/${BOOK}:watch`));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(sent).toBeLessThan(100);
  await response.body?.cancel();
});

test("options read the request: the client's address and context values", async () => {
  const key = createContextKey("");
  const seen: string[] = [];
  const serve = handlerOf({
    routes: shelfRoutes({
      getBook: (_request, { values }) => {
        seen.push(values.get(clientAddressKey), values.get(key));
        return {};
      },
    }),
    clientAddress: (request) => request.headers.get("x-real-ip") ?? "",
    contextValues: (request) => createContextValues().set(key, request.headers.get("x-tenant") ?? ""),
  });
  const headers = { "x-real-ip": "192.0.2.1", "x-tenant": "one" };
  await serve(new Request(`${BASE_URL}/v1/${BOOK}`, { headers }));
  expect(seen).toEqual(["192.0.2.1", "one"]);
});

test("other paths go to the fallback, with the headers of the server", async () => {
  const serve = handlerOf({
    fallback: (request) => new Response(new URL(request.url).pathname, { status: 418 }),
    transcoding: { requestIds: true },
  });
  const response = await serve(new Request(`${BASE_URL}/other`));
  expect([response.status, await response.text()]).toEqual([418, "/other"]);
  expect(response.headers.get("x-request-id")).toBeTruthy();
});

test("a body that has been read already is an error at once", async () => {
  const request = new Request(`${BASE_URL}/v1/shelves/1/books`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  await request.text();
  const response = await handle(request);
  expect([response.status, await response.json()]).toMatchObject([
    500,
    { error: { details: [{ reason: "BODY_CONSUMED" }] } },
  ]);
});
