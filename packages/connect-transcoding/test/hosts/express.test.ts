import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import { gzipSync } from "node:zlib";
import { Code, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { useListening } from "connect-transcoding-testing/use-listening.js";
import express, { type RequestHandler } from "express";
import { describe, expect, test } from "vitest";
import { createTranscodingMiddleware } from "../../src/hosts/express.js";

const BOOK = "shelves/1/books/2";

/** An application with handlers before and behind the middleware. */
function useApplication(before: readonly RequestHandler[] = []) {
  const application = express();
  for (const handler of before) {
    application.use(handler);
  }
  application.use(createTranscodingMiddleware({ routes: shelfRoutes(), readMaxBytes: 1000 }));
  application.get("/other", (_request, response) => void response.send("other"));
  return useListening(createServer(application));
}

const post = (url: string, body: string, type = "application/json") =>
  fetch(`${url}/v1/shelves/1/books`, { method: "POST", headers: { "content-type": type }, body });

describe("in an application without parsers", () => {
  const server = useApplication();

  test("methods and routes are served, and other paths by the application", async () => {
    const client = createClient(
      ShelfService,
      createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" }),
    );
    expect(await client.getBook({ name: BOOK })).toMatchObject({ name: BOOK });
    expect(await (await fetch(`${server.url}/v1/${BOOK}`)).json()).toMatchObject({ name: BOOK });
    expect(await (await fetch(`${server.url}/other`)).text()).toBe("other");
    expect((await fetch(`${server.url}/nothing`)).status).toBe(404);
  });

  test("a long body without a length is rejected", async () => {
    const body = new Blob([JSON.stringify({ name: "x".repeat(2000) })]).stream();
    const response = await fetch(`${server.url}/v1/shelves/1/books`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      duplex: "half",
    });
    expect([response.status, await response.json()]).toMatchObject([413, { error: { code: 413 } }]);
  });

  test("a long body with Expect: 100-continue is rejected before it is sent", async () => {
    const headers = { "content-type": "application/json", "content-length": 1001, expect: "100-continue" };
    const sent = request(`${server.url}/v1/shelves/1/books`, { method: "POST", headers });
    sent.flushHeaders();
    const [response]: IncomingMessage[] = await once(sent, "response");
    expect(response?.statusCode).toBe(413);
    sent.destroy();
  });
});

describe.each<[string, RequestHandler]>([
  ["express.json()", express.json()],
  ["express.raw()", express.raw({ type: "*/*" })],
  ["express.text()", express.text({ type: "*/*" })],
])("behind %s", (_name, parser) => {
  const server = useApplication([parser]);

  test("routes get the body that it has read", async () => {
    const response = await post(server.url, '{"name":"3","title":"Ünit"}');
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { name: "shelves/1/books/3", title: "Ünit" },
    ]);
    expect((await post(server.url, JSON.stringify({ name: "x".repeat(2000) }))).status).toBe(413);
  });

  test.each([
    ["/v1/shelves/1/books", '{"title":"Ünit"}'],
    [`/${ShelfService.typeName}/CreateBook`, '{"book":{"title":"Ünit"}}'],
  ])("%s gets a body with gzip, which it has inflated: %s", async (path, text) => {
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const response = await fetch(server.url + path, { method: "POST", headers, body: gzipSync(text) });
    expect([response.status, await response.json()]).toMatchObject([200, { title: "Ünit" }]);
  });

  test("calls of Connect get it", async () => {
    const transport = createConnectTransport({
      baseUrl: server.url,
      httpVersion: "1.1",
      useBinaryFormat: false,
    });
    const client = createClient(ShelfService, transport);
    expect(await client.getBook({ name: BOOK })).toMatchObject({ name: BOOK });
    await expect(client.getBook({ name: "shelves/1/books/plain" })).rejects.toMatchObject({
      code: Code.Unavailable,
    });
  });

  test("requests without a body are served", async () => {
    expect((await fetch(`${server.url}/v1/${BOOK}`)).status).toBe(200);
  });
});

describe("behind a handler that discards the body", () => {
  const server = useApplication([
    (request, _response, next) => {
      request.resume().on("end", () => next());
    },
  ]);

  test("requests with a body fail at once", async () => {
    const response = await post(server.url, "{}");
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { error: { status: "INTERNAL", details: [{ reason: "BODY_CONSUMED" }] } },
    ]);
    expect((await fetch(`${server.url}/v1/${BOOK}`)).status).toBe(200);
  });
});
