import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { useListening } from "../../../../test/use-listening.js";
import { Http1Exchange } from "../../src/node/http1-exchange.js";
import { createStaticDoor, type PageAnswer } from "../../src/node/pages.js";
import type { HttpAnswer } from "../../src/response/response-encoder.js";

const headers = { "content-type": "text/plain", "cache-control": "no-store" };
const LONG = "x".repeat(5000);
const BR = { headers: { "accept-encoding": "br" } };
let asked = 0;
const bugs: unknown[] = [];
const BUG = new TypeError("x is undefined");
const door = createStaticDoor(
  new Map<string, PageAnswer>([
    ["/fixed", { status: 200, headers: { "content-type": "text/plain" }, body: "fixed", safe: true }],
    ["/fixed-long", { status: 200, headers: { "content-type": "text/plain" }, body: LONG }],
    ["/counts", (): HttpAnswer => ({ status: asked++ % 2 === 0 ? 200 : 503, headers, body: `${asked}` })],
    ["/later", async () => ({ status: 200, headers: { "content-type": "text/plain" }, body: LONG })],
    ["/broken", () => Promise.reject(BUG)],
  ]),
  (bug) => bugs.push(bug),
);
const context = { proxies: undefined, isStopping: () => false, newRequestId: () => "" };
const server = useListening(
  createServer((request, response) =>
    door.handle(new Http1Exchange(request, response, context), request.url ?? ""),
  ),
);

describe("a page", () => {
  test("that never changes has an entity tag, and is compressed", async () => {
    const fixed = await fetch(`${server.url}/fixed`);
    expect([fixed.status, await fixed.text()]).toEqual([200, "fixed"]);
    const again = await fetch(`${server.url}/fixed`, {
      headers: { "if-none-match": fixed.headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
    const long = await fetch(`${server.url}/fixed-long`, BR);
    expect([long.headers.get("content-encoding"), (await long.text()) === LONG]).toEqual(["br", true]);
  });

  test("of the moment is made for each request", async () => {
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

  test("of the moment has no body for HEAD, and is not made for other methods", async () => {
    const before = asked;
    const head = await fetch(`${server.url}/counts`, { method: "HEAD" });
    expect([head.headers.get("content-length"), await head.text()]).toEqual(["1", ""]);
    const options = await fetch(`${server.url}/counts`, { method: "OPTIONS" });
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
    expect((await fetch(`${server.url}/counts`, { method: "POST" })).status).toBe(405);
    expect(asked).toBe(before + 1);
  });

  test("of the moment may take its time, and is compressed", async () => {
    const later = await fetch(`${server.url}/later`, BR);
    expect([later.headers.get("content-encoding"), (await later.text()) === LONG]).toEqual(["br", true]);
  });

  test("that cannot be made is a bug", async () => {
    await expect(fetch(`${server.url}/broken`)).rejects.toThrow();
    expect(bugs).toEqual([BUG]);
  });
});

test("there is nothing elsewhere", () => {
  expect([door.serves("/fixed"), door.serves("/counts"), door.serves("/x")]).toEqual([true, true, false]);
});
