import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import fastify from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fastifyTranscodingPlugin } from "../../src/hosts/fastify.js";

const BOOK = "shelves/1/books/2";

describe.each([
  ["HTTP/1.1", {}],
  ["HTTP/2", { http2: true }],
] as const)("a server over %s", (version, options) => {
  const instance = fastify(options as { http2: true });
  let baseUrl = "";
  let sessions: Http2SessionManager | undefined;
  beforeAll(async () => {
    await instance.register(fastifyTranscodingPlugin, { routes: shelfRoutes() });
    instance.get("/other", async () => "other");
    baseUrl = await instance.listen({ port: 0, host: "127.0.0.1" });
  });
  afterAll(async () => {
    sessions?.abort();
    await instance.close();
  });

  test("serves calls of connect-es", async () => {
    sessions = new Http2SessionManager(baseUrl);
    const transport =
      version === "HTTP/2"
        ? createGrpcTransport({ baseUrl, sessionManager: sessions })
        : createConnectTransport({ baseUrl, httpVersion: "1.1" });
    const client = createClient(ShelfService, transport);
    expect(await client.getBook({ name: BOOK })).toMatchObject({ name: BOOK });
    const books = client.collectBooks(
      (async function* () {
        yield { name: BOOK };
        yield { name: BOOK };
      })(),
    );
    expect((await books).books).toHaveLength(2);
  });

  test.skipIf(version === "HTTP/2")("serves routes, bodies and its own paths", async () => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"name":"3"}' };
    const created = await fetch(`${baseUrl}/v1/shelves/1/books`, init);
    expect([created.status, await created.json()]).toMatchObject([200, { name: "shelves/1/books/3" }]);
    expect(await (await fetch(`${baseUrl}/other`)).text()).toBe("other");
    expect((await fetch(`${baseUrl}/nothing`)).status).toBe(404);
  });
});
