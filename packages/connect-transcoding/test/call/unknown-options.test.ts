import { createRegistry } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { UnknownOptionError } from "@utility-tools/http-server";
import { BookSchema } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { expect, test } from "vitest";
import { createRestTransport } from "../../src/client/index.js";
import { createJsonMessageReader, createJsonWriters } from "../../src/codec/index.js";
import { createTranscodingMiddleware } from "../../src/hosts/express.js";
import { fastifyTranscodingPlugin } from "../../src/hosts/fastify.js";
import { createTranscodingHandler } from "../../src/hosts/fetch.js";
import {
  collectMethods,
  createMessageBinder,
  createServer,
  createTranscodingAdapter,
  reflectionRoutes,
} from "../../src/index.js";
import { openApiDocument, openApiDocuments } from "../../src/openapi/index.js";
import { referencePage, referencePages } from "../../src/reference/index.js";
import { createRouteTable } from "../../src/routes/index.js";

const routes = shelfRoutes();
const registry = createRegistry();
const reading = { unknownParameters: "reject", registry } as const;
const documentation = { info: { title: "", version: "", description: "" }, comments: {} };
const description = { baseUrl: undefined, requestLimit: () => 1 };
const server = (more: object) => () => createServer({ routes, ...more });
const handler = (more: object) => () => createTranscodingHandler({ routes, ...more });
/** Serves the service with options of its own. */
const service = (options: object) =>
  handler({ routes: (router: ConnectRouter) => router.service(ShelfService, {}, options) });
const { getBook } = ShelfService.method;

/** A call with an unknown option, where the error says that it is, and the name that is similar. */
const CASES: readonly [run: () => unknown, where: string, option: string, similar?: string][] = [
  [server({ requestgate: 1 }), "createServer", "requestgate", "requestGate"],
  [server({ fallback: () => {} }), "createServer", "fallback"],
  [() => server({})().replace({ routes, transport: {} } as never), "replace", "transport", "transcoding"],
  [server({ transport: { idleTimeOut: 1 } }), "transport", "idleTimeOut", "idleTimeout"],
  [server({ transport: { onRequest: 1 } }), "transport", "onRequest", "onReject"],
  [
    () => createTranscodingAdapter({ routes, interceptor: [] } as never),
    "createTranscodingAdapter",
    "interceptor",
    "interceptors",
  ],
  [
    () => createTranscodingMiddleware({ routes, fallback: 1 } as never),
    "createTranscodingMiddleware",
    "fallback",
  ],
  [
    () => fastifyTranscodingPlugin({} as never, { routes, prefix: "/api" } as never),
    "fastifyTranscodingPlugin",
    "prefix",
  ],
  [handler({ client: 1 }), "createTranscodingHandler", "client", "clientAddress"],
  [handler({ transcoding: { onrequest: 1 } }), "transcoding", "onrequest", "onRequest"],
  [handler({ transcoding: { json: { enum: 1 } } }), "json", "enum", "enums"],
  [handler({ openapi: { title: "a", version: "1", comment: {} } }), "openapi", "comment", "comments"],
  [handler({ healths: true }), "createTranscodingHandler", "healths", "health"],
  [service({ requestGates: undefined }), "test.Service", "requestGates", "requestGate"],
  [service({ jsonOptions: { prettySpaces: 2 } }), "jsonOptions of test.Service", "prettySpaces"],
  [
    service({ binaryOptions: { recursion: 2 } }),
    "binaryOptions of test.Service",
    "recursion",
    "recursionLimit",
  ],
  [
    handler({ routes: (router: ConnectRouter) => router.rpc(getBook, () => ({}), { gate: 1 } as never) }),
    "/test.Service/GetBook",
    "gate",
  ],
  [() => collectMethods(routes, { maxTimeout: 1 } as never), "the router", "maxTimeout", "maxTimeoutMs"],
  [
    () => collectMethods(reflectionRoutes([], { interceptor: [] } as never)),
    "grpc.reflection.v1.ServerReflection",
    "interceptor",
    "interceptors",
  ],
  [() => createRestTransport({ baseUrl: "", timeout: 1 } as never), "createRestTransport", "timeout"],
  [() => createRouteTable([], { ...reading, pages: 1 } as never), "createRouteTable", "pages"],
  [
    () => createMessageBinder(BookSchema, { ...reading, unknown: 1 } as never),
    "createMessageBinder",
    "unknown",
    "unknownParameters",
  ],
  [
    () => createJsonMessageReader(BookSchema, { ...reading, rules: 1 } as never),
    "createJsonMessageReader",
    "rules",
  ],
  [() => createJsonWriters(registry, { long: 1 } as never), "json", "long", "longs"],
  [
    () => openApiDocument([], { ...documentation, versions: 1 } as never, description),
    "Documentation",
    "versions",
    "version",
  ],
  [
    () => openApiDocument([], documentation, { ...description, url: "" } as never),
    "ServerDescription",
    "url",
  ],
  [
    () => openApiDocuments([], documentation, description, { documentsOf: 1 } as never),
    "openApiDocuments",
    "documentsOf",
    "documentOf",
  ],
  [() => referencePage({}, { method: [] } as never), "referencePage", "method", "methods"],
  [() => referencePages({}, { files: "docs/" } as never), "referencePages", "files"],
];

test.each(CASES)("%s: %s has no option %s", async (run, where, option, similar) => {
  const thrown: unknown = await Promise.resolve()
    .then(run)
    .catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(UnknownOptionError);
  const { message, allowed, ...error } = thrown as UnknownOptionError;
  expect(error).toMatchObject({ name: "UnknownOptionError", where, option });
  const suggestion = similar === undefined ? "" : `; did you mean ${similar}?`;
  expect(message).toBe(`${where} has no option "${option}"${suggestion}; allowed: ${allowed.join(", ")}`);
  expect(allowed).not.toContain(option);
});

test("a known option can be undefined", () => {
  const names = ["fallback", "interceptors", "requestGate", "transcoding"];
  const options = Object.fromEntries(names.map((name) => [name, undefined]));
  expect(createTranscodingAdapter({ routes, ...options } as never)).toBeTypeOf("function");
});
