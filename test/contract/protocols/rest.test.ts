import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { send } from "../support/clients.js";
import { sendHttp2, sendRaw } from "../support/raw-http.js";
import { useServer } from "../support/serve.js";

describe("REST", () => {
  const server = useServer();

  describe("the response over plain HTTP", () => {
    test.each([
      ["", "*/*", "text/plain; charset=utf-8", "jane@example.com"],
      ["?format=text", "application/json", "text/plain; charset=utf-8", "jane@example.com"],
      ["?format=json", "*/*", "application/json; charset=utf-8", '{"email":"jane@example.com"}'],
      // curl --json, and clients that are generated from OpenAPI.
      ["", "application/json", "application/json; charset=utf-8", '{"email":"jane@example.com"}'],
      // The default of axios.
      ["", "application/json, text/plain, */*", "text/plain; charset=utf-8", "jane@example.com"],
    ])("of sanitizeEmail%s with Accept: %s is %s", async (query, accept, contentType, body) => {
      const { status, headers, text } = await send(`${server.url}/v1/sanitizeEmail${query}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept },
        body: JSON.stringify({ email: "Jane+x@Example.com" }),
      });
      expect([status, headers.get("content-type"), text]).toEqual([200, contentType, body]);
      expect(headers.get("content-length")).toBe(String(body.length));
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    });

    test.each([
      ["/v1/otp?type=time_based&action=generate", 200],
      ["/v1/otp?type=time_based&action=verify&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", 200],
      ["/v1/otp?type=time_based&action=verify&secret=x", 400],
      ["/v1/otp", 400],
    ])("of POST %s is in no cache", async (target, status) => {
      const exchange = await send(`${server.url}${target}`, { method: "POST" });
      expect([exchange.status, exchange.headers.get("cache-control")]).toEqual([status, "no-store"]);
    });

    test("has the OTP codes in order", async () => {
      const { text } = await send(
        `${server.url}/v1/otp?type=time_based&action=verify&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=8`,
        { method: "POST" },
      );
      expect(text).toContain(
        '"otp_codes":{"+30s":"14050471","current":"07081804","-30s":"89731029","-60s":"48150727"}',
      );
    });

    test("ignores parameters of another method on the path", async () => {
      const { status } = await send(
        `${server.url}/v1/otp?type=time_based&action=verify&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&label=x`,
        { method: "POST" },
      );
      expect(status).toBe(200);
    });

    test("rejects a secret that the method does not take", async () => {
      const { status, text } = await send(
        `${server.url}/v1/otp?type=time_based&action=generate&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ`,
        { method: "POST" },
      );
      expect(status).toBe(400);
      expect(text).toContain('"field":"secret"');
      expect(text).not.toContain("GEZDGNBV");
    });

    test.each([
      ["/v1/geoip", "did you mean /v1/geoIp?"],
      ["/v1/countries/", "did you mean /v1/countries?"],
      ["/v1/", "did you mean /v1/otp or /v1/countries or "],
    ])("says which path is meant by %s", async (path, suggestion) => {
      const { status, text } = await send(server.url + path);
      expect(status).toBe(404);
      expect(text).toContain(suggestion);
    });
  });

  describe("HTTP methods", () => {
    test("HEAD returns the headers of GET", async () => {
      const target = `${server.url}/v1/geoIp?ip_address=8.8.8.8`;
      const get = await send(target);
      const head = await send(target, { method: "HEAD" });
      expect([head.status, head.text]).toEqual([200, ""]);
      expect(head.headers.get("content-length")).toBe(String(get.text.length));
      expect((await send(`${server.url}/v1/geoIp?ip_address=x`, { method: "HEAD" })).status).toBe(400);
    });

    test.each([
      ["/v1/geoIp", "GET, HEAD, OPTIONS"],
      ["/v1/countries", "GET, HEAD, OPTIONS"],
      ["/v1/otp", "POST, OPTIONS"],
    ])("OPTIONS %s lists them", async (path, allow) => {
      const { status, headers, text } = await send(`${server.url}${path}`, { method: "OPTIONS" });
      expect([status, headers.get("allow"), text]).toEqual([204, allow, ""]);
    });

    test("405 lists them", async () => {
      const { status, headers } = await send(`${server.url}/v1/otp`);
      expect([status, headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    });
  });

  describe("absolute URLs in responses", () => {
    const apiUrl = (body: string): string => JSON.parse(body).api_url;

    test.each([
      ["localhost:8443", "http://localhost:8443"],
      ["127.0.0.1", "http://127.0.0.1"],
      ["tools.example:8443", undefined],
      ["127.0.0.1.tools.example", undefined],
      ["localhost.example", undefined],
    ])("have the host %s only if it is this server's", async (host, baseUrl = server.url) => {
      const head = `GET /v1/countries?country=FR HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      const { body } = await sendRaw(server.port, head);
      expect(apiUrl(body)).toBe(`${baseUrl}/v1/countries?country=FR`);
      const http2 = await sendHttp2(server.url, { ":path": "/v1/countries?country=FR", ":authority": host });
      expect(apiUrl(http2.body)).toBe(`${baseUrl}/v1/countries?country=FR`);
    });

    test("ignore forwarding headers of untrusted clients", async () => {
      const { text } = await send(`${server.url}/v1/countries?country=FR`, {
        headers: {
          "x-forwarded-host": "evil.example",
          "x-forwarded-proto": "https",
          forwarded: "host=evil.example",
        },
      });
      expect(apiUrl(text)).toBe(`${server.url}/v1/countries?country=FR`);
    });
  });

  describe("unknown parameters", () => {
    const lenient = useServer({ unknownParameters: "ignore" });

    test("are ignored with the setting, over REST and Connect", async () => {
      const rest = await send(`${lenient.url}/v1/geoIp?ip_address=8.8.8.8&nope=1`);
      const connect = (url: string) =>
        send(`${url}/utilitytools.v1.GeoIpService/LookupIp`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: '{"ip_address":"8.8.8.8","nope":1}',
        });
      expect([rest.status, (await connect(lenient.url)).status]).toEqual([200, 200]);
      expect((await connect(server.url)).status).toBe(400);
    });
  });
});

describe("representations", () => {
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
    ] as const)("%s returns the same body in fewer bytes", async (coding, decompress) => {
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
    test.each([
      ["a method with side effects", GENERATE, "POST"],
      ["a response with no-store", "/v1/barcode?type=qr_code&data=x", "GET"],
      ["an error", "/v1/geoIp?ip_address=x", "GET"],
    ])("are not on %s", async (_name, target, method) => {
      expect((await get(target, { "if-none-match": "*" }, method)).headers.etag).toBeUndefined();
    });

    test("depend on the base URL, which is part of the response", async () => {
      const tagFor = async (host: string) => (await get(LIST, { host })).headers.etag;
      expect(await tagFor("localhost:1")).not.toBe(await tagFor("localhost:2"));
    });
  });

  test("compression and entity tags over HTTP/2", async () => {
    const { status } = await sendHttp2(server.url, { ":path": LIST, "if-none-match": "*" });
    expect(status).toBe(304);
  });
});
