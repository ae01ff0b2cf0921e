import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { expect, test } from "vitest";
import { useOnePort } from "../support/servers.js";

// A text for which the qualities of Brotli differ.
const title = Array.from({ length: 2_000 }, (_, index) => (index * index) % 1_013).join(" ");
const server = useOnePort({
  routes: (router) =>
    router.service(ShelfService, { getBook: () => ({ title }), createBook: () => ({ title }) }),
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
