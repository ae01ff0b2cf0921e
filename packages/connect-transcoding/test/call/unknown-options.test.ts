import { createRegistry } from "@bufbuild/protobuf";
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
/** Serves the service with options of its own. */
const serviceWith = (options: object) => () =>
  createTranscodingHandler({ routes: (router) => router.service(ShelfService, {}, options) });

/** A call with an unknown option, where the error says that it is, and the name that is similar. */
const CASES: readonly [run: () => unknown, where: string, option: string, similar: string | undefined][] = [
  [() => createServer({ routes, requestgate: 1 } as never), "createServer", "requestgate", "requestGate"],
  [() => createServer({ routes, fallback: () => {} } as never), "createServer", "fallback", undefined],
  [
    () => createServer({ routes }).replace({ routes, transport: {} } as never),
    "replace",
    "transport",
    "transcoding",
  ],
  [
    () => createServer({ routes, transport: { idleTimeOut: 1 } as never }),
    "transport",
    "idleTimeOut",
    "idleTimeout",
  ],
  [
    () => createServer({ routes, transport: { onRequest: 1 } as never }),
    "transport",
    "onRequest",
    "onReject",
  ],
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
    undefined,
  ],
  [
    () => fastifyTranscodingPlugin({} as never, { routes, prefix: "/api" } as never),
    "fastifyTranscodingPlugin",
    "prefix",
    undefined,
  ],
  [
    () => createTranscodingHandler({ routes, client: 1 } as never),
    "createTranscodingHandler",
    "client",
    "clientAddress",
  ],
  [
    () => createTranscodingHandler({ routes, transcoding: { onrequest: 1 } as never }),
    "transcoding",
    "onrequest",
    "onRequest",
  ],
  [
    () => createTranscodingHandler({ routes, transcoding: { json: { enum: 1 } as never } }),
    "json",
    "enum",
    "enums",
  ],
  [
    () => createTranscodingHandler({ routes, openapi: { title: "a", version: "1", comment: {} } as never }),
    "openapi",
    "comment",
    "comments",
  ],
  [
    () => createTranscodingHandler({ routes, healths: true } as never),
    "createTranscodingHandler",
    "healths",
    "health",
  ],
  [serviceWith({ requestGates: undefined }), "test.Service", "requestGates", "requestGate"],
  [
    serviceWith({ jsonOptions: { prettySpaces: 2 } }),
    "jsonOptions of test.Service",
    "prettySpaces",
    undefined,
  ],
  [
    serviceWith({ binaryOptions: { recursion: 2 } }),
    "binaryOptions of test.Service",
    "recursion",
    "recursionLimit",
  ],
  [
    () =>
      createTranscodingHandler({
        routes: (router) => router.rpc(ShelfService.method.getBook, () => ({}), { gate: 1 } as never),
      }),
    "/test.Service/GetBook",
    "gate",
    undefined,
  ],
  [() => collectMethods(routes, { maxTimeout: 1 } as never), "the router", "maxTimeout", "maxTimeoutMs"],
  [
    () => collectMethods(reflectionRoutes([], { interceptor: [] } as never)),
    "grpc.reflection.v1.ServerReflection",
    "interceptor",
    "interceptors",
  ],
  [
    () => createRestTransport({ baseUrl: "", timeout: 1 } as never),
    "createRestTransport",
    "timeout",
    undefined,
  ],
  [() => createRouteTable([], { ...reading, pages: 1 } as never), "createRouteTable", "pages", undefined],
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
    undefined,
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
    undefined,
  ],
  [
    () => openApiDocuments([], documentation, description, { documentsOf: 1 } as never),
    "openApiDocuments",
    "documentsOf",
    "documentOf",
  ],
  [() => referencePage({}, { method: [] } as never), "referencePage", "method", "methods"],
  [() => referencePages({}, { files: "docs/" } as never), "referencePages", "files", undefined],
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
  const options = {
    routes,
    fallback: undefined,
    interceptors: undefined,
    requestGate: undefined,
    transcoding: undefined,
  };
  expect(createTranscodingAdapter(options as never)).toBeTypeOf("function");
});
