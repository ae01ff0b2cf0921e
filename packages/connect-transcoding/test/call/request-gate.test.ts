import { ClientRequest } from "node:http";
import {
  Code,
  ConnectError,
  createContextKey,
  type HandlerContext,
  type ServiceImpl,
} from "@connectrpc/connect";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import express from "express";
import fastify from "fastify";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { SharedOptions } from "../../src/call/options.js";
import { createTranscodingMiddleware } from "../../src/hosts/express.js";
import { fastifyTranscodingPlugin } from "../../src/hosts/fastify.js";
import { createTranscodingHandler } from "../../src/hosts/fetch.js";
import type { RequestGate } from "../../src/routes/route-options.js";
import { type BeginRequest, readResponse, STACKS } from "../support/http-clients.js";
import { type TestServer, useHttp1 } from "../support/servers.js";

// https://github.com/connectrpc/connect-es/blob/v2.3.0/packages/connect/src/protocol/universal-handler.ts

const userKey = createContextKey("nobody");
const handled: string[] = [];
let gated: HandlerContext[] = [];
/** Whether a handler of fetch has read the body. */
let hasReadBody = false;
afterEach(() => {
  handled.length = 0;
  gated = [];
  hasReadBody = false;
});

function check(context: HandlerContext): void {
  const key = context.requestHeader.get("x-key");
  context.responseHeader.set("x-gate", "seen");
  context.values.set(userKey, String(key));
  if (key === null) {
    throw new ConnectError("no key", Code.Unauthenticated);
  }
  if (key === "broken") {
    throw new TypeError("x is undefined");
  }
}

/** Rejects requests without a key, after a while if the request asks for it. */
const requestGate: RequestGate = (context) => {
  gated.push(context);
  return context.requestHeader.has("x-late")
    ? new Promise((resolve) => setTimeout(resolve, 10)).then(() => check(context))
    : check(context);
};

const record = (context: HandlerContext): void => {
  handled.push(`${context.method.name} for ${context.values.get(userKey)}`);
};
const implementation: Partial<ServiceImpl<typeof ShelfService>> = {
  getBook: ({ name }, context) => {
    record(context);
    return { name };
  },
  createBook: ({ parent }, context) => {
    record(context);
    return { name: parent };
  },
  async *watchBook({ name }, context) {
    record(context);
    yield { name };
  },
  collectBooks: async (_requests, context) => {
    record(context);
    return {};
  },
  async *exchangeBooks(_requests, context) {
    record(context);
    yield {};
  },
};
const transcoding = { onError: () => {} };
const OPTIONS: SharedOptions = { routes: shelfRoutes(implementation), requestGate, transcoding };

function useExpress(options: SharedOptions): TestServer {
  const application = express();
  application.use(createTranscodingMiddleware(options));
  return useHttp1(application as never);
}

function useFastify(options: SharedOptions): TestServer {
  const instance = fastify();
  const server = { port: 0, url: "" };
  beforeAll(async () => {
    await instance.register(fastifyTranscodingPlugin, options);
    server.url = await instance.listen({ port: 0, host: "127.0.0.1" });
  });
  afterAll(() => instance.close());
  return server;
}

/** Sends the headers of a request without the end of its body, and reads the response. */
type Respond = (line: string, headers: Readonly<Record<string, string>>) => Promise<Answer>;

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly gate: unknown;
  readonly trailers?: unknown;
}

function useNetwork(
  use: (options: never) => TestServer,
  begin: BeginRequest,
  options: SharedOptions,
): Respond {
  const server = use(options as never);
  return async (line, headers) => {
    const [method = "", path = ""] = line.split(" ");
    const { body, response, destroy } = begin(server.url, method, path, headers);
    if (method !== "POST") {
      body.end();
    } else if (body instanceof ClientRequest) {
      body.flushHeaders();
    }
    let trailers: unknown;
    body.once("trailers", ({ "grpc-status": code, "grpc-message": message }) => {
      trailers = [code, message];
    });
    const { status, text, headers: received } = await readResponse(response);
    destroy();
    return { status, text, gate: received["x-gate"], trailers };
  };
}

function useFetch(options: SharedOptions): Respond {
  const handle = createTranscodingHandler(options);
  return async (line, headers) => {
    const [method = "", path = ""] = line.split(" ");
    const pull = () => {
      hasReadBody = true;
    };
    const body = method === "POST" ? new ReadableStream({ pull }, { highWaterMark: 0 }) : null;
    const request = new Request(`http://localhost${path}`, { method, headers, body, duplex: "half" });
    const response = await handle(request);
    return { status: response.status, text: await response.text(), gate: response.headers.get("x-gate") };
  };
}

const [, , [, , beginHttp1]] = STACKS;
const HOSTS = [
  ...STACKS.map(
    ([name, use, begin]) => [name, (options: SharedOptions) => useNetwork(use, begin, options)] as const,
  ),
  ["Express", (options: SharedOptions) => useNetwork(useExpress, beginHttp1, options)],
  ["Fastify", (options: SharedOptions) => useNetwork(useFastify, beginHttp1, options)],
  ["fetch", useFetch],
] as const;
const HTTP2_HOSTS = ["node:http2", "createServer over HTTP/2"];

const BOOK = "GET /v1/shelves/1/books/2";
const REST_BODY = '{"error":{"code":401,"status":"UNAUTHENTICATED","message":"no key","details":[]}}';
const CONNECT_BODY = '{"code":"unauthenticated","message":"no key"}';
const TRAILER = "grpc-message: no key\r\ngrpc-status: 16\r\n";
const GRPC = { "content-type": "application/grpc" };
const CONNECT_STREAM = { "content-type": "application/connect+json" };
const MESSAGE = encodeURIComponent('{"name":"a"}');

/** A request, the method that it calls, and its rejection. */
const REQUESTS = [
  ["REST", BOOK, {}, "GetBook", 401, REST_BODY],
  [
    "REST with a body",
    "POST /v1/shelves/1/books",
    { "content-type": "application/json" },
    "CreateBook",
    401,
    REST_BODY,
  ],
  ["a REST stream", "GET /v1/shelves/1/books/2:watch", {}, "WatchBook", 401, REST_BODY],
  ["HEAD", "HEAD /v1/shelves/1/books/2:watch", {}, "WatchBook", 401, ""],
  ["gRPC", "POST /test.Service/GetBook", GRPC, "GetBook", 200, ""],
  ["a gRPC stream", "POST /test.Service/ExchangeBooks", GRPC, "ExchangeBooks", 200, ""],
  [
    "gRPC-Web",
    "POST /test.Service/GetBook",
    { "content-type": "application/grpc-web" },
    "GetBook",
    200,
    TRAILER,
  ],
  [
    "Connect",
    "POST /test.Service/GetBook",
    { "content-type": "application/json" },
    "GetBook",
    401,
    CONNECT_BODY,
  ],
  [
    "Connect GET",
    `GET /test.Service/GetBook?encoding=json&message=${MESSAGE}`,
    {},
    "GetBook",
    401,
    CONNECT_BODY,
  ],
  [
    "a Connect stream",
    "POST /test.Service/CollectBooks",
    CONNECT_STREAM,
    "CollectBooks",
    200,
    `{"error":${CONNECT_BODY}}`,
  ],
] as const;

describe.each(HOSTS)("requestGate on %s", (host, use) => {
  const respond = use(OPTIONS);
  const requests = REQUESTS.filter(([, , headers]) => headers !== GRPC || HTTP2_HOSTS.includes(host));

  test.each(requests)("rejects %s before its body", async (_name, line, headers, method, status, body) => {
    const answers = [await respond(line, headers), await respond(line, { ...headers, "x-late": "1" })];
    const trailers = headers === GRPC ? ["16", "no key"] : undefined;
    expect(answers.map((each) => ({ ...each, text: each.text.replace(/^[^{g]+/, "") }))).toEqual(
      Array(2).fill(
        expect.objectContaining({ status, text: body, gate: "seen", ...(trailers && { trailers }) }),
      ),
    );
    expect(gated.map((context) => context.method.name)).toEqual([method, method]);
    expect([handled, hasReadBody]).toEqual([[], false]);
  });

  test.each(["", "1"])("lets other requests pass, with its values (late: %j)", async (late) => {
    const passed = await respond(BOOK, { "x-key": "ada", ...(late && { "x-late": late }) });
    expect([passed.status, passed.gate, handled]).toEqual([200, "seen", ["GetBook for ada"]]);
    expect(await respond(BOOK, { "x-key": "broken" })).toMatchObject({ status: 500, gate: "seen" });
    expect(handled).toEqual(["GetBook for ada"]);
  });
});

const deny = (message: string) => (): void => {
  throw new ConnectError(message, Code.PermissionDenied);
};
const { getBook } = ShelfService.method;
const sharing = defineService(
  ["first", "second"].map((value) => ({
    name: value,
    rule: ruleOf("POST /v1/{parent=shelves/*}/books"),
    input: "CreateBookRequest",
    options: { select: [{ parameter: "view", condition: { case: "equals", value } }] },
  })),
);

describe("the gate that is called", () => {
  const GRPC_WEB = "POST /test.Service/GetBook";
  test.each<[what: string, line: string, message: string, options: SharedOptions]>([
    [
      "is that of the service",
      BOOK,
      "service",
      {
        requestGate: deny("router"),
        routes: (router) => router.service(ShelfService, implementation, { requestGate: deny("service") }),
      },
    ],
    [
      "is that of the method",
      BOOK,
      "method",
      {
        requestGate: deny("router"),
        routes: (router) => router.rpc(getBook, ({ name }) => ({ name }), { requestGate: deny("method") }),
      },
    ],
    [
      "is that of the router if there are other options",
      BOOK,
      "router",
      {
        requestGate: deny("router"),
        routes: (router) => router.service(ShelfService, implementation, { readMaxBytes: 9 }),
      },
    ],
    [
      "is that of the method that the message selects",
      "POST /v1/shelves/1/books?view=second",
      "second",
      {
        routes: (router) => {
          for (const method of sharing.methods) {
            router.rpc(method, (() => ({})) as never, { requestGate: deny(method.name) });
          }
        },
      },
    ],
    [
      "is called in place of a relay",
      GRPC_WEB,
      "gate",
      { ...OPTIONS, requestGate: deny("gate"), transcoding: { relay: () => true } },
    ],
    ["can be inherited", BOOK, "inherited", Object.create({ ...OPTIONS, requestGate: deny("inherited") })],
    [
      "can return another thenable",
      BOOK,
      "thenable",
      {
        ...OPTIONS,
        requestGate: () =>
          ({
            // biome-ignore lint/suspicious/noThenProperty: a promise of another library
            then: (_: unknown, reject: (reason: unknown) => void) => {
              try {
                deny("thenable")();
              } catch (thrown) {
                reject(thrown);
              }
            },
          }) as Promise<void>,
      },
    ],
  ])("%s", async (_what, line, message, options) => {
    const [method = "", path = ""] = line.split(" ");
    const isRpc = line === GRPC_WEB;
    const headers = { "content-type": isRpc ? "application/grpc-web" : "application/json" };
    const request = new Request(`http://localhost${path}`, {
      method,
      headers,
      body: method === "POST" ? "" : null,
    });
    const response = await createTranscodingHandler(options)(request);
    expect([response.status, await response.text()]).toEqual([
      isRpc ? 200 : 403,
      isRpc
        ? expect.stringContaining(`grpc-message: ${message}\r\ngrpc-status: 7\r\n`)
        : JSON.stringify({ error: { code: 403, status: "PERMISSION_DENIED", message, details: [] } }),
    ]);
    expect(handled).toEqual([]);
  });

  test("is none for a service with an undefined one, as in connect", async () => {
    const handle = createTranscodingHandler({
      requestGate: deny("router"),
      routes: (router) => router.service(ShelfService, implementation, { requestGate: undefined as never }),
    });
    expect((await handle(new Request(`http://localhost${BOOK.slice(4)}`))).status).toBe(200);
  });

  test("must be a function", () => {
    const routes = shelfRoutes();
    expect(() => createTranscodingHandler({ routes, requestGate: "no" as never })).toThrow(
      new TypeError("the router: requestGate must be a function"),
    );
  });
});
