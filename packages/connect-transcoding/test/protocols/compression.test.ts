import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { createClient } from "@connectrpc/connect";
import { compressionGzip, createGrpcTransport } from "@connectrpc/connect-node";
import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test } from "vitest";
import { CODINGS, negotiate } from "../../src/protocols/compression.js";
import { useOnePort } from "../support/servers.js";

// A text for which the qualities of Brotli differ.
const title = Array.from({ length: 2_000 }, (_, index) => (index * index) % 1_013).join(" ");
const server = useOnePort({
  routes: (router) =>
    router.service(ShelfService, { getBook: () => ({ title }), createBook: ({ book }) => book ?? {} }),
});

/** Returns the body of a Connect GET request as it is sent. */
async function get(coding: string): Promise<Buffer> {
  const target = `/${ShelfService.typeName}/GetBook?connect=v1&encoding=json&message={}`;
  const outgoing = request(`${server.url}${target}`, { headers: { "accept-encoding": coding } });
  return new Promise((resolve, reject) => {
    outgoing.on("response", (response) => resolve(buffer(response))).on("error", reject);
    outgoing.end();
  });
}

test.each<[string, (bytes: Buffer) => Buffer]>([
  ["br", (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ["gzip", (bytes) => gzipSync(bytes)],
])("compresses with %s at a quality for responses that are sent once", async (coding, compress) => {
  const plain = await get("identity");
  expect(JSON.parse(plain.toString())).toMatchObject({ title });
  expect((await get(coding)).equals(compress(plain))).toBe(true);
});

// Headers cannot have an unpaired surrogate.
test.each(["application/grpc-web+json", "application/grpc+json"])(
  "rejects an unpaired surrogate in place of an enum value in %s",
  async (type) => {
    const json = Buffer.from('{"book":{"genre":"\\ud800"}}');
    const prefix = Buffer.from([0, 0, 0, 0, json.length]);
    const response = await fetch(`${server.url}/${ShelfService.typeName}/CreateBook`, {
      method: "POST",
      headers: { "content-type": type, "grpc-accept-encoding": "gzip" },
      body: Buffer.concat([prefix, json]),
    });
    const isWeb = type.includes("web");
    const trailers = isWeb
      ? await response.text()
      : [...response.headers].map((pair) => pair.join(": ")).join();
    expect(response.status).toBe(200);
    expect(trailers).toContain("grpc-status: 3");
    expect(trailers).toContain("grpc-message: book.genre: has an unknown value; allowed: novel, essay");
  },
);

describe("negotiate", () => {
  const [br, gzip] = CODINGS;
  const own = [{ ...gzip, name: "gzip" }] as typeof CODINGS;
  test.each<
    [requested: string | undefined, accepted: string | undefined, request: unknown, response: unknown]
  >([
    [undefined, undefined, undefined, undefined],
    ["identity", undefined, undefined, undefined],
    ["gzip", undefined, gzip, gzip],
    ["GZIP", "", gzip, gzip],
    ["gzip", "identity", gzip, undefined],
    ["identity", "identity,deflate,gzip", undefined, gzip],
    [undefined, "deflate, BR ,gzip", undefined, br],
    ["br", "gzip", br, gzip],
  ])(
    "selects for a message in %s and a client that accepts %s, each time",
    (requested, accepted, request, response) => {
      for (const header of ["a", "a"]) {
        const { problem, ...selected } = negotiate(CODINGS, requested, accepted, header);
        expect(problem).toBeUndefined();
        expect(selected.request).toBe(request);
        expect(selected.response).toBe(response);
      }
    },
  );

  test("selects of the compressions of each method, with the same headers", () => {
    for (const available of [CODINGS, own, CODINGS]) {
      expect(negotiate(available, "gzip", "gzip", "a").request).toBe(available.at(-1));
    }
  });

  test("rejects an unknown compression with the header of each protocol", () => {
    for (const header of ["grpc-accept-encoding", "connect-accept-encoding"]) {
      const { problem } = negotiate(CODINGS, "zstd", "gzip", header);
      expect(problem?.rawMessage).toBe('unknown compression "zstd": supported encodings are br,gzip');
      expect(problem?.metadata.get(header)).toBe("br,gzip");
    }
  });
});

test.each([
  ["a short message", "short", "gzip"],
  ["a long message", title, "gzip"],
])("%s in gRPC arrives from and at a client with gzip", async (_, text, encoding) => {
  const transport = createGrpcTransport({
    baseUrl: server.url,
    sendCompression: compressionGzip,
    acceptCompression: [compressionGzip],
    compressMinBytes: 0,
  });
  const headers: (string | null)[] = [];
  const { title: received } = await createClient(ShelfService, transport).createBook(
    { book: { title: text } },
    { onHeader: (header) => headers.push(header.get("grpc-encoding")) },
  );
  expect(received).toBe(text);
  expect(headers).toStrictEqual([encoding]);
});
