import { createClient } from "@connectrpc/connect";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test, vi } from "vitest";
import { httpStatusKey } from "../../../src/call/context-keys.js";
import { createServer } from "../../../src/hosts/server.js";
import { useOnePort } from "../../support/servers.js";
import { TRANSPORTS } from "../../support/transports.js";

const BOOK = "/v1/shelves/1/books/2";
const onError = vi.fn();
const JSON_TYPE = { "content-type": "application/json" };

describe("a handler sets the status and headers of its response", () => {
  const statuses = [200, 201, 202, 203, 206, 226, 299, 303, 307, 308];
  const server = useOnePort({
    routes: shelfRoutes({
      getBook: ({ view }, { values, responseHeader }) => {
        values.set(httpStatusKey, Number(view));
        responseHeader.set("location", "/v1/shelves/1/books/3");
        return { name: "a" };
      },
      async *watchBook({ view }, { values }) {
        values.set(httpStatusKey, Number(view));
        yield { name: "a" };
      },
    }),
    transcoding: { onError },
  });
  const call = (path: string, init?: RequestInit) =>
    fetch(server.url + path, { redirect: "manual", ...init });

  test.each(statuses)("%i", async (status) => {
    const response = await call(`${BOOK}?view=${status}`);
    expect(response.status).toBe(status);
    expect(response.headers.get("location")).toBe("/v1/shelves/1/books/3");
    expect(response.headers.get("etag")).toBeNull();
    expect(await response.json()).toMatchObject({ name: "a" });
  });

  test.each([204, 205])("%i has no content", async (status) => {
    const response = await call(`${BOOK}?view=${status}`);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBeNull();
    expect(await response.text()).toBe("");
  });

  test.each([100, 304, 309, 400, 600, 201.5, -1])("%f is an unexpected exception", async (status) => {
    const response = await call(`${BOOK}?view=${status}`);
    expect(response.status).toBe(500);
    expect(onError).toHaveBeenLastCalledWith(
      new TypeError(
        `the HTTP status ${status} is not that of a success; allowed: 200 to 299, 301, 302, 303, 307, 308`,
      ),
      ShelfService.method.getBook,
    );
  });

  test.each([
    [202, 202],
    [204, 500],
    [404, 500],
  ])("a stream with %i has %i", async (given, expected) => {
    const response = await call(`${BOOK}:watch?view=${given}`);
    expect(response.status).toBe(expected);
  });

  test("HEAD has the status of GET", async () => {
    expect((await call(`${BOOK}?view=203`, { method: "HEAD" })).status).toBe(203);
  });

  test.each(TRANSPORTS)("%s ignores it", async (_name, transportTo) => {
    const response = await createClient(ShelfService, transportTo(server.url)).getBook({
      name: "a",
      view: "204",
    });
    expect(response.name).toBe("a");
  });
});

test("headers about the content that a handler sets are not sent", async () => {
  const routes = shelfRoutes({
    getBook: (_request, { responseHeader }) => {
      responseHeader.set("content-type", "text/html");
      responseHeader.set("content-encoding", "br");
      responseHeader.set("x-shelf", "1");
      return { name: "a" };
    },
    async *watchBook(_request, { responseHeader }) {
      responseHeader.set("content-type", "text/html");
      yield { name: "a" };
    },
  });
  const server = createServer({ routes });
  const { port } = await server.listen("127.0.0.1", 0);
  try {
    const [one, stream] = await Promise.all(
      [BOOK, `${BOOK}:watch`].map((path) => fetch(`http://127.0.0.1:${port}${path}`)),
    );
    expect(one?.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect([one?.headers.get("content-encoding"), one?.headers.get("x-shelf")]).toEqual([null, "1"]);
    expect(await one?.json()).toMatchObject({ name: "a" });
    expect(stream?.headers.get("content-type")).toMatch(/^application\/json(; charset=utf-8)?$/);
    for (const [name, transportTo] of TRANSPORTS) {
      const book = await createClient(ShelfService, transportTo(`http://127.0.0.1:${port}`)).getBook({
        name,
      });
      expect(book.name).toBe("a");
    }
  } finally {
    await server.close(0);
  }
});

test("an interceptor sets the status", async () => {
  const server = createServer({
    routes: shelfRoutes(),
    interceptors: [
      (next) => (request) => {
        request.contextValues.set(httpStatusKey, 203);
        return next(request);
      },
    ],
  });
  const { port } = await server.listen("127.0.0.1", 0);
  try {
    expect((await fetch(`http://127.0.0.1:${port}${BOOK}`)).status).toBe(203);
  } finally {
    await server.close(0);
  }
});

describe("success_status", () => {
  const service = defineService([
    {
      name: "CreateThing",
      rule: { ...ruleOf("POST /v1/things"), body: "*" },
      options: { successStatus: 201 },
    },
    { name: "DeleteThing", rule: ruleOf("DELETE /v1/things/{name}"), options: { successStatus: 204 } },
    {
      name: "WatchThings",
      rule: ruleOf("GET /v1/things"),
      options: { successStatus: 203 },
      serverStreaming: true,
    },
  ]);
  const server = useOnePort({
    routes: (router) =>
      router.service(service, {
        createThing: () => ({ name: "a" }),
        deleteThing: () => ({}),
        async *watchThings() {
          yield { name: "a" };
        },
      } as never),
  });

  test.each(["GET", "HEAD"])("is the status of a stream: %s", async (method) => {
    expect((await fetch(`${server.url}/v1/things`, { method })).status).toBe(203);
  });

  test("is the status of responses", async () => {
    const created = await fetch(`${server.url}/v1/things`, {
      method: "POST",
      headers: JSON_TYPE,
      body: "{}",
    });
    expect([created.status, await created.json()]).toEqual([201, expect.objectContaining({ name: "a" })]);
    const deleted = await fetch(`${server.url}/v1/things/a`, { method: "DELETE" });
    expect([deleted.status, deleted.headers.get("content-length"), await deleted.text()]).toEqual([
      204,
      null,
      "",
    ]);
  });

  test("must be that of a success", () => {
    const wrong = defineService([
      { name: "GetThing", rule: ruleOf("GET /v1/things"), options: { successStatus: 404 } },
    ]);
    expect(() =>
      createServer({ routes: (router) => router.service(wrong, { getThing: () => ({}) } as never) }),
    ).toThrow("test.Service.GetThing: success_status 404 must be one of 200 to 299, 301, 302, 303, 307, 308");
  });
});
