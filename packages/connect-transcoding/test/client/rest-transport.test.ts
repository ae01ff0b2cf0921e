import { createServer as createHttpServer } from "node:http";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { BookSchema, Genre } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  QuotaFailureSchema,
} from "../../gen/google/rpc/error_details_pb.js";
import type { TranscodingOptions } from "../../src/call/options.js";
import { createRestTransport } from "../../src/client/index.js";
import { grpcGatewayErrors, problemDetails } from "../../src/protocols/rest/error-forms.js";
import { useOnePort } from "../support/servers.js";

const rules = [
  { selector: "test.Service.CollectBooks", ...ruleOf("POST /v1/books:collect"), body: "*" },
  { selector: "test.Service.ExchangeBooks", ...ruleOf("POST /v1/books:exchange"), body: "*" },
];
const name = "shelves/1/books/a b";
const serve = (transcoding: TranscodingOptions = {}) =>
  useOnePort({ routes: shelfRoutes(), transcoding: { rules, ...transcoding } });

describe("calls", () => {
  const server = serve();
  const client = () => createClient(ShelfService, createRestTransport({ baseUrl: server.url, rules }));

  test("unary methods, with headers", async () => {
    let header = new Headers();
    const options = {
      headers: { "x-reader": "Zoe" },
      onHeader: (given: Headers) => {
        header = given;
      },
    };
    const book = await client().getBook({ name, view: "x" }, options);
    expect([book.name, book.title, book.isbn]).toEqual([name, "read by Zoe", 9007199254740993n]);
    expect(header.get("x-shelf")).toBe("Zoe");
  });

  test.each([
    [1, "1m"],
    [0.5, "1m"],
    [-5, "1m"],
    [1_500.2, "1501m"],
    [99_999_999, "99999999m"],
    [100_000_000, "100000S"],
    [Number.POSITIVE_INFINITY, "2147484S"],
    [undefined, null],
  ])("the timeout %s ms is sent as %s", async (timeoutMs, expected) => {
    let sent: string | null | undefined;
    const transport = createRestTransport({
      baseUrl: server.url,
      fetch: async (_url, init) => {
        sent = new Headers(init?.headers).get("grpc-timeout");
        return new Response("{}");
      },
    });
    const options = timeoutMs === undefined ? {} : { timeoutMs };
    await createClient(ShelfService, transport)
      .getBook({ name }, options)
      .catch(() => undefined);
    expect(sent).toBe(expected);
  });

  test("methods with a body", async () => {
    const book = create(BookSchema, { name: "b", genre: Genre.NOVEL, labels: { a: "b" } });
    const created = await client().createBook({ parent: "shelves/1", book });
    expect([created.name, created.genre, created.labels]).toEqual([
      "shelves/1/books/b",
      Genre.NOVEL,
      { a: "b" },
    ]);
  });

  test.each(["application/json", "application/x-ndjson", "text/event-stream"])(
    "server streams: %s",
    async (accept) => {
      const pages: number[] = [];
      for await (const book of client().watchBook({ name }, { headers: { accept } })) {
        pages.push(book.pages);
      }
      expect(pages).toEqual([1, 2, 3]);
    },
  );

  test("client streams", async () => {
    async function* requests() {
      yield { name: "a" };
      yield { name: "b" };
    }
    const { books } = await client().collectBooks(requests());
    expect(books.map((book) => book.name)).toEqual(["a", "b"]);
  });

  test("no streams in both directions", async () => {
    const read = async () => {
      for await (const _ of client().exchangeBooks((async function* () {})()));
    };
    await expect(read()).rejects.toMatchObject({ code: Code.Unimplemented });
  });

  test("nothing whose path has no place for its fields", async () => {
    await expect(client().getBook({ name: "books/1" })).rejects.toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: "test.Service.GetBook has fields that match no path of GET /v1/{name=shelves/*/books/*}",
    });
  });

  test("interceptors, which see the request and may change it", async () => {
    const seen: string[] = [];
    const renaming: Interceptor = (next) => async (request) => {
      seen.push(`${request.requestMethod} ${request.method.name}`);
      request.header.set("x-reader", "the interceptor");
      return next(request);
    };
    const transport = createRestTransport({ baseUrl: server.url, interceptors: [renaming] });
    const book = await createClient(ShelfService, transport).getBook({ name });
    expect([book.title, seen]).toEqual(["read by the interceptor", ["GET GetBook"]]);
  });
});

describe.each<[string, TranscodingOptions]>([
  ["AIP-193", {}],
  ["grpc-gateway", { encodeError: grpcGatewayErrors.encodeError }],
  ["RFC 9457", { encodeError: problemDetails.encodeError }],
])("errors in the form of %s", (_form, transcoding) => {
  const server = serve(transcoding);
  const errorOf = async (book: string) => {
    const client = createClient(ShelfService, createRestTransport({ baseUrl: server.url }));
    return ConnectError.from(
      await client.getBook({ name: `shelves/1/books/${book}` }).catch((thrown: unknown) => thrown),
    );
  };

  test("have the code and the message", async () => {
    expect(await errorOf("missing")).toMatchObject({
      code: Code.NotFound,
      rawMessage: "there is no such book: “x”",
    });
    expect(await errorOf("plain")).toMatchObject({ code: Code.Unavailable, rawMessage: "closed" });
  });

  test.each(["application/json", "application/x-ndjson", "text/event-stream"])(
    "end a stream: %s",
    async (accept) => {
      const client = createClient(ShelfService, createRestTransport({ baseUrl: server.url }));
      const pages: number[] = [];
      const read = async () => {
        const request = { name: "shelves/1/books/missing" };
        for await (const book of client.watchBook(request, { headers: { accept } })) {
          pages.push(book.pages);
        }
      };
      await expect(read()).rejects.toMatchObject({
        code: Code.NotFound,
        rawMessage: "there is no such book: “x”",
      });
      expect(pages).toEqual([1, 2, 3]);
    },
  );

  test("have the details", async () => {
    expect((await errorOf("missing")).findDetails(ErrorInfoSchema)).toMatchObject([{ reason: "NO_BOOK" }]);
    expect((await errorOf("invalid")).findDetails(BadRequestSchema)).toMatchObject([
      { fieldViolations: [{ field: "name", reason: "TOO_SHORT" }] },
    ]);
  });

  test("have the headers", async () => {
    expect((await errorOf("plain")).metadata.get("x-reason")).toBe("holiday");
  });
});

describe("a server that misbehaves", () => {
  const listener = createHttpServer((request, response) => {
    const [status = "200", body = ""] = decodeURIComponent(String(request.url).slice(1)).split("|");
    if (status === "never") {
      return;
    }
    if (status === "broken") {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(body, () => response.destroy());
      return;
    }
    const type = body.startsWith("event:") ? "text/event-stream" : "application/json";
    response.writeHead(Number(status), { "content-type": type }).end(body);
  });
  let url = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const address = listener.address();
    url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  });
  afterAll(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const service = defineService([
    { name: "GetBook", rule: ruleOf("GET /{name}") },
    { name: "WatchBook", rule: ruleOf("GET /{name}"), serverStreaming: true },
    {
      name: "WatchPublisher",
      rule: { ...ruleOf("GET /{name}"), responseBody: "publisher" },
      serverStreaming: true,
    },
  ]);
  const client = () =>
    createClient(service, createRestTransport({ baseUrl: url })) as unknown as Record<
      string,
      (request: object, options?: object) => Promise<unknown> & AsyncIterable<unknown>
    >;

  test.each([
    ["200|no JSON", Code.Internal, "the response is not JSON"],
    ['200|{"name":5}', Code.Internal, "the response is not a library.v1.Book: name must be a string"],
    ["200|[]", Code.Internal, "the response is not a library.v1.Book: the message must be an object"],
    [
      '200|{"publisher":{"parent":{"cityName":[]}}}',
      Code.Internal,
      "the response is not a library.v1.Book: publisher.parent.cityName must be a string",
    ],
    [
      '200|{"volumes":[1,2147483648]}',
      Code.Internal,
      "the response is not a library.v1.Book: volumes[1] is out of range; allowed: -2147483648 to 2147483647",
    ],
    ["502|<html>", Code.Unavailable, "HTTP status 502"],
    ["418|", Code.Unknown, "HTTP status 418"],
    ['404|{"message":"no"}', Code.NotFound, "no"],
    ['409|{"error":{"status":"ALREADY_EXISTS","message":"twice"}}', Code.AlreadyExists, "twice"],
    // google-cloud-python #18223.
    [
      '429|[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"later"}}]',
      Code.ResourceExhausted,
      "later",
    ],
    ["429|[]", Code.ResourceExhausted, "HTTP status 429"],
    ['400|{"error":"plain"}', Code.InvalidArgument, "HTTP status 400"],
    ['400|{"code":3,"message":"m","details":[{"@type":"x/unknown.Type"},5]}', Code.InvalidArgument, "m"],
  ])("%s", async (response, code, message) => {
    const error = ConnectError.from(
      await client()
        .getBook?.({ name: response })
        .catch((thrown: unknown) => thrown),
    );
    expect([error.code, error.rawMessage]).toEqual([code, message]);
  });

  test.each([
    ['200|{"result":{"title":"a"}}\n{"result":{"title":"b"}}\n', ["a", "b"], undefined],
    ['200|{"result":{"title":"a"}}\n{"error":{"code":5,"message":"gone"}}\n', ["a"], Code.NotFound],
    ['200|[{"title":"a,]}\\""},\n{"title":"b"}]', ['a,]}"', "b"], undefined],
    ["200|[]", [], undefined],
    ["200|", [], undefined],
    ['200|event: a\ndata:\n\ndata: {"title":"b"}\n\n', ["b"], undefined],
    ["200|[{]", [], Code.Internal],
    ['200|[{"title":"a"},', ["a"], Code.Internal],
    ['broken|[{"title":"a"},', ["a"], Code.Unavailable],
    ['200|event: error\ndata: {"error":{"code":5,"message":"gone"}}\n\n', [], Code.NotFound],
  ])("streams %s", async (response, titles, code) => {
    const found: unknown[] = [];
    const read = async () => {
      for await (const book of client().watchBook?.({ name: response }) ?? []) {
        found.push((book as { title: string }).title);
      }
    };
    const error = await read().then(() => undefined, ConnectError.from);
    expect([found, error?.code]).toEqual([titles, code]);
  });

  test("keeps all digits of numbers in messages, in streams and in details of errors", async () => {
    const long = "9007199254740993";
    expect(
      await client().getBook?.({ name: `200|{"isbn":${long},"copies":1.8446744073709551615e19}` }),
    ).toMatchObject({ isbn: BigInt(long), copies: 2n ** 64n - 1n });
    const isbns: unknown[] = [];
    for await (const book of client().watchBook?.({ name: `200|[{"isbn":${long}},{"isbn":-${long}}]` }) ??
      []) {
      isbns.push((book as { isbn: bigint }).isbn);
    }
    expect(isbns).toEqual([BigInt(long), -BigInt(long)]);
    const quota = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaValue":${long}}]}`;
    for (const [method, name] of [
      ["getBook", `429|{"code":8,"details":[${quota}]}`],
      ["watchBook", `200|{"error":{"code":8,"details":[${quota}]}}`],
    ] as const) {
      const call = client()[method]?.({ name });
      const thrown = await (method === "getBook" ? call : call?.[Symbol.asyncIterator]().next())?.catch(
        (reason: unknown) => reason,
      );
      const details = ConnectError.from(thrown).findDetails(QuotaFailureSchema);
      expect(details).toMatchObject([{ violations: [{ quotaValue: BigInt(long) }] }]);
    }
  });

  test("streams fields in the wrappers of grpc-gateway", async () => {
    const found: unknown[] = [];
    const read = async () => {
      const name = '200|{"result":{"cityName":"a"}}\n{"error":{"code":5,"message":"gone"}}\n';
      for await (const book of client().watchPublisher?.({ name }) ?? []) {
        found.push((book as { publisher: { cityName: string } }).publisher.cityName);
      }
    };
    await expect(read()).rejects.toMatchObject({ code: Code.NotFound, rawMessage: "gone" });
    expect(found).toEqual(["a"]);
  });

  test("is given up at the deadline, or when the call is cancelled", async () => {
    const late = client().getBook?.({ name: "never" }, { timeoutMs: 20 });
    await expect(late).rejects.toMatchObject({ code: Code.DeadlineExceeded });
    const controller = new AbortController();
    const cancelled = client().getBook?.({ name: "never" }, { signal: controller.signal });
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: Code.Canceled });
  });

  test("that is not there is UNAVAILABLE", async () => {
    const transport = createRestTransport({ baseUrl: "http://127.0.0.1:1" });
    await expect(createClient(ShelfService, transport).getBook({ name })).rejects.toMatchObject({
      code: Code.Unavailable,
    });
  });
});

describe("content that is no JSON", () => {
  const service = defineService([
    { name: "GetCover", output: "google.api.HttpBody", rule: ruleOf("GET /v1/{name}") },
    {
      name: "Dump",
      input: "google.api.HttpBody",
      output: "google.api.HttpBody",
      rule: { ...ruleOf("POST /v1/dump"), body: "*" },
    },
  ]);
  const server = useOnePort({
    routes: (router) =>
      router.service(service, {
        getCover: ({ name: id }: { name: string }) => ({ contentType: "image/png", data: Buffer.from(id) }),
        dump: (body: unknown) => body,
      } as never),
  });
  const client = () =>
    createClient(service, createRestTransport({ baseUrl: server.url })) as unknown as Record<
      string,
      (request: object) => Promise<{ contentType: string; data: Uint8Array }>
    >;

  test("is read and sent as it is", async () => {
    const cover = await client().getCover?.({ name: "a/b?" });
    expect([cover?.contentType, Buffer.from(cover?.data ?? []).toString()]).toEqual(["image/png", "a/b?"]);
    const dumped = await client().dump?.({ contentType: "text/csv", data: Buffer.from("a,b") });
    expect([dumped?.contentType, Buffer.from(dumped?.data ?? []).toString()]).toEqual(["text/csv", "a,b"]);
  });
});
