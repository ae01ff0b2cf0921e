import { once } from "node:events";
import { createServer as createHttp1Server } from "node:http";
import { connect, createServer as createHttp2Server, type IncomingHttpHeaders } from "node:http2";
import { text } from "node:stream/consumers";
import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  connectNodeAdapter,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { BadRequestSchema, ErrorInfoSchema } from "connect-transcoding/gen/google/rpc/error_details_pb.js";
import {
  BookSchema,
  ListBooksResponseSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { createGrpcWebTextTransport } from "connect-transcoding-testing/grpc-web-text-transport.js";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { useListening } from "connect-transcoding-testing/use-listening.js";
import { describe, expect, test } from "vitest";
import { useHttp1, useHttp2, useOnePort } from "../support/servers.js";

const routes = shelfRoutes();
const options = { routes };
const expected = {
  "1.1": useListening(createHttp1Server(connectNodeAdapter({ routes }))),
  "2": useListening(createHttp2Server(connectNodeAdapter({ routes }))),
};
const adapter = { "1.1": useHttp1(options), "2": useHttp2(options) };
const onePort = useOnePort(options);

const TRANSPORTS: readonly [name: string, httpVersion: "1.1" | "2", (baseUrl: string) => Transport][] = [
  ...(["1.1", "2"] as const).flatMap((httpVersion) =>
    [true, false].flatMap((useBinaryFormat): typeof TRANSPORTS => {
      const form = `${useBinaryFormat ? "binary" : "JSON"} over HTTP/${httpVersion}`;
      const shared = { httpVersion, useBinaryFormat };
      return [
        [
          `Connect, ${form}`,
          httpVersion,
          (baseUrl) =>
            createConnectTransport({ ...shared, baseUrl } as { httpVersion: "2"; baseUrl: string }),
        ],
        [
          `Connect with GET, ${form}`,
          httpVersion,
          (baseUrl) =>
            createConnectTransport({ ...shared, baseUrl, useHttpGet: true } as {
              httpVersion: "2";
              baseUrl: string;
            }),
        ],
        [
          `gRPC-Web, ${form}`,
          httpVersion,
          (baseUrl) =>
            createGrpcWebTransport({ ...shared, baseUrl } as { httpVersion: "2"; baseUrl: string }),
        ],
      ];
    }),
  ),
  ["gRPC", "2", (baseUrl) => createGrpcTransport({ baseUrl })],
  ["gRPC with JSON", "2", (baseUrl) => createGrpcTransport({ baseUrl, useBinaryFormat: false })],
];

/** Headers that the implementation sets. */
const NAMES = ["x-shelf", "x-returned", "x-reason"];

const pick = (headers: Headers | undefined) =>
  Object.fromEntries(NAMES.flatMap((name) => (headers?.has(name) ? [[name, headers.get(name)]] : [])));

function errorOutcome(thrown: unknown) {
  const { code, rawMessage, metadata, ...error } = ConnectError.from(thrown);
  const details = error.details.map((detail) => ("type" in detail ? [detail.type, detail.value] : detail));
  return { code: Code[code], rawMessage, metadata: pick(metadata), details };
}

/** Calls every method, and returns everything that the client sees. */
async function outcomesOf(transport: Transport) {
  const client = createClient(ShelfService, transport);
  const outcomes: unknown[] = [];
  async function record<Desc extends DescMessage>(
    desc: Desc,
    call: (options: object) => Promise<MessageShape<Desc>> | AsyncIterable<MessageShape<Desc>>,
  ): Promise<void> {
    let header: Headers | undefined;
    let trailer: Headers | undefined;
    const messages: unknown[] = [];
    let error: unknown;
    try {
      const response = call({
        headers: { "x-reader": "Ann" },
        onHeader: (headers: Headers) => {
          header = headers;
        },
        onTrailer: (trailers: Headers) => {
          trailer = trailers;
        },
      });
      if (Symbol.asyncIterator in response) {
        for await (const message of response) {
          messages.push(toJson(desc, message));
        }
      } else {
        messages.push(toJson(desc, await response));
      }
    } catch (thrown) {
      error = errorOutcome(thrown);
    }
    outcomes.push({ header: pick(header), trailer: pick(trailer), messages, error });
  }
  async function* requests(...names: string[]) {
    for (const name of names) {
      yield { name };
    }
  }
  for (const last of ["1", "missing", "invalid", "plain"]) {
    const name = `shelves/1/books/${last}`;
    await record(BookSchema, (call) => client.getBook({ name, view: "full" }, call));
    await record(BookSchema, (call) =>
      client.createBook({ parent: "shelves/1", book: { name: last } }, call),
    );
    await record(BookSchema, (call) => client.watchBook({ name }, call));
    await record(ListBooksResponseSchema, (call) => client.collectBooks(requests("a", name), call));
    await record(BookSchema, (call) => client.exchangeBooks(requests("a", name), call));
  }
  return outcomes;
}

describe("an implementation written for connectNodeAdapter has the same results with", () => {
  test.each(TRANSPORTS)("%s", async (_name, httpVersion, transportTo) => {
    const outcomes = await outcomesOf(transportTo(expected[httpVersion].url));
    expect(outcomes[0]).toEqual({
      header: { "x-shelf": "Ann" },
      trailer: { "x-returned": "Ann" },
      messages: [
        { name: "shelves/1/books/1", title: "read by Ann", authorNames: ["full"], isbn: "9007199254740993" },
      ],
      error: undefined,
    });
    expect(outcomes).toMatchObject({ 5: { error: { code: "NotFound" } }, length: 20 });
    expect(await outcomesOf(transportTo(adapter[httpVersion].url))).toEqual(outcomes);
    expect(await outcomesOf(transportTo(onePort.url))).toEqual(outcomes);
  });
});

describe("gRPC-Web in text form has the same results as in binary form with", () => {
  const grpcWeb = TRANSPORTS.filter(([name]) => name.startsWith("gRPC-Web"));
  test.each(grpcWeb)("%s", async (name, httpVersion, transportTo) => {
    const outcomes = await outcomesOf(transportTo(expected[httpVersion].url));
    for (const { url: baseUrl } of [adapter[httpVersion], onePort]) {
      const options = { baseUrl, httpVersion, useBinaryFormat: name.includes("binary") };
      expect(await outcomesOf(createGrpcWebTextTransport(options))).toEqual(outcomes);
    }
  });
});

describe.each([
  ["node:http", () => adapter["1.1"].url],
  ["one port", () => onePort.url],
])("the same implementation over REST on %s", (_name, url) => {
  const get = (target: string) => fetch(`${url()}${target}`, { headers: { "x-reader": "Ann" } });

  test("serves unary methods", async () => {
    const response = await get("/v1/shelves/1/books/1?view=full");
    expect([response.status, response.headers.get("x-shelf"), await response.json()]).toMatchObject([
      200,
      "Ann",
      { name: "shelves/1/books/1", title: "read by Ann", authorNames: ["full"], isbn: "9007199254740993" },
    ]);
    const created = await fetch(`${url()}/v1/shelves/1/books`, {
      method: "POST",
      body: JSON.stringify({ name: "2", title: "B" }),
      headers: { "content-type": "application/json" },
    });
    expect([created.status, created.headers.get("x-shelf"), await created.json()]).toMatchObject([
      200,
      "1, 2",
      { name: "shelves/1/books/2", title: "B" },
    ]);
  });

  test("serves errors with their details", async () => {
    const missing = await get("/v1/shelves/1/books/missing");
    expect([missing.status, await missing.json()]).toMatchObject([
      404,
      { error: { status: "NOT_FOUND", message: "there is no such book: “x”" } },
    ]);
    const invalid = await get("/v1/shelves/1/books/invalid");
    const { error } = (await invalid.json()) as { error: { details: unknown[] } };
    expect(error.details).toMatchObject([
      { "@type": `type.googleapis.com/${BadRequestSchema.typeName}`, fieldViolations: [{ field: "name" }] },
      { "@type": `type.googleapis.com/${ErrorInfoSchema.typeName}`, reason: "INVALID_PARAMETERS" },
    ]);
    const plain = await get("/v1/shelves/1/books/plain");
    expect([plain.status, plain.headers.get("x-reason")]).toEqual([503, "holiday"]);
  });

  test("serves streams", async () => {
    const response = await get("/v1/shelves/1/books/missing:watch");
    expect(response.headers.get("x-shelf")).toBe("watched");
    expect(await response.json()).toMatchObject([
      { name: "shelves/1/books/missing", pages: 1 },
      { pages: 2 },
      { pages: 3 },
      { error: { status: "NOT_FOUND" } },
    ]);
  });
});

test("the same implementation over REST on node:http2", async () => {
  const session = connect(adapter["2"].url);
  const get = async (path: string) => {
    const stream = session.request({ ":path": path, "x-reader": "Ann" });
    const [headers] = (await once(stream, "response")) as [IncomingHttpHeaders];
    return { headers, body: await text(stream) };
  };
  const book = await get("/v1/shelves/1/books/1");
  expect(book.headers).toMatchObject({ ":status": 200, "x-shelf": "Ann" });
  expect(JSON.parse(book.body)).toMatchObject({ title: "read by Ann" });
  const missing = await get("/v1/shelves/1/books/missing");
  expect([missing.headers[":status"], JSON.parse(missing.body).error.status]).toEqual([404, "NOT_FOUND"]);
  const watched = await get("/v1/shelves/1/books/1:watch");
  expect(watched.headers).toMatchObject({ ":status": 200, "x-shelf": "watched" });
  expect(watched.body.trim().split("\n")).toHaveLength(3);
  session.close();
});
