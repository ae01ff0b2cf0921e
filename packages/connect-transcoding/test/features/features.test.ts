import { createServer as createHttp1 } from "node:http";
import { createServer as createHttp2 } from "node:http2";
import { Code, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { Validator } from "@seriousme/openapi-schema-validator";
import { ServerReflection } from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "connect-transcoding/gen/health/v1/health_pb.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { useListening } from "connect-transcoding-testing/use-listening.js";
import express from "express";
import fastify from "fastify";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createTranscodingMiddleware } from "../../src/hosts/express.js";
import { fastifyTranscodingPlugin } from "../../src/hosts/fastify.js";
import { createTranscodingHandler } from "../../src/hosts/fetch.js";
import { createTranscodingAdapter } from "../../src/hosts/node.js";
import { createServer } from "../../src/hosts/server.js";
import { problemDetails } from "../../src/protocols/rest/error-forms.js";
import { useHttp1, useOnePort } from "../support/servers.js";

const openapi = { title: "Shelves", version: "1.2.3" };
const all = {
  routes: shelfRoutes(),
  openapi,
  docs: true,
  health: true,
  reflection: true,
  mcp: true,
} as const;

/** Serves the features on Fastify. */
function useFastify(): { readonly url: string } {
  const application = fastify();
  let url = "";
  beforeAll(async () => {
    await application.register(fastifyTranscodingPlugin, all);
    url = await application.listen({ port: 0, host: "127.0.0.1" });
  });
  afterAll(() => application.close());
  return {
    get url() {
      return url;
    },
  };
}

const onePort = useOnePort(all);
const node = useHttp1(createTranscodingAdapter(all));
const framework = useListening(createHttp1(express().use(createTranscodingMiddleware(all))));
const plugin = useFastify();
const handle = createTranscodingHandler(all);

describe.each<[string, (path: string, init?: RequestInit) => Promise<Response>]>([
  ["createServer", (path, init) => fetch(onePort.url + path, init)],
  ["node:http", (path, init) => fetch(node.url + path, init)],
  ["Express", (path, init) => fetch(framework.url + path, init)],
  ["Fastify", (path, init) => fetch(plugin.url + path, init)],
  ["fetch", (path, init) => handle(new Request(`http://localhost${path}`, init))],
])("on %s", (_host, call) => {
  const post = (path: string, body: unknown) =>
    call(path, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify(body),
    });

  test("openapi is the document of the routes", async () => {
    const response = await call("/openapi.json");
    const document: { paths: object } = JSON.parse(await response.text());
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "application/json; charset=utf-8",
    ]);
    expect(document).toMatchObject({ openapi: "3.1.1", info: { ...openapi, description: "" } });
    expect(Object.keys(document.paths)).toContain("/v1/shelves/{name_1}/books/{name_2}");
    expect(JSON.stringify(document)).toContain("The body has more than 4194304 bytes");
    expect((await new Validator().validate(structuredClone(document) as never)).valid).toBe(true);
  });

  test.each([
    ["/docs", 200, "text/html; charset=utf-8"],
    ["/docs/reference.css", 200, "text/css; charset=utf-8"],
    ["/docs/reference.js", 200, "text/javascript; charset=utf-8"],
    ["/docs/icon.svg", 200, "image/svg+xml"],
    ["/docs/", 308, null],
  ])("docs has %s: %i", async (path, status, type) => {
    const response = await call(path, { redirect: "manual" });
    expect([response.status, response.headers.get("content-type")]).toEqual([status, type]);
  });

  test("health is serving, for the server and each service", async () => {
    for (const service of ["", ShelfService.typeName]) {
      expect(await (await post("/grpc.health.v1.Health/Check", { service })).json()).toEqual({
        status: "SERVING",
      });
    }
    expect((await post("/grpc.health.v1.Health/Check", { service: "nope" })).status).toBe(404);
  });

  test("mcp lists the methods", async () => {
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const { result } = (await (await post("/mcp", list)).json()) as { result: { tools: { name: string }[] } };
    expect(result.tools.map(({ name }) => name)).toEqual([
      "service_get_book",
      "service_create_book",
      "service_watch_book",
    ]);
    const initialize = {
      ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a", version: "1" } },
    };
    expect(await (await post("/mcp", initialize)).json()).toMatchObject({
      result: { serverInfo: { name: "Shelves", version: "1.2.3" } },
    });
  });
});

test("reflection lists all services, once each", async () => {
  const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: onePort.url }));
  async function* requests() {
    yield { messageRequest: { case: "listServices" as const, value: "" } };
  }
  for await (const { messageResponse } of client.serverReflectionInfo(requests())) {
    expect(
      messageResponse.case === "listServicesResponse" &&
        messageResponse.value.service.map(({ name }) => name),
    ).toEqual([
      "grpc.health.v1.Health",
      "grpc.reflection.v1.ServerReflection",
      "grpc.reflection.v1alpha.ServerReflection",
      ShelfService.typeName,
    ]);
    break;
  }
});

describe("health", () => {
  async function watch(baseUrl: string, stop: () => void): Promise<Status[]> {
    const client = createClient(Health, createGrpcTransport({ baseUrl }));
    const seen: Status[] = [];
    for await (const { status } of client.watch({})) {
      seen.push(status);
      stop();
    }
    return seen;
  }

  test("ends when the server closes", async () => {
    const server = createServer(all);
    const { port } = await server.listen("127.0.0.1", 0);
    let closed: Promise<void> | undefined;
    expect(
      await watch(`http://127.0.0.1:${port}`, () => {
        closed ??= server.close(5_000);
      }),
    ).toEqual([Status.SERVING, Status.NOT_SERVING]);
    await closed;
  });

  const stopping = new AbortController();
  const other = useListening(
    createHttp2(createTranscodingAdapter({ ...all, shutdownSignal: stopping.signal })),
  );
  test("ends when the shutdownSignal aborts", async () => {
    const seen = await watch(other.url, () => stopping.abort()).catch(({ code }) => code);
    expect([[Status.SERVING, Status.NOT_SERVING], Code.Unavailable, Code.Canceled]).toContainEqual(seen);
  });
});

const FILLED = (name: string) => `the option openapi.${name} is not valid; allowed: a non-empty string`;

describe("options", () => {
  const ask = async (options: object, path: string) => {
    const response = await createTranscodingHandler({ routes: shelfRoutes(), ...options })(
      new Request(`http://localhost${path}`),
    );
    return { status: response.status, text: await response.text() };
  };

  test("nothing is served by default", async () => {
    for (const path of ["/openapi.json", "/docs", "/mcp"]) {
      expect((await ask({}, path)).status).toBe(404);
    }
    expect((await ask({ openapi }, "/docs")).status).toBe(404);
  });

  test.each(["docs", "mcp"])("%s needs openapi", (name) => {
    expect(() => createServer({ routes: shelfRoutes(), [name]: true })).toThrow(
      new TypeError(`${name}: true needs the option openapi, with a title and a version`),
    );
  });

  test.each<[options: object, message: string]>([
    [{ openapi: {} }, FILLED("title")],
    [{ openapi: { version: "1" } }, FILLED("title")],
    [{ openapi: { ...openapi, title: 5 } }, FILLED("title")],
    [{ openapi: { ...openapi, title: "" } }, FILLED("title")],
    [{ openapi: { title: "a" } }, FILLED("version")],
    [{ openapi: { ...openapi, version: 1 } }, FILLED("version")],
    [
      { openapi: { ...openapi, description: 5 } },
      "the option openapi.description is not valid; allowed: a string",
    ],
    [
      { openapi: { ...openapi, comments: null } },
      "the option openapi.comments is not valid; allowed: an object or a function",
    ],
    ...[true, null, "x"].map((value): [object, string] => [
      { openapi: value },
      "the option openapi is not valid; allowed: an object with a title and a version",
    ]),
    ...["docs", "health", "reflection", "mcp"].flatMap((name) =>
      ["yes", 1, null].map((value): [object, string] => [
        { openapi, [name]: value },
        `the option ${name} is not valid; allowed: true or false`,
      ]),
    ),
    [{ routes: undefined }, "the server needs routes; allowed: a function that takes a router"],
    [{ routes: {} }, "the server needs routes; allowed: a function that takes a router"],
  ])("%j are rejected", (options, message) => {
    const given = { routes: shelfRoutes(), ...options };
    for (const create of [createServer, createTranscodingAdapter, createTranscodingHandler]) {
      expect(() => create(given)).toThrow(new TypeError(message));
    }
  });

  test("of the adapter are those of the document", async () => {
    const transcoding = { unknownParameters: "ignore", encodeError: problemDetails.encodeError };
    const { text } = await ask({ openapi, readMaxBytes: 1000, transcoding }, "/openapi.json");
    expect(text).toContain("The body has more than 1000 bytes");
    expect(text).toContain("application/problem+json");
    expect(text).not.toContain('additionalProperties":false');
  });

  test("a prefix is before all paths", async () => {
    const options = { openapi, docs: true, requestPathPrefix: "/api" };
    expect((await ask(options, "/openapi.json")).status).toBe(404);
    expect(JSON.parse((await ask(options, "/api/openapi.json")).text)).toMatchObject({
      servers: [{ url: "/api" }],
    });
    expect((await ask(options, "/api/docs")).status).toBe(200);
  });

  test("pages take precedence", async () => {
    const pages = new Map([["/docs", { status: 200, headers: {}, body: "own" }]]);
    expect((await ask({ openapi, docs: true, transcoding: { pages } }, "/docs")).text).toBe("own");
  });

  test.each<[path: string, init: RequestInit]>([
    ["/openapi.json", {}],
    [
      "/mcp",
      {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      },
    ],
  ])("%s loads comments once, and again after a failure", async (path, init) => {
    const onError = vi.fn();
    const comments = vi.fn(async () => ({ [`${ShelfService.typeName}.GetBook`]: "Finds a book." }));
    comments.mockRejectedValueOnce(new Error("no file"));
    const handler = createTranscodingHandler({
      routes: shelfRoutes(),
      openapi: { ...openapi, comments },
      mcp: true,
      transcoding: { onError },
    });
    const call = () => handler(new Request(`http://localhost${path}`, init));
    expect((await call()).status).toBe(500);
    expect(onError).toHaveBeenCalledOnce();
    expect(JSON.stringify(await (await call()).json())).toContain("Finds a book");
    await call();
    expect(comments).toHaveBeenCalledTimes(2);
  });
});

test("Connect clients call health", async () => {
  const client = createClient(Health, createConnectTransport({ baseUrl: node.url, httpVersion: "1.1" }));
  expect((await client.check({})).status).toBe(Status.SERVING);
});
