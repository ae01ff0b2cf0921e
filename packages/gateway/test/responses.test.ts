import type { OutgoingHttpHeaders } from "node:http2";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { call, frameOf, gatewayToRaw, type RawHandler, respond } from "./support/raw.js";

/** A Book with a name, and what it is in JSON. */
const BOOK = Buffer.from("\x0a\x03abc");
const JSON_BOOK = expect.objectContaining({ name: "abc" });

const GZIP = { "grpc-encoding": "gzip" };

/** Answers every call with a body. */
function answer(
  body: Uint8Array,
  headers: OutgoingHttpHeaders = {},
  trailers: OutgoingHttpHeaders = { "grpc-status": "0" },
): RawHandler {
  return (stream) => respond(stream, body, trailers, headers);
}

describe("REST", () => {
  test.each<[string, Buffer, OutgoingHttpHeaders, number, unknown]>([
    ["a message", frameOf(BOOK), {}, 200, JSON_BOOK],
    ["a compressed message", frameOf(gzipSync(BOOK), 1), GZIP, 200, JSON_BOOK],
    ["a plain message of a call that compresses", frameOf(BOOK), GZIP, 200, JSON_BOOK],
    ["no message", Buffer.alloc(0), {}, 501, "the upstream server has sent no message"],
    [
      "two messages",
      Buffer.concat([frameOf(BOOK), frameOf(BOOK)]),
      {},
      501,
      "the upstream server has sent more than one message",
    ],
    [
      "a part of a message",
      frameOf(BOOK).subarray(0, -1),
      {},
      500,
      "the response of the upstream server ends within a message",
    ],
    ["unknown flags", frameOf(BOOK, 2), {}, 500, "the upstream server has sent the flags 2"],
    ["a malformed message", frameOf("\x0a\x09"), {}, 500, "the upstream server has sent a malformed message"],
    ["malformed gzip", frameOf("gzip?", 1), GZIP, 500, "the upstream server has sent malformed gzip"],
    [
      "an unknown compression",
      frameOf(BOOK, 1),
      { "grpc-encoding": "zstd" },
      500,
      "the upstream server has sent a message compressed by zstd",
    ],
    [
      "a large message",
      frameOf(Buffer.alloc(1_001)),
      {},
      429,
      "the upstream server has sent a message of more than 1000 bytes",
    ],
    [
      "a compressed large message",
      frameOf(gzipSync(Buffer.alloc(100_000)), 1),
      GZIP,
      429,
      "the upstream server has sent a message of more than 1000 bytes",
    ],
  ])("%s", async (_name, body, headers, status, expected) => {
    const url = await gatewayToRaw(answer(body, headers), { maxResponseBytes: 1_000 });
    const response = await fetch(`${url}/v1/shelves/1/books/2`);
    const json = (await response.json()) as { readonly error?: { readonly message: string } };
    expect([response.status, json.error?.message ?? json]).toEqual([status, expected]);
  });

  test.each(["x", "0x5", "1e1", "5.0", "+5", "-1", "17", "99"])(
    "the status %s, which gRPC does not have",
    async (status) => {
      const url = await gatewayToRaw(
        answer(Buffer.alloc(0), {}, { "grpc-status": status, "x-trailer": "a" }),
      );
      const response = await fetch(`${url}/v1/shelves/1/books/2`);
      const message = `the upstream server has sent the status ${status}`;
      expect([response.status, response.headers.get("x-trailer"), await response.json()]).toMatchObject([
        500,
        "a",
        { error: { status: "UNKNOWN", message } },
      ]);
      for (const method of ["GetBook", "WatchBook"]) {
        const { trailers } = await call(url, method, frameOf(BOOK));
        expect(trailers).toMatchObject({ "grpc-status": "2", "grpc-message": message, "x-trailer": "a" });
      }
    },
  );

  // RFC 9110, section 8.3.1: types have no case, and white space can precede a parameter.
  test.each(["Application/gRPC", "application/grpc ; charset=utf-8", "application/grpc+proto"])(
    "the content type %s",
    async (type) => {
      const url = await gatewayToRaw(answer(frameOf(BOOK), { "content-type": type }));
      expect((await fetch(`${url}/v1/shelves/1/books/2`)).status).toBe(200);
    },
  );

  test("a message that arrives byte by byte", async () => {
    const frame = frameOf(BOOK);
    const url = await gatewayToRaw(async (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      for (const byte of frame) {
        await new Promise((resolve) => stream.write(Buffer.from([byte]), resolve));
      }
      stream.end();
    });
    expect(await (await fetch(`${url}/v1/shelves/1/books/2`)).json()).toEqual(JSON_BOOK);
  });

  test("a stream with compressed messages", async () => {
    const body = Buffer.concat([frameOf(BOOK), frameOf(gzipSync(BOOK), 1), frameOf(BOOK)]);
    const url = await gatewayToRaw(answer(body, GZIP));
    const response = await fetch(`${url}/v1/shelves/1/books/2:watch`);
    expect(await response.json()).toEqual([JSON_BOOK, JSON_BOOK, JSON_BOOK]);
  });

  test("binary metadata, and a message with characters beyond ASCII", async () => {
    const trailers = {
      "grpc-status": "5",
      "grpc-message": "100%25 „weg“".replace(/[„“]/g, encodeURIComponent),
    };
    const url = await gatewayToRaw(answer(Buffer.alloc(0), { "x-bytes-bin": "AAEC" }, trailers));
    const response = await fetch(`${url}/v1/shelves/1/books/2`);
    expect([response.status, response.headers.get("x-bytes-bin")]).toEqual([404, "AAEC"]);
    expect(await response.json()).toMatchObject({ error: { message: "100% „weg“" } });
  });
});

/** How often a piece of metadata is in a response, its trailers included. */
const count = (response: unknown, text: string) => JSON.stringify(response).split(text).length - 1;

test.each([
  ["WatchBook", ":watch"],
  ["GetBook", ""],
])("metadata of a call of %s that fails before its first message arrives once", async (method, verb) => {
  const trailers = { "grpc-status": "5", "x-trailer": "last" };
  const url = await gatewayToRaw(answer(Buffer.alloc(0), { "x-head": "once" }, trailers));
  const responses = [
    await call(url, method, frameOf(BOOK)),
    ...(await Promise.all(
      [
        fetch(`${url}/v1/shelves/1/books/2${verb}`),
        fetch(`${url}/test.Service/${method}`, {
          method: "POST",
          headers: { "content-type": verb === "" ? "application/json" : "application/connect+json" },
          body: verb === "" ? "{}" : frameOf("{}"),
        }),
      ].map(async (response) => [...(await response).headers, await (await response).text()]),
    )),
  ];
  expect(responses.map((each) => ["once", "last"].map((text) => count(each, text)))).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
});

test("metadata of a response without messages, and reserved names in it, arrive once at most", async () => {
  const url = await gatewayToRaw((stream) => {
    stream.resume();
    const head = { "content-type": "application/grpc+proto", "grpc-status": "0", "grpc-foo": "reserved" };
    stream.respond({ ":status": 200, ...head, "x-trailer": "once" }, { endStream: true });
  });
  const headers = { "content-type": "application/connect+json" };
  const body = frameOf("{}");
  const responses = [
    await call(url, "WatchBook", frameOf(BOOK)),
    ...(await Promise.all(
      [
        fetch(`${url}/v1/shelves/1/books/2:watch`),
        fetch(`${url}/test.Service/WatchBook`, { method: "POST", headers, body }),
      ].map(async (response) => {
        const { status, headers: given } = await response;
        return [status, ...given, await (await response).text()];
      }),
    )),
  ];
  expect(
    responses.map((each) => ["once", "reserved", "application/"].map((text) => count(each, text))),
  ).toEqual([
    [1, 0, 1],
    [0, 0, 1],
    [1, 0, 1],
  ]);
});
