import { Code } from "@connectrpc/connect";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { afterEach, describe, expect, test } from "vitest";
import type { Page, PostPage } from "../../../src/call/http/pages.js";
import { useHttp1 } from "../../support/servers.js";

const TEXT = { "content-type": "text/plain" };
const LONG = "x".repeat(5000);
const BR = { headers: { "accept-encoding": "br" } };
const EXCEPTION = new TypeError("x is undefined");
const errors: unknown[] = [];
let calls = 0;

const pages = new Map<string, Page | PostPage>([
  ["/fixed", { status: 200, headers: TEXT, body: "fixed", safe: true }],
  ["/fixed-long", { status: 200, headers: TEXT, body: LONG }],
  [
    "/counts",
    () => ({
      status: calls++ % 2 === 0 ? 200 : 503,
      headers: { ...TEXT, "cache-control": "no-store" },
      body: `${calls}`,
    }),
  ],
  ["/later", async () => ({ status: 200, headers: TEXT, body: LONG })],
  ["/base", ({ baseUrl }) => ({ status: 200, headers: TEXT, body: baseUrl })],
  ["/broken", () => Promise.reject(EXCEPTION)],
  [
    "/post",
    {
      maxRequestBytes: 100,
      protocol: "mcp",
      post: async (request, bytes, caller) => {
        const name = request.header("x-name");
        const body = Buffer.from(bytes).toString();
        return name === undefined
          ? {
              status: Number(request.header("x-status") ?? 200),
              headers: { ...TEXT, "x-length": String(bytes.length) },
              body,
            }
          : {
              status: 200,
              headers: { "content-type": "application/json" },
              body: (await caller.call(ShelfService.method.getBook, { name })).body,
            };
      },
    },
  ],
]);
const records: unknown[] = [];
const server = useHttp1({
  routes: shelfRoutes(),
  transcoding: {
    pages,
    onError: (error) => errors.push(error),
    observers: [
      { onEnd: ({ protocol, method, code, status }) => records.push([protocol, method?.name, code, status]) },
    ],
  },
});
afterEach(() => {
  errors.length = 0;
});

describe("a fixed page", () => {
  test("has an entity tag, and is compressed", async () => {
    const fixed = await fetch(`${server.url}/fixed`);
    expect([fixed.status, await fixed.text()]).toEqual([200, "fixed"]);
    const again = await fetch(`${server.url}/fixed`, {
      headers: { "if-none-match": fixed.headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
    const long = await fetch(`${server.url}/fixed-long`, BR);
    expect([long.headers.get("content-encoding"), (await long.text()) === LONG]).toEqual(["br", true]);
  });

  test("is found with a query", async () => {
    expect(await (await fetch(`${server.url}/fixed?a=b`)).text()).toBe("fixed");
  });
});

describe("a function", () => {
  test("gets the base URL of the request", async () => {
    expect(await (await fetch(`${server.url}/base`)).text()).toBe(server.url);
  });

  test("is called for each request", async () => {
    const seen: unknown[] = [];
    for (let count = 0; count < 3; count++) {
      const response = await fetch(`${server.url}/counts`);
      seen.push([response.status, response.headers.get("cache-control"), await response.text()]);
    }
    expect(seen).toEqual([
      [200, "no-store", "1"],
      [503, "no-store", "2"],
      [200, "no-store", "3"],
    ]);
  });

  test("is called for HEAD, whose response has no body, but not for other HTTP methods", async () => {
    const before = calls;
    const head = await fetch(`${server.url}/counts`, { method: "HEAD" });
    expect([head.headers.get("content-length"), await head.text()]).toEqual(["1", ""]);
    const options = await fetch(`${server.url}/counts`, { method: "OPTIONS" });
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
    expect((await fetch(`${server.url}/counts`, { method: "POST" })).status).toBe(405);
    expect(calls).toBe(before + 1);
  });

  test("may return a promise; the response is compressed", async () => {
    const later = await fetch(`${server.url}/later`, BR);
    expect([later.headers.get("content-encoding"), (await later.text()) === LONG]).toEqual(["br", true]);
  });

  test("that throws is an unexpected exception", async () => {
    const broken = await fetch(`${server.url}/broken`);
    expect([broken.status, await broken.json()]).toMatchObject([500, { error: { status: "INTERNAL" } }]);
    expect(errors).toEqual([EXCEPTION]);
  });
});

describe("a page that takes POST", () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/post`, { method: "POST", body, headers });

  test("receives the body, and chooses status and headers", async () => {
    const response = await post("abc", { "x-status": "418" });
    expect([response.status, response.headers.get("x-length"), await response.text()]).toEqual([
      418,
      "3",
      "abc",
    ]);
  });

  test("calls methods as the client", async () => {
    records.length = 0;
    const response = await post("", { "x-reader": "Ada", "x-name": "shelves/1/books/2" });
    expect(await response.json()).toMatchObject({ name: "shelves/1/books/2", title: "read by Ada" });
    expect(records).toEqual([["mcp", "GetBook", undefined, 200]]);
  });

  test("is recorded with the error of the call", async () => {
    records.length = 0;
    const response = await post("", { "x-name": "shelves/1/books/missing" });
    expect([response.status, response.headers.get("content-type"), await response.json()]).toEqual([
      404,
      "application/json",
      {
        jsonrpc: "2.0",
        id: null,
        error: {
          code: -32_000,
          message: "NOT_FOUND (NO_BOOK): there is no such book: “x”",
          data: {
            status: "NOT_FOUND",
            details: [
              { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.500s" },
              {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                reason: "NO_BOOK",
                metadata: { shelf: "1" },
              },
            ],
          },
        },
      },
    ]);
    expect(records).toEqual([["mcp", "GetBook", Code.NotFound, 404]]);
  });

  test.each([
    ["GET", "", 405, "POST, OPTIONS"],
    ["DELETE", "", 405, "POST, OPTIONS"],
    ["OPTIONS", "", 204, "POST, OPTIONS"],
    ["POST", "x".repeat(101), 413, null],
  ])("%s with the body %j", async (method, body, status, allow) => {
    const response = await fetch(`${server.url}/post`, { method, ...(body === "" ? {} : { body }) });
    expect([response.status, response.headers.get("allow")]).toEqual([status, allow]);
  });
});

test("other paths are not pages", async () => {
  const response = await fetch(`${server.url}/fixed/`);
  expect([response.status, await response.json()]).toMatchObject([404, { error: { status: "NOT_FOUND" } }]);
});
