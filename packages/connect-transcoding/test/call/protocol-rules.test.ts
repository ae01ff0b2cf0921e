import { gzipSync } from "node:zlib";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import {
  BadRequestSchema,
  LocalizedMessageSchema,
} from "connect-transcoding/gen/google/rpc/error_details_pb.js";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { describe, expect, test } from "vitest";
import { createRestTransport } from "../../src/client/index.js";
import { invalidArgument } from "../../src/errors/errors.js";
import { useOnePort } from "../support/servers.js";
import { TRANSPORTS } from "../support/transports.js";

const violation = (field: string, reason = "WRONG", description = "is wrong") => ({
  field,
  reason,
  description,
});

/** Errors of a handler, by the last segment of the name. */
const ERRORS: Readonly<Record<string, () => ConnectError>> = {
  unauthenticated: () => new ConnectError("who?", Code.Unauthenticated),
  challenged: () => new ConnectError("who?", Code.Unauthenticated, { "www-authenticate": "Basic" }),
  listed: () =>
    invalidArgument(
      ["is one", "is two", "is two"].map((text) => violation("author_names", "WRONG", text)) as never,
    ),
  cookies: () =>
    new ConnectError("eat", Code.Aborted, [
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
      ["x-reason", "holiday"],
    ]),
  own: () => {
    const error = new ConnectError("own text", Code.Aborted, { "x-reason": "holiday" });
    error.details = [
      { desc: LocalizedMessageSchema, value: { locale: "de" } },
      {
        desc: BadRequestSchema,
        value: { fieldViolations: [violation("author_names"), violation("other_name")] },
      },
    ];
    return error;
  },
};

const Files = defineService([
  { name: "GetFile", rule: ruleOf("GET /files/{name=**}"), output: "google.api.HttpBody" },
  { name: "GetBook", rule: ruleOf("GET /{name=**}") },
]);

const routes = (catchAll: boolean) => (router: Parameters<ReturnType<typeof shelfRoutes>>[0]) => {
  shelfRoutes({
    createBook: ({ book }, { requestHeader }) => {
      throw ERRORS[book?.name ?? ""]?.() ?? new ConnectError([...requestHeader.keys()].join(), Code.Internal);
    },
    getBook: ({ name }, { requestHeader }) => {
      const error = ERRORS[name.slice(name.lastIndexOf("/") + 1)];
      if (error !== undefined) {
        throw error();
      }
      return { title: requestHeader.get("x-data-bin") ?? "" };
    },
  })(router);
  if (catchAll) {
    router.service(Files, { getFile: () => ({ data: Buffer.from("a") }), getBook: () => ({}) } as never);
  }
};
const server = useOnePort({ routes: routes(false), transcoding: { errorDomain: "library.example" } });
const catchAll = useOnePort({ routes: routes(true) });
const BOOKS = "/v1/shelves/1/books";
const CONNECT = `/${ShelfService.typeName}/GetBook`;
const post = (path: string, type: string, body: string, headers = {}) =>
  [path, { method: "POST", headers: { "content-type": type, ...headers }, body }] as const;

// RFC 9110, section 11.6.1.
test.each([
  ["REST", `${BOOKS}/unauthenticated`, {}, 'Bearer realm="library.example"'],
  ["REST", `${BOOKS}/challenged`, {}, "Basic"],
  [
    "Connect",
    ...post(CONNECT, "application/json", '{"name":"unauthenticated"}'),
    'Bearer realm="library.example"',
  ],
  ["Connect", ...post(CONNECT, "application/json", '{"name":"challenged"}'), "Basic"],
])("401 over %s has a challenge: %s", async (_protocol, path, init, challenge) => {
  const { status, headers } = await fetch(server.url + path, init);
  expect([status, headers.get("www-authenticate")]).toEqual([401, challenge]);
});

describe("violations of a handler over REST", () => {
  const create = async (name: string) => {
    const body = JSON.stringify({ name, author_names: ["a"] });
    const response = await fetch(server.url + BOOKS, post(BOOKS, "application/json", body)[1]);
    const { error } = (await response.json()) as { error: { details: { fieldViolations?: object[] }[] } };
    return { response, error };
  };

  test("have the names that the client used, and the error keeps everything else", async () => {
    const { response, error } = await create("own");
    expect([response.status, response.headers.get("x-reason"), error]).toEqual([
      409,
      "holiday",
      {
        code: 409,
        status: "ABORTED",
        message: "own text",
        details: [
          { "@type": "type.googleapis.com/google.rpc.LocalizedMessage", locale: "de" },
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            fieldViolations: [violation("author_names"), violation("other_name")],
          },
        ],
      },
    ]);
  });

  test("with the same field and reason are all listed, equal ones once, also in the message", async () => {
    const { error } = await create("listed");
    expect(error).toMatchObject({ message: "author_names: is one; author_names: is two" });
    expect(error.details[0]?.fieldViolations).toEqual(
      ["is one", "is two"].map((text) => violation("author_names", "WRONG", text)),
    );
  });
});

describe("metadata whose name ends in -bin", () => {
  const transports = [
    ...TRANSPORTS,
    ["REST", (baseUrl: string) => createRestTransport({ baseUrl })] as const,
  ];
  const call = (transport: (typeof transports)[number][1], value: string) =>
    createClient(ShelfService, transport(server.url)).getBook(
      { name: "shelves/1/books/2" },
      { headers: { "x-data-bin": value } },
    );

  // PROTOCOL-HTTP2.md of gRPC; RFC 4648, sections 3.2 and 4.
  test.each(transports)("must be base64 with %s", async (_name, transport) => {
    for (const value of ["", "AQ", "AQ==", "AQI=", "AQID", "+/8", "AQ,AQI"]) {
      expect((await call(transport, value)).title).toBe(value);
    }
    for (const value of ["A", "AQ=", "-_8", "AQ ID", "é", "AQ,!"]) {
      await expect(call(transport, value)).rejects.toMatchObject({
        code: Code.InvalidArgument,
        rawMessage: "the header x-data-bin is not base64, which -bin requires",
      });
    }
  });
});

test.each([
  [catchAll, "application/proto", {}],
  [catchAll, "application/connect+json", {}],
  [catchAll, "application/json", { "connect-protocol-version": "1" }],
  [server, "application/json", { "connect-protocol-version": "1" }],
])("an unknown method is 404 in the form of Connect: %o %s %o", async ({ url }, type, headers) => {
  const [path, init] = post("/library.v1.LibraryService/Nothing", type, "{}", headers);
  const response = await fetch(url + path, init);
  expect([response.status, await response.json()]).toEqual([
    404,
    { code: "unimplemented", message: "unknown method" },
  ]);
});

test("a google.api.HttpBody without a content type has no Content-Type", async () => {
  const response = await fetch(`${catchAll.url}/files/a`);
  expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
    200,
    null,
    "a",
  ]);
});

// connect-es #1154: of several cookies, the last one arrived.
test.each([
  ["REST", `${BOOKS}/cookies`, {}],
  ["Connect", ...post(CONNECT, "application/json", '{"name":"cookies"}')],
])("an error over %s has all of its cookies", async (_protocol, path, init) => {
  const { status, headers } = await fetch(server.url + path, init);
  expect([status, headers.getSetCookie(), headers.get("x-reason")]).toEqual([409, ["a=1", "b=2"], "holiday"]);
});

const WATCH = `/${ShelfService.typeName}/WatchBook`;
const envelope = (flags: number) => Buffer.from([flags, 0, 0, 0, 0]);
const framed = (message: Uint8Array, flags = 0) =>
  Buffer.concat([Buffer.from([flags, 0, 0, 0, message.length]), message]);
const NO_SUCH_FLAG = "the message has flags that the protocol does not define";
const json = (code: string, message: string) => `"code":"${code}","message":"${message}`;
const VERSION = json("invalid_argument", "the request must have the version of the Connect protocol, 1");
/** The status, and neither a grpc-status nor a grpc-message. */
const OK = "200   ";
const NOT_GZIP = "the message is not compressed with gzip";
const WRONG_FORM = "the message is not in the binary format of its type";
const INCOMPLETE = "the body ends within a message";
const ONE = "the method takes exactly one message; the request has ";
const GRPC_GZIP = { "grpc-encoding": "gzip" };
/** Bytes that are no message. */
const NONE = Buffer.from([0xff, 0xff]);

describe("requests in the protocols of RPC", () => {
  test.each<
    [source: string, type: string, headers: object, body: string | Buffer, outcome: string, path?: string]
  >([
    // connect-go, grpc-go, grpc-java and tonic answer INTERNAL.
    ["metis-binary #28", "application/grpc", {}, envelope(2), `200 13 ${NO_SUCH_FLAG}`],
    ["metis-binary #28", "application/grpc", {}, envelope(0x81), `200 13 ${NO_SUCH_FLAG}`],
    [
      "metis-binary #28",
      "application/grpc-web",
      {},
      envelope(4),
      `grpc-message: ${NO_SUCH_FLAG}\r\ngrpc-status: 13`,
    ],
    ["metis-binary #28", "application/connect+proto", {}, envelope(6), json("internal", NO_SUCH_FLAG), WATCH],
    // The statuses of connect-node.
    ["gRPC", "application/grpc", {}, "", `200 12 ${ONE}none`],
    ["gRPC", "application/grpc", {}, Buffer.concat([envelope(0), envelope(0)]), `200 12 ${ONE}several`],
    ["gRPC", "application/grpc", {}, Buffer.concat([envelope(0), NONE]), `200 12 ${ONE}several`],
    ["gRPC", "application/grpc", {}, envelope(0).subarray(1), `200 3 ${INCOMPLETE}`],
    ["gRPC", "application/grpc", {}, framed(NONE).subarray(0, 6), `200 3 ${INCOMPLETE}`],
    ["gRPC", "application/grpc", {}, envelope(1), "200 13 the message is compressed, but no header names"],
    ["gRPC", "application/grpc", {}, framed(NONE), `200 3 ${WRONG_FORM}`],
    ["gRPC", "application/grpc", GRPC_GZIP, framed(gzipSync(NONE), 1), `200 3 ${WRONG_FORM}`],
    ["gRPC-Web", "application/grpc-web", {}, framed(NONE), `grpc-message: ${WRONG_FORM}\r\ngrpc-status: 3`],
    ["Connect", "application/proto", {}, NONE, json("invalid_argument", WRONG_FORM)],
    ["Connect", "application/connect+proto", {}, framed(NONE), json("invalid_argument", WRONG_FORM), WATCH],
    // RFC 9110, section 5.6.6.
    ["jivago #92", "application/json;", {}, "{}", OK],
    ["jivago #92", 'Application/JSON\t;\tCharset="UTF-8" ;', {}, "{}", OK],
    ["jivago #92", "application/proto; a=b", {}, "", OK],
    ["jivago #92", "application/grpc; charset=utf-8", {}, envelope(0), `${OK}\0\0\0\0\0`],
    ["jivago #92", "application/grpc-web+proto;", {}, envelope(0), "grpc-status: 0"],
    ["jivago #92", "application/connect+proto ;a", {}, envelope(0), OK, WATCH],
    ["jivago #92", "application/json;charset=utf-16", {}, "{}", "415   "],
    ["jivago #92", "application/grpc+proto charset=utf-8", {}, envelope(0), "415   "],
    ["RFC 9110 8.4.1", "application/json", { "content-encoding": "Identity" }, "{}", OK],
    ["RFC 9110 8.4.1", "application/json", { "content-encoding": "GZIP" }, gzipSync("{}"), OK],
    ["connectrpc-axum #5", "application/json", { "connect-protocol-version": "2" }, "{}", VERSION],
    ["connectrpc-axum #5", "application/json", { "connect-protocol-version": "" }, "{}", OK],
    [
      "connectrpc-axum #5",
      "application/connect+proto",
      { "connect-protocol-version": "1.0" },
      envelope(0),
      VERSION,
      WATCH,
    ],
  ])("%s: %s %j", async (_source, type, headers, body, outcome, path = CONNECT) => {
    const response = await fetch(server.url + path, {
      method: "POST",
      headers: { "content-type": type, ...headers },
      body,
    });
    const status = ["grpc-status", "grpc-message"].map((name) => response.headers.get(name)).join(" ");
    expect(`${response.status} ${status} ${await response.text()}`).toContain(outcome);
  });

  // connectrpc.com #169 asks for the response to a malformed request.
  test.each([
    ["connect=v2&encoding=json&message={}", VERSION],
    ["encoding=proto&base64=1&message=__8", json("invalid_argument", WRONG_FORM)],
    ["encoding=json&base64=1&message=%7B%7D", json("invalid_argument", WRONG_FORM)],
    ["encoding=proto&base64=1&message=__8&compression=gzip", json("invalid_argument", NOT_GZIP)],
    ["encoding=json&message=%zz", json("invalid_argument", "the query has a malformed percent-encoding")],
    [
      "encoding=json&message=%FF&base64=1",
      json("invalid_argument", "the query has a malformed percent-encoding"),
    ],
  ])("GET with %s", async (query, outcome) => {
    const response = await fetch(`${server.url}${CONNECT}?${query}`);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(outcome)]);
  });
});
