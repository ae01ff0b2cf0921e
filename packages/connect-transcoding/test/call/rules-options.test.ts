import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:http2";
import { fromJson } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { type ConnectRouter, createClient } from "@connectrpc/connect";
import { HttpSchema } from "connect-transcoding/gen/google/api/http_pb.js";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test } from "vitest";
import type { TranscodingOptions } from "../../src/call/options.js";
import { createTranscodingAdapter } from "../../src/hosts/node.js";
import { STACKS, send } from "../support/http-clients.js";
import { useHttp1, useHttp2, useOnePort } from "../support/servers.js";
import { TRANSPORTS } from "../support/transports.js";

describe("a rule for OPTIONS", () => {
  const service = defineService([
    { name: "Describe", rule: ruleOf("OPTIONS /v1/{name}") },
    { name: "Read", rule: ruleOf("GET /v1/{name}") },
    { name: "Any", rule: ruleOf("* /v2/{name}") },
  ]);
  const respond = () => ({ title: "described" });
  const server = useOnePort({
    routes: (router) => router.service(service, { describe: respond, read: respond, any: respond } as never),
    transcoding: { corsOrigins: ["https://a.example"] },
  });
  const options = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url + path, { method: "OPTIONS", headers });
    return [response.status, response.headers.get("allow"), (await response.text()).includes("described")];
  };

  test("is called", async () => {
    expect(await options("/v1/a")).toEqual([200, null, true]);
    expect(await options("/v1/a", { origin: "https://a.example" })).toEqual([200, null, true]);
    expect(await options("/v1/a", { "access-control-request-method": "GET" })).toEqual([200, null, true]);
  });

  test("is not called by a preflight request", async () => {
    const preflight = { "access-control-request-method": "GET" };
    expect(await options("/v1/a", { origin: "https://a.example", ...preflight })).toEqual([204, null, false]);
    expect(await options("/v1/a", { origin: "https://b.example", ...preflight })).toEqual([
      204,
      "OPTIONS, GET, HEAD",
      false,
    ]);
  });

  test("is not one for all HTTP methods", async () => {
    expect(await options("/v2/a")).toEqual([204, "GET, PUT, POST, PATCH, DELETE, HEAD, OPTIONS", false]);
    expect(await options("/v3/a")).toEqual([404, null, false]);
  });
});

describe("OPTIONS *", () => {
  const service = defineService([
    { name: "Read", rule: ruleOf("GET /v1/{name}") },
    { name: "Report", rule: ruleOf("REPORT /v1/{name}") },
  ]);
  const given = { routes: (router: ConnectRouter) => router.service(service, {}) };
  const own = useOnePort(given);
  const http1 = useHttp1(given);
  const http2 = useHttp2(given);
  const overHttp1 = async (url: string) => {
    const [{ statusCode, headers }] = await once(
      request(url, { method: "OPTIONS", path: "*" }).end(),
      "response",
    );
    return [statusCode, headers.allow];
  };
  const overHttp2 = async (url: string) => {
    const session = connect(url);
    const stream = session.request({ ":method": "OPTIONS", ":path": "*" });
    const [headers] = await once(stream, "response");
    await once(stream.resume(), "close");
    session.close();
    return [headers[":status"], headers.allow];
  };

  test.each([
    ["createServer over HTTP/1.1", () => overHttp1(own.url)],
    ["createServer over HTTP/2", () => overHttp2(own.url)],
    ["node:http", () => overHttp1(http1.url)],
    ["node:http2", () => overHttp2(http2.url)],
  ])("lists the methods of all routes with %s", async (_name, ask) => {
    expect(await ask()).toEqual([204, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, REPORT"]);
  });
});

describe("rules in the options", () => {
  const rules = fromJson(HttpSchema, {
    rules: [{ selector: "test.Service.GetBook", get: "/v9/{name=books/*}" }],
  }).rules;
  const server = useOnePort({ routes: shelfRoutes(), transcoding: { rules } });

  test("replace those of the proto file", async () => {
    const response = await fetch(`${server.url}/v9/books/2`);
    expect([response.status, await response.json()]).toMatchObject([200, { name: "books/2" }]);
    expect((await fetch(`${server.url}/v1/shelves/1/books/2`)).status).toBe(404);
    expect((await fetch(`${server.url}/v1/shelves/1/books/2:watch`)).status).toBe(200);
  });

  test("throw if they select no method", () => {
    const transcoding = { rules: [{ selector: "test.Service.Nope", ...ruleOf("GET /v1/a") }] };
    expect(() => createTranscodingAdapter({ routes: shelfRoutes(), transcoding })).toThrow(
      new Error("a rule selects 'test.Service.Nope', which is not a registered method"),
    );
  });
});

describe("unsupported rules", () => {
  const rules: TranscodingOptions["rules"] = [
    { selector: "test.Service.CollectBooks", ...ruleOf("GET /v1/books:collect") },
    { selector: "test.Service.CreateBook", ...ruleOf("POST /v1/{nope}") },
  ];
  const skipped: string[] = [];
  const server = useOnePort({
    routes: shelfRoutes(),
    transcoding: {
      rules,
      unsupported: "skip",
      onUnsupported: ({ name }, { message }) => skipped.push(`${name}: ${message}`),
    },
  });

  test("throw by default", () => {
    expect(() => createTranscodingAdapter({ routes: shelfRoutes(), transcoding: { rules } })).toThrow(
      /^test\.Service\.CreateBook: the path binds 'nope'.*\ntest\.Service\.CollectBooks: a method that takes a stream needs a body/,
    );
  });

  test("can be skipped, and are reported", () => {
    expect(skipped).toEqual([
      "CreateBook: test.Service.CreateBook: the path binds 'nope', which is not a field of library.v1.CreateBookRequest",
      "CollectBooks: test.Service.CollectBooks: a method that takes a stream needs a body",
    ]);
  });

  test("leave the other methods of the service as they are", async () => {
    expect((await fetch(`${server.url}/v1/shelves/1/books/2`)).status).toBe(200);
  });

  test.each(TRANSPORTS)("leave their methods available with %s", async (_name, transportTo) => {
    const client = createClient(ShelfService, transportTo(server.url));
    expect((await client.createBook({ parent: "a", book: { name: "b" } })).name).toBe("a/books/b");
  });
});

describe("a request that is a Struct", () => {
  const service = defineService([
    {
      name: "Store",
      input: "google.protobuf.Struct",
      output: "google.protobuf.Struct",
      rule: { ...ruleOf("POST /v1/struct"), body: "*" },
    },
  ]);
  const server = useOnePort({
    routes: (router) => router.service(service, { store: (message: unknown) => message } as never),
  });

  test.each(["/v1/struct", "/test.Service/Store"])("is a JSON object at %s", async (path) => {
    const body = '{"a":[1,null]}';
    const headers = { "content-type": "application/json" };
    const response = await fetch(server.url + path, { method: "POST", body, headers });
    expect([response.status, await response.text()]).toEqual([200, body]);
  });

  test.each(TRANSPORTS)("arrives with %s", async (_name, transportTo) => {
    const client = createClient(service, transportTo(server.url)) as unknown as {
      store(message: unknown): Promise<unknown>;
    };
    const message = fromJson(StructSchema, { a: { b: true } });
    expect(await client.store(message)).toEqual(message);
  });
});

describe("bodies that do not fit their rule", () => {
  const routes = shelfRoutes();
  const strict = useOnePort({ routes });
  const lenient = useOnePort({ routes, transcoding: { unexpectedBodies: "ignore", untypedBodies: "json" } });
  const book = "/v1/shelves/1/books/2";
  // Node's fetch sends no body with GET, and a type with every text.
  const statusOf = async (url: string, line: string, type: string | undefined, body: string) => {
    const headers = type === undefined ? undefined : { "content-type": type };
    return (await send(STACKS[0][2], url, line, headers, body)).status;
  };

  test.each<[line: string, type: string | undefined, body: string, strict: number, lenient: number]>([
    [`GET ${book}`, "application/json", "{}", 400, 200],
    [`GET ${book}`, undefined, "{", 400, 200],
    [`GET ${book}`, "text/plain", "a", 400, 200],
    [`GET ${book}:watch`, "application/json", "{}", 400, 200],
    ["POST /v1/shelves/1/books", undefined, '{"name":"a"}', 415, 200],
    ["POST /v1/shelves/1/books", "", '{"name":"a"}', 415, 200],
    ["POST /v1/shelves/1/books", undefined, "{", 415, 400],
    ["POST /v1/shelves/1/books", "text/plain", "{}", 415, 415],
  ])("%s with %j and %j: %d, or %d with the options", async (line, type, body, first, second) => {
    expect(await statusOf(strict.url, line, type, body)).toBe(first);
    expect(await statusOf(lenient.url, line, type, body)).toBe(second);
  });
});

describe("the types in an Any, without the option registry", () => {
  const service = defineService([
    { name: "Echo", input: "Specimen", output: "Specimen", rule: { ...ruleOf("POST /v1/echo"), body: "*" } },
  ]);
  const server = useOnePort({
    routes: (router) => router.service(service, { echo: (specimen: unknown) => specimen } as never),
  });

  test.each([
    { "@type": "type.googleapis.com/google.protobuf.Duration", value: "1s" },
    { "@type": "type.googleapis.com/google.protobuf.Empty" },
    { "@type": "type.googleapis.com/google.protobuf.Struct", value: { a: 1 } },
    // Of a file that the file of the service imports.
    { "@type": "type.googleapis.com/library.v1.Publisher", name: "a", parent: null },
  ])("%j", async (any) => {
    const response = await fetch(`${server.url}/v1/echo`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ any }),
    });
    const { any: echoed } = (await response.json()) as { readonly any: object };
    expect(echoed).toMatchObject({ "@type": any["@type"] });
  });
});
