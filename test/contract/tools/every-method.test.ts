import { type ClientHttp2Session, connect } from "node:http2";
import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { codeFromString } from "@connectrpc/connect/protocol-connect";
import { codeName, methodPath } from "connect-transcoding";
import { ServerReflection } from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionV1Alpha } from "connect-transcoding/gen/grpc/reflection/v1alpha/reflection_pb.js";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { digestOf } from "connect-transcoding-operations/access/api-keys";
import { limitRate, memoryStore } from "connect-transcoding-operations/access/rate-limit";
import { requireApiKey } from "connect-transcoding-operations/access/require-api-key";
import { callStream, type GrpcStream } from "connect-transcoding-testing/grpc-stream.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ACCESS_NAMES } from "../../../src/service/access-names.js";
import { apiReferencePages, workbenchPages } from "../../../src/service/pages/static-pages.js";
import { TOOL_SERVICES } from "../../../src/tools/tool-services.js";
import { DOCUMENT, PLACES } from "../support/documented-examples.js";
import { PAGE_FOLDER, useServer } from "../support/serve.js";

// Keys, limits and CORS for every method, operation and page, derived from descriptors and the OpenAPI document, so that new
// ones are included. `every-protocol.ts` has fewer requests, made by real clients.

const ORIGIN = "https://page.example";
const KEY = { "x-api-key": "ut_a" };
const checkKey = requireApiKey({
  keys: () => new Map([[digestOf("ut_a"), { name: "a" }]]),
  realm: ACCESS_NAMES.realm,
  openPages: ACCESS_NAMES.openPages,
  openAreas: [],
});
const limiter = limitRate({ limit: 1, window: 600, store: memoryStore(600), now: () => 0 });
const server = useServer({
  onRequest: (request) => {
    checkKey(request);
    return limiter.onRequest(request);
  },
  corsOrigins: [ORIGIN],
  metrics: async () => ({ contentType: "text/plain", body: "" }),
});

/** A request, and how to read the reason of its error. */
interface TestCall {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly codeOf: (response: GrpcStream) => string;
}

const inStatus = ({ headers }: GrpcStream): string => codeName(Number(headers["grpc-status"]));
const inConnect = (json: unknown): string =>
  codeName(codeFromString((json as { code: string }).code) ?? Code.Unknown);
const inBody = ({ body }: GrpcStream): string => inConnect(JSON.parse(body.toString()));
const inEndOfStream = ({ body }: GrpcStream): string =>
  inConnect((JSON.parse(body.subarray(5).toString()) as { error: unknown }).error);
const inRestError = ({ body }: GrpcStream): string =>
  (JSON.parse(body.toString()) as { error: { status: string } }).error.status;

const CALLS: readonly (readonly [type: string, codeOf: TestCall["codeOf"]])[] = [
  ["application/grpc", inStatus],
  ["application/grpc+json", inStatus],
  ["application/grpc-web", inStatus],
  ["application/grpc-web-text", inStatus],
  ["application/json", inBody],
  ["application/proto", inBody],
  ["application/connect+json", inEndOfStream],
  ["application/connect+proto", inEndOfStream],
];

function callsOf(method: DescMethod): TestCall[] {
  const path = methodPath(method);
  const calls = CALLS.map(([type, codeOf]) => ({
    name: `${path} as ${type}`,
    path,
    headers: { "content-type": type },
    codeOf,
  }));
  const get = {
    name: `${path} over GET`,
    path: `${path}?connect=v1&encoding=json&message=%7B%7D`,
    headers: { ":method": "GET", "content-type": "" },
    codeOf: inBody,
  };
  return method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS ? [...calls, get] : calls;
}

function pageAt(path: string, httpMethod = "GET"): TestCall {
  return {
    name: `${httpMethod} ${path}`,
    path,
    headers: { ":method": httpMethod, "content-type": "" },
    codeOf: inRestError,
  };
}

const methodsOf = (services: readonly { readonly methods: readonly DescMethod[] }[]) =>
  services.flatMap(({ methods }) => methods);
const PAGES = [
  "/openapi.json",
  ...(await apiReferencePages(async () => DOCUMENT, { methods: [], isLocked: false })).keys(),
  ...(await workbenchPages(PAGE_FOLDER)).keys(),
];
/** The pages for browsers, which programs need a key for. */
const HTML_PAGES = ["/", "/docs"];
/** Files of these pages. */
const STATIC_FILES = PAGES.filter((path) => /^\/(docs|workbench)\/|^\/favicon\.ico$/.test(path));

/** Requests that require a key and are counted. */
const CHECKED = [
  ...methodsOf([...TOOL_SERVICES, ServerReflection, ServerReflectionV1Alpha]).flatMap(callsOf),
  ...callsOf(Health.method.list),
  ...PLACES.map(({ path, httpMethod }) => pageAt(path, httpMethod.toUpperCase())),
  ...[...HTML_PAGES, "/docs/content", "/openapi.json"].map((path) => pageAt(path)),
  ...["/nothing/here", "/v1/geoIp/", "/%76%31/geoIp", "/healthz/", "//readyz", "/a.b/C"].map((path) =>
    pageAt(path),
  ),
];
/** Requests that are open and not counted. */
const HEALTH = [
  ...[Health.method.check, Health.method.watch].flatMap(callsOf),
  pageAt("/healthz"),
  pageAt("/readyz"),
];

let session: ClientHttp2Session;
beforeAll(async () => {
  session = connect(server.url);
  // The key's limit is exhausted now.
  await ask(pageAt("/openapi.json"), KEY);
});
afterAll(() => session.close());

function ask({ path, headers }: TestCall, added: Readonly<Record<string, string>>): Promise<GrpcStream> {
  return callStream(session, path, [], { ...headers, ...added });
}

test("there are requests of each kind", () => {
  expect([TOOL_SERVICES.length > 5, PLACES.length > 8]).toEqual([true, true]);
  expect(STATIC_FILES.filter((path) => !path.startsWith("/workbench/")).sort()).toEqual([
    "/docs/",
    "/docs/icon.svg",
    "/docs/reference.css",
    "/docs/reference.js",
    "/favicon.ico",
  ]);
  expect(STATIC_FILES.filter((path) => path.startsWith("/workbench/")).length).toBeGreaterThan(0);
  expect(PAGES.filter((path) => !STATIC_FILES.includes(path)).sort()).toEqual([
    "/",
    "/docs",
    "/openapi.json",
  ]);
});

describe("requires a key, has a limit, and is available to allowed origins:", () => {
  test.each(CHECKED)("$name", async (asked) => {
    const { codeOf } = asked;
    const common = { "access-control-allow-origin": ORIGIN, "x-content-type-options": "nosniff" };
    const closed = await ask(asked, { origin: ORIGIN });
    expect(codeOf(closed)).toBe(codeName(Code.Unauthenticated));
    expect(closed.headers).toMatchObject({ ...common, "www-authenticate": 'Bearer realm="utility-tools"' });
    expect(closed.headers).not.toHaveProperty("ratelimit");
    const accept = HTML_PAGES.includes(asked.path) ? ["accept"] : [];
    expect(closed.headers.vary?.split(", ").sort()).toEqual([
      ...accept,
      "accept-encoding",
      "authorization",
      "origin",
      "x-api-key",
    ]);

    const limited = await ask(asked, { ...KEY, origin: ORIGIN });
    expect(codeOf(limited)).toBe(codeName(Code.ResourceExhausted));
    const fields = { "ratelimit-policy": '"default";q=1;w=600', ratelimit: '"default";r=0;t=600' };
    expect(limited.headers).toMatchObject({ ...common, ...fields, "retry-after": "600" });
  });
});

test("scrapes of metrics require a key and are not counted", async () => {
  expect((await ask(pageAt("/metrics"), {})).headers[":status"]).toBe(401);
  for (let times = 0; times < 3; times++) {
    const { headers } = await ask(pageAt("/metrics"), KEY);
    expect(headers[":status"]).toBe(200);
    expect(headers).not.toHaveProperty("ratelimit");
  }
});

describe("requires no key and is counted:", () => {
  const browser = HTML_PAGES.map((path) => ({ path, accept: "text/html" }));
  const files = STATIC_FILES.map((path) => ({ path, accept: "*/*" }));
  test.each([...browser, ...files])("GET $path with Accept: $accept", async ({ path, accept }) => {
    const { headers } = await ask(pageAt(path), { accept, origin: ORIGIN });
    expect(headers).not.toHaveProperty("www-authenticate");
    // The first of these requests uses up the limit of the address.
    expect(["200", "308", "429"]).toContain(String(headers[":status"]));
    expect(headers).toMatchObject({ "ratelimit-policy": '"default";q=1;w=600' });
    const limited = await ask(pageAt(path), { ...KEY, accept, origin: ORIGIN });
    expect(inRestError(limited)).toBe(codeName(Code.ResourceExhausted));
  });
});

describe("health requires no key and is not counted:", () => {
  test.each(HEALTH)("$name", async (asked) => {
    for (const key of [{}, KEY, { "x-api-key": "wrong" }]) {
      const { headers } = await ask(asked, { ...key, origin: ORIGIN });
      expect(headers).not.toHaveProperty("www-authenticate");
      expect(headers).not.toHaveProperty("ratelimit");
      expect(headers["access-control-allow-origin"]).toBe(ORIGIN);
    }
  });
});

test("a CORS preflight requires no key, at any path", async () => {
  const paths = new Set([...CHECKED, ...HEALTH].map(({ path }) => path));
  for (const path of paths) {
    const asking = { origin: ORIGIN, "access-control-request-method": "POST" };
    const { headers } = await ask(pageAt(path, "OPTIONS"), asking);
    expect([path, headers[":status"], headers.ratelimit]).toEqual([path, 204, undefined]);
  }
});

const SOME_PATHS = ["/v1/geoIp?ip_address=8.8.8.8", "/docs", "/metrics", "/a.b/C"];

test.each(["HEAD", "OPTIONS", "PUT", "TRACE"])("%s requires a key", async (httpMethod) => {
  for (const path of SOME_PATHS) {
    expect((await ask(pageAt(path, httpMethod), {})).headers[":status"]).toBe(401);
  }
});

test.each(["BREW", "PROPFIND"])("%s is unknown to the server, with and without a key", async (httpMethod) => {
  for (const path of SOME_PATHS) {
    for (const key of [{}, KEY]) {
      const { headers, body } = await ask(pageAt(path, httpMethod), key);
      expect([headers[":status"], JSON.parse(body.toString()).error.details[0].reason]).toEqual([
        501,
        "UNSUPPORTED_HTTP_METHOD",
      ]);
    }
  }
});
