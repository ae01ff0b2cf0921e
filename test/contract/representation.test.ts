import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { sendHttp2 } from "./raw-http.js";
import { useServer } from "./serve.js";

const server = useServer();
const LIST = "/v1/countries";
const GENERATE = `/v1/otp?type=time_based&action=generate&label=${"x".repeat(128)}`;

/** Sends a request without decompressing the response. */
async function get(target: string, headers: Record<string, string> = {}, method = "GET") {
  const outgoing = request(`${server.url}${target}`, { method, headers });
  outgoing.end();
  const [response] = await new Promise<[import("node:http").IncomingMessage]>((resolve, reject) => {
    outgoing.once("response", (incoming) => resolve([incoming]));
    outgoing.once("error", reject);
  });
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

describe("compression", () => {
  test.each([
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const)("%s gives the same text in less space", async (coding, decompress) => {
    const plain = await get(LIST);
    const compressed = await get(LIST, { "accept-encoding": coding });
    expect(compressed.headers).toMatchObject({
      "content-encoding": coding,
      vary: "accept-encoding",
      etag: plain.headers.etag,
      "content-length": String(compressed.body.length),
    });
    expect(decompress(compressed.body).equals(plain.body)).toBe(true);
    expect(compressed.body.length).toBeLessThan(plain.body.length / 3);
  });

  test("is only done on request, and announced with Vary", async () => {
    const { headers } = await get(LIST);
    expect([headers["content-encoding"], headers.vary]).toEqual([undefined, "accept-encoding"]);
  });

  test.each([
    ["a short response", "/v1/geoIp?ip_address=8.8.8.8", "GET"],
    ["an image", `/v1/barcode?type=qr_code&format=png&data=${"x".repeat(2000)}`, "GET"],
    ["a response with a secret", GENERATE, "POST"],
    ["an error", `/v1/geoIp?${Array.from({ length: 50 }, (_, index) => `x${index}=1`).join("&")}`, "GET"],
  ])("leaves %s alone", async (_name, target, method) => {
    const { headers } = await get(target, { "accept-encoding": "gzip, br" }, method);
    expect([headers["content-encoding"], headers.vary]).toEqual([undefined, undefined]);
  });
});

describe("entity tags", () => {
  test.each([LIST, "/v1/countries?country=FR", "/v1/geoIp?ip_address=8.8.8.8"])(
    "of GET %s",
    async (target) => {
      const first = await get(target);
      expect(first.headers.etag).toMatch(/^W\/".+"$/);
      const again = await get(target, { "if-none-match": String(first.headers.etag) });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, first.headers.etag]);
      expect(again.headers["content-type"]).toBeUndefined();
      expect((await get(target, { "if-none-match": '"other"' })).status).toBe(200);
      expect((await get(target, { "if-none-match": String(first.headers.etag) }, "HEAD")).status).toBe(304);
    },
  );

  test.each([
    ["a method with side effects", GENERATE, "POST"],
    ["a response with no-store", "/v1/barcode?type=qr_code&data=x", "GET"],
    ["an error", "/v1/geoIp?ip_address=x", "GET"],
  ])("are not on %s", async (_name, target, method) => {
    expect((await get(target, { "if-none-match": "*" }, method)).headers.etag).toBeUndefined();
  });

  test("depend on the base URL, which is part of the response", async () => {
    const tagFor = async (host: string) => (await get(LIST, { host })).headers.etag;
    expect(await tagFor("a.example")).not.toBe(await tagFor("b.example"));
  });
});

test("compression and entity tags over HTTP/2", async () => {
  const { status } = await sendHttp2(server.url, { ":path": LIST, "if-none-match": "*" });
  expect(status).toBe(304);
});
