import { createServer as createHttp1Server, request as sendRequest } from "node:http";
import type { DescMethod } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createClient,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import { Client, credentials } from "@grpc/grpc-js";
import { ErrorInfoSchema } from "connect-transcoding/gen/google/rpc/error_details_pb.js";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { baseUrlKey, clientAddressKey } from "../../src/call/context-keys.js";
import type { RequestRecord } from "../../src/call/http/request-record.js";
import { createError } from "../../src/errors/errors.js";
import { createTranscodingAdapter } from "../../src/hosts/node.js";
import { createServer, type TranscodingServerOptions } from "../../src/hosts/server.js";
import { type TestServer, useHttp1, useOnePort } from "../support/servers.js";
import { TRANSPORTS } from "../support/transports.js";

const BOOK = "/v1/shelves/1/books/2";

describe("context values", () => {
  const agentKey = createContextKey("none");
  const contexts: HandlerContext[] = [];
  const server = useOnePort({
    routes: shelfRoutes({
      getBook: ({ name }, context) => {
        contexts.push(context);
        return { name };
      },
    }),
    contextValues: (request) => createContextValues().set(agentKey, String(request.header("x-agent"))),
    transcoding: { trustedProxies: ["127.0.0.1"] },
  });
  afterEach(() => {
    contexts.length = 0;
  });

  const headers = { "x-agent": "a", "x-forwarded-for": "192.0.2.7", "x-forwarded-proto": "https" };

  function expectValues(): void {
    const [values] = contexts.map((context) => context.values);
    expect([agentKey, baseUrlKey, clientAddressKey].map((key) => values?.get(key))).toEqual([
      "a",
      `https://127.0.0.1:${server.port}`,
      "192.0.2.7",
    ]);
  }

  test.each(TRANSPORTS)("are set with %s", async (_name, transportTo) => {
    await createClient(ShelfService, transportTo(server.url)).getBook({ name: "a" }, { headers });
    expectValues();
  });

  test("are set with REST", async () => {
    await fetch(server.url + BOOK, { headers });
    expectValues();
  });
});

describe("clientAddressHeader", () => {
  const server = useOnePort({
    routes: shelfRoutes({ getBook: (_, { values }) => ({ name: values.get(clientAddressKey) }) }),
    transcoding: { trustedProxies: ["127.0.0.1"], clientAddressHeader: "cf-connecting-ip" },
  });

  test.each([
    [{ "cf-connecting-ip": "192.0.2.7", "x-forwarded-for": "192.0.2.8" }, "192.0.2.7"],
    [{ "x-forwarded-for": "192.0.2.8" }, "127.0.0.1"],
  ])("selects the header with the address of the client: %j", async (headers, address) => {
    const response = await fetch(server.url + BOOK, { headers });
    expect(await response.json()).toMatchObject({ name: address });
  });
});

describe("a request that onRequest rejects", () => {
  const methods: (string | undefined)[] = [];
  const server = useOnePort({
    routes: shelfRoutes({ getBook: ({ name }) => ({ name }) }),
    transcoding: {
      onRequest: () => {
        throw new ConnectError("no key", Code.Unauthenticated);
      },
      observers: [{ onEnd: ({ method }) => methods.push(method?.name) }],
    },
  });

  test("has its method for observers, if the path has one", async () => {
    const connect = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    for (const [path, init] of [
      [BOOK, {}],
      ["/test.v1.NoService/GetBook", connect],
      [`/${ShelfService.typeName}/GetBook`, connect],
    ] as const) {
      expect((await fetch(server.url + path, init)).status).toBe(401);
    }
    expect(methods).toEqual(["GetBook", undefined, "GetBook"]);
  });
});

describe("shutdownSignal aborts the signal of a call, which can still respond:", () => {
  test.each([
    ...TRANSPORTS.map(
      ([name, transportTo]) =>
        [
          name,
          async (url: string) =>
            (await createClient(ShelfService, transportTo(url)).getBook({ name: "a" })).title,
        ] as const,
    ),
    ["REST", async (url: string) => (await (await fetch(url + BOOK)).json()) as { title: string }] as const,
  ])("%s", async (_name, call) => {
    const shutdown = new AbortController();
    const server = createServer({
      routes: shelfRoutes({
        getBook: async ({ name }, { signal }) => {
          setTimeout(() => shutdown.abort(new Error("shutting down")), 20);
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          await new Promise((resolve) => setTimeout(resolve, 20));
          return { name, title: String(signal.reason) };
        },
      }),
      shutdownSignal: shutdown.signal,
    });
    const { port } = await server.listen("127.0.0.1", 0);
    const response = await call(`http://127.0.0.1:${port}`);
    const title = typeof response === "string" ? response : response.title;
    expect(title).toBe("Error: shutting down");
    await server.close(0);
  });
});

describe("errorDomain", () => {
  const routes = shelfRoutes({
    getBook: () => {
      throw createError({ code: Code.NotFound, reason: "NO_BOOK", message: "there is no such book" });
    },
  });
  const server = useOnePort({ routes, transcoding: { errorDomain: "library.example" } });

  test.each(TRANSPORTS)("is the domain of errors with %s", async (_name, transportTo) => {
    const call = createClient(ShelfService, transportTo(server.url)).getBook({ name: "a" });
    const error = ConnectError.from(await call.catch((thrown: unknown) => thrown));
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([
      { reason: "NO_BOOK", domain: "library.example" },
    ]);
  });

  test.each([BOOK, "/nothing"])("is the domain of errors over REST: %s", async (path) => {
    expect(await (await fetch(server.url + path)).json()).toMatchObject({
      error: { details: [{ domain: "library.example" }] },
    });
  });
});

describe("observers", () => {
  const started = vi.fn();
  const records: RequestRecord[] = [];
  const server = useOnePort({
    routes: shelfRoutes(),
    transcoding: {
      requestIds: true,
      onRequest: (request) => {
        request.principal = request.header("x-key");
      },
      observers: [
        { onStart: started, onEnd: (record) => void records.push(record) },
        { onEnd: (record) => void records.push(record) },
      ],
      pages: new Map([["/page", { status: 200, headers: { "content-type": "text/plain" }, body: "page" }]]),
    },
  });
  afterEach(() => {
    records.length = 0;
    started.mockClear();
  });

  async function recordOf(run: () => Promise<unknown>): Promise<RequestRecord | undefined> {
    await run().catch(() => {});
    await vi.waitUntil(() => records.length === 2, { timeout: 30_000 });
    expect([started.mock.calls.length, records[0] === records[1]]).toEqual([1, true]);
    return records[0];
  }

  test.each(TRANSPORTS)("are called once for a call with %s", async (name, transportTo) => {
    const client = createClient(ShelfService, transportTo(server.url));
    const headers = { "x-key": "me", "x-request-id": "id-1" };
    const record = await recordOf(() => client.getBook({ name: "a" }, { headers }));
    const protocol = ["connect", "grpc-web"].find((each) => name.toLowerCase().startsWith(each)) ?? "grpc";
    expect(record).toMatchObject({
      protocol,
      httpMethod: name === "Connect with GET" ? "GET" : "POST",
      path: "/test.Service/GetBook",
      method: ShelfService.method.getBook,
      code: undefined,
      status: 200,
      principal: "me",
      clientAddress: "127.0.0.1",
      requestId: "id-1",
    });
    expect(record?.duration).toBeGreaterThan(0);
    expect(Math.abs(Date.now() - (record?.startedAt ?? 0))).toBeLessThan(10_000);
  });

  test.each(TRANSPORTS)("receive the code of an error with %s", async (name, transportTo) => {
    const client = createClient(ShelfService, transportTo(server.url));
    const record = await recordOf(() => client.getBook({ name: "shelves/1/books/missing" }));
    expect(record).toMatchObject({
      method: ShelfService.method.getBook,
      code: Code.NotFound,
      status: name.startsWith("Connect") ? 404 : 200,
    });
  });

  test.each(TRANSPORTS)("receive the code of a failed stream with %s", async (_name, transportTo) => {
    const client = createClient(ShelfService, transportTo(server.url));
    const read = async () => {
      for await (const _book of client.watchBook({ name: "shelves/1/books/missing" }));
    };
    expect(await recordOf(read)).toMatchObject({
      method: ShelfService.method.watchBook,
      code: Code.NotFound,
      status: 200,
    });
  });

  test.each([
    ["a response", BOOK, { protocol: "rest", status: 200, code: undefined }],
    ["an error", "/v1/shelves/1/books/missing", { protocol: "rest", status: 404, code: Code.NotFound }],
    ["a stream", `${BOOK}:watch`, { protocol: "rest", status: 200, code: undefined }],
    [
      "a failed stream",
      "/v1/shelves/1/books/missing:watch",
      { protocol: "rest", status: 200, code: Code.NotFound },
    ],
    [
      "an unknown path",
      "/nothing",
      { protocol: "rest", status: 404, code: Code.NotFound, method: undefined },
    ],
    ["a page", "/page", { protocol: "page", status: 200, code: undefined, method: undefined }],
  ])("are called once over REST: %s", async (_name, path, expected) => {
    const record = await recordOf(async () => (await fetch(server.url + path)).text());
    expect(record).toMatchObject({ httpMethod: "GET", path, ...expected });
    expect(record?.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test("without `onError`, unexpected exceptions are printed with the name of the method", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const exception = new TypeError("x is undefined", { cause: "disk full" });
  const throwing = createHttp1Server(
    createTranscodingAdapter({
      routes: shelfRoutes({
        getBook: () => {
          throw exception;
        },
      }),
    }),
  );
  await new Promise<void>((resolve) => throwing.listen(0, "127.0.0.1", resolve));
  const address = throwing.address();
  const port = typeof address === "object" ? address?.port : undefined;
  expect((await fetch(`http://127.0.0.1:${port}${BOOK}`)).status).toBe(500);
  expect(log.mock.calls).toEqual([
    [`unexpected exception in test.Service/GetBook: ${exception.stack}\ncaused by disk full`],
  ]);
  log.mockRestore();
  throwing.close();
});

describe("unknownParameters", () => {
  const rules = [{ selector: "test.Service.CollectBooks", ...ruleOf("POST /v1/books:collect"), body: "*" }];
  const servers = {
    reject: useOnePort({ routes: shelfRoutes(), transcoding: { rules } }),
    ignore: useOnePort({ routes: shelfRoutes(), transcoding: { rules, unknownParameters: "ignore" } }),
  };
  const post = (server: TestServer, path: string, body: string) =>
    fetch(server.url + path, { method: "POST", body, headers: { "content-type": "application/json" } });

  test.each(["reject", "ignore"] as const)("%s", async (choice) => {
    const server = servers[choice];
    const expected = choice === "ignore" ? 200 : 400;
    const responses = await Promise.all([
      fetch(`${server.url}${BOOK}?color=red`),
      post(server, "/v1/shelves/1/books", '{"name":"a","color":"red"}'),
      post(server, "/v1/books:collect?color=red", '[{"name":"a"}]'),
      post(server, "/test.Service/GetBook", '{"name":"a","color":"red"}'),
      fetch(
        `${server.url}/test.Service/GetBook?connect=v1&encoding=json&message=${encodeURIComponent('{"color":"red"}')}`,
      ),
    ]);
    expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(expected));
  });
});

describe("the maximum length of a request", () => {
  const service = defineService([
    { name: "Small", rule: { ...ruleOf("POST /v1/small"), body: "*" } },
    { name: "Large", rule: { ...ruleOf("POST /v1/large"), body: "*" } },
  ]);
  const options: TranscodingServerOptions = {
    routes: (router) => router.service(service, { small: () => ({}), large: () => ({}) } as never),
    readMaxBytes: 100,
    transcoding: { maxRequestBytes: ({ name }) => (name === "Large" ? 1000 : undefined) },
  };
  const server = useOnePort(options);
  const post = async (path: string, length: number) => {
    const body = JSON.stringify({ name: "x".repeat(length - '{"name":""}'.length) });
    const headers = { "content-type": "application/json" };
    return (await fetch(server.url + path, { method: "POST", body, headers })).status;
  };

  test.each([
    ["/v1/small", 100, 413],
    ["/v1/large", 1000, 413],
    ["/test.Service/Small", 100, 429],
    ["/test.Service/Large", 1000, 429],
  ])("of %s is %i", async (path, limit, status) => {
    expect([await post(path, limit), await post(path, limit + 1)]).toEqual([200, status]);
  });

  test("applies to gRPC and to the fallback", async () => {
    const [small, large] = service.methods;
    for (const [method, limit] of [
      [small, 100],
      [large, 1000],
    ] as const) {
      for (const [, transportTo] of TRANSPORTS.filter(([name]) => name !== "Connect with GET")) {
        const client = createClient(service, transportTo(server.url)) as unknown as Record<
          string,
          (request: object) => Promise<unknown>
        >;
        // The name of the field and its length need up to three bytes, in JSON eleven.
        const call = (length: number) => client[method?.localName ?? ""]?.({ name: "x".repeat(length) });
        await call(limit - 11);
        await expect(call(limit + 1)).rejects.toMatchObject({ code: Code.ResourceExhausted });
      }
    }
  });
});

describe("rules that cannot be served", () => {
  const service = defineService([
    { name: "Good", rule: ruleOf("GET /v1/good/{name}") },
    { name: "Bad", rule: ruleOf("GET /v1/bad/{title}") },
    { name: "Same", rule: ruleOf("GET /v1/good/{view}") },
  ]);
  const impl = { good: () => ({ title: "good" }), bad: () => ({ title: "bad" }), same: () => ({}) };
  const options = (transcoding: TranscodingServerOptions["transcoding"]): TranscodingServerOptions => ({
    routes: (router) => router.service(service, impl as never),
    transcoding,
  });
  const skipped: [DescMethod, Error][] = [];
  const skipping = options({
    unsupported: "skip",
    onUnsupported: (method, error) => void skipped.push([method, error]),
  });
  const server = useOnePort(skipping);

  test("throw by default", () => {
    expect(() => createServer(options({}))).toThrow(/test\.Service/);
    expect(() => createServer(options({ unsupported: "throw" }))).toThrow(/test\.Service/);
  });

  test("are left out with `skip`, which calls `onUnsupported`", async () => {
    expect(skipped.map(([method, error]) => [method.name, error instanceof Error])).toEqual([
      ["Bad", true],
      ["Same", true],
    ]);
    expect(await (await fetch(`${server.url}/v1/good/a`)).json()).toMatchObject({ title: "good" });
    expect((await fetch(`${server.url}/v1/bad/a`)).status).toBe(404);
  });

  test("do not affect gRPC and Connect", async () => {
    const response = await fetch(`${server.url}/test.Service/Bad`, {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    });
    expect(await response.json()).toMatchObject({ title: "bad" });
  });
});

describe("methodOptions", () => {
  const server = useOnePort({
    routes: shelfRoutes(),
    transcoding: {
      methodOptions: ({ name }) => (name === "GetBook" ? { cacheControl: "max-age=5" } : undefined),
    },
  });

  test("replace the options of a method", async () => {
    const cacheControl = async (path: string) =>
      (await fetch(server.url + path)).headers.get("cache-control");
    expect(await cacheControl(BOOK)).toBe("max-age=5");
    expect(await cacheControl(`${BOOK}:watch`)).not.toBe("max-age=5");
    expect(await cacheControl(`${BOOK}?unknown=1`)).toBe("no-store");
  });
});

describe("options that only connect-node implements", () => {
  const options = (more: Partial<TranscodingServerOptions>) => ({
    routes: shelfRoutes({ getBook: ({ name }) => ({ name, title: "x".repeat(1000) }) }),
    ...more,
  });
  const limited = useOnePort(options({ writeMaxBytes: 100 }));
  const timed = useOnePort(options({ maxTimeoutMs: 15_000 }));
  const strict = useOnePort(options({ requireConnectProtocolHeader: true }));
  const spelled = useOnePort(
    options({ jsonOptions: { useProtoFieldName: true, alwaysEmitImplicit: false } }),
  );
  const clientOf = ({ url }: TestServer, transportTo: (typeof TRANSPORTS)[number][1]) =>
    createClient(ShelfService, transportTo(url));

  test.each(TRANSPORTS)("writeMaxBytes limits responses with %s", async (_name, transportTo) => {
    await expect(clientOf(limited, transportTo).getBook({ name: "a" })).rejects.toMatchObject({
      code: Code.ResourceExhausted,
    });
  });

  test.each(TRANSPORTS)("maxTimeoutMs limits timeouts with %s", async (_name, transportTo) => {
    const client = clientOf(timed, transportTo);
    expect(await client.getBook({ name: "a" }, { timeoutMs: 14_000 })).toMatchObject({ name: "a" });
    await expect(client.getBook({ name: "a" }, { timeoutMs: 20_000 })).rejects.toMatchObject({
      code: Code.InvalidArgument,
    });
  });

  test.each([
    [limited, BOOK, {}, 429, "RESOURCE_EXHAUSTED", "the response message is larger than 100 bytes"],
    [timed, BOOK, { "grpc-timeout": "20S" }, 400, "INVALID_ARGUMENT", "timeout 20000ms must be <= 15000"],
    [
      timed,
      `${BOOK}:watch`,
      { "grpc-timeout": "20S" },
      400,
      "INVALID_ARGUMENT",
      "timeout 20000ms must be <= 15000",
    ],
  ] as const)("limits apply over REST: %#", async ({ url }, path, headers, code, status, message) => {
    const response = await fetch(url + path, { headers });
    expect([response.status, await response.json()]).toEqual([
      code,
      { error: { code, status, message, details: [] } },
    ]);
  });

  test("requireConnectProtocolHeader rejects requests without the header", async () => {
    const post = async (headers: Record<string, string>) => {
      const response = await fetch(`${strict.url}/test.Service/GetBook`, {
        method: "POST",
        body: "{}",
        headers: { "content-type": "application/json", ...headers },
      });
      return response.status;
    };
    expect([await post({}), await post({ "connect-protocol-version": "1" })]).toEqual([400, 200]);
  });

  test("jsonOptions change the JSON of Connect", async () => {
    const response = await fetch(`${spelled.url}/test.Service/CreateBook`, {
      method: "POST",
      body: '{"parent":"a","book":{"authorNames":["b"]}}',
      headers: { "content-type": "application/json" },
    });
    expect(await response.json()).toEqual({ name: "a/books/", author_names: ["b"] });
  });
});

describe("invalid response headers", () => {
  const onError = vi.fn();
  const server = useOnePort({
    routes: shelfRoutes({
      getBook: ({ name }, { responseHeader, responseTrailer }) => {
        const bad =
          name === "both"
            ? [responseHeader, responseTrailer]
            : [name.endsWith("trailer") ? responseTrailer : responseHeader];
        for (const headers of bad) {
          headers.set("x-bad", "a\u0001b");
          headers.set("x-worse", "\u0002");
        }
        responseHeader.set("x-good", "yes");
        if (name === "error") {
          throw new ConnectError("there is no such book", Code.NotFound);
        }
        return { name };
      },
    }),
    transcoding: { onError },
  });
  afterEach(() => {
    onError.mockClear();
  });

  test.each(TRANSPORTS)("are unexpected exceptions with %s", async (_name, transportTo) => {
    const client = createClient(ShelfService, transportTo(server.url));
    for (const name of ["header", "trailer", "both"]) {
      await expect(client.getBook({ name })).rejects.toMatchObject({ code: Code.Internal });
    }
    expect(onError.mock.calls).toMatchObject(Array(3).fill([{ name: "TypeError" }, { name: "GetBook" }]));
  });

  test.each(TRANSPORTS)("are left out of errors with %s", async (_name, transportTo) => {
    const call = createClient(ShelfService, transportTo(server.url)).getBook({ name: "error" });
    const error = ConnectError.from(await call.catch((thrown: unknown) => thrown));
    expect([error.code, error.metadata.get("x-good")]).toEqual([Code.NotFound, "yes"]);
    expect(onError).not.toHaveBeenCalled();
  });

  test("are unexpected exceptions over REST", async () => {
    expect((await fetch(server.url + BOOK)).status).toBe(500);
    expect(onError.mock.calls).toMatchObject([[{ name: "TypeError" }, { name: "GetBook" }]]);
  });
});

describe("grpc-js, which shares no code with the server,", () => {
  const server = useOnePort({ routes: shelfRoutes() });
  let client: Client | undefined;
  afterAll(() => client?.close());
  const getBook = (book: string) => {
    client ??= new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
    const serialize = (name: string) => Buffer.from([0x0a, name.length, ...Buffer.from(name)]);
    return new Promise<unknown>((resolve) => {
      client?.makeUnaryRequest(
        "/test.Service/GetBook",
        serialize,
        (bytes) => bytes,
        book,
        (error, bytes) => resolve(error ?? bytes?.subarray(0, 3)),
      );
    });
  };

  test("calls a unary method", async () => {
    expect(await getBook("a")).toEqual(Buffer.from([0x0a, 1, "a".charCodeAt(0)]));
  });

  test("receives status and message of an error", async () => {
    expect(await getBook("shelves/1/books/missing")).toMatchObject({
      code: Code.NotFound,
      details: "there is no such book: “x”",
    });
  });
});

test("a request without a valid authority is rejected with 400", async () => {
  const server = createServer({ routes: shelfRoutes() });
  const { port } = await server.listen("127.0.0.1", 0);
  const status = await new Promise((resolve) => {
    sendRequest({ port, path: BOOK, headers: { host: "a b" } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).end();
  });
  expect(status).toBe(400);
  await server.close(0);
});

describe("fallback", () => {
  const records: RequestRecord[] = [];
  const server = useHttp1({
    routes: shelfRoutes({ getBook: ({ name }) => ({ name }) }),
    fallback: (request, response) => {
      response.writeHead(418, { "x-path": request.url ?? "" });
      response.end("fallback");
    },
    transcoding: { observers: [{ onEnd: (record) => records.push(record) }] },
  });
  afterEach(() => {
    records.length = 0;
  });

  test.each([
    ["GET", "/other?x=1", {}],
    ["OPTIONS", "/other", {}],
    ["POST", "/no.Service/Method", { "content-type": "application/grpc-web+proto" }],
  ])("handles %s %s, for which there is no method and no route", async (method, path, headers) => {
    const response = await fetch(server.url + path, { method, headers });
    expect([response.status, response.headers.get("x-path")]).toEqual([418, path]);
    expect(await response.text()).toBe("fallback");
    await expect.poll(() => records.map(({ status, code }) => [status, code])).toEqual([[418, undefined]]);
  });

  test("does not handle a path that has a route", async () => {
    expect((await fetch(server.url + BOOK)).status).toBe(200);
    expect((await fetch(server.url + BOOK, { method: "DELETE" })).status).toBe(405);
  });
});

describe("requestPathPrefix", () => {
  const server = useOnePort({
    routes: shelfRoutes({ getBook: ({ name }) => ({ name }) }),
    requestPathPrefix: "/api",
  });

  test.each(TRANSPORTS)("serves methods with %s", async (_name, transportTo) => {
    const client = createClient(ShelfService, transportTo(`${server.url}/api`));
    expect((await client.getBook({ name: "a" })).name).toBe("a");
  });

  test("serves routes with the prefix alone", async () => {
    expect((await fetch(`${server.url}/api${BOOK}`)).status).toBe(200);
    for (const path of [BOOK, `/api2${BOOK}`, "/api"]) {
      expect([path, (await fetch(server.url + path)).status]).toEqual([path, 404]);
    }
  });
});
