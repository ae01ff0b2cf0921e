import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import type { StringValue } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectRouter, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import { HttpRuleSchema } from "connect-transcoding/gen/google/api/http_pb.js";
import type { HttpBody } from "connect-transcoding/gen/google/api/httpbody_pb.js";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import type {
  Book,
  CreateBookRequest,
  UploadRequest,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { RequestRecord } from "../../../src/call/http/request-record.js";
import { createError, invalidArgument } from "../../../src/errors/errors.js";
import { readResponse, STACKS, send } from "../../support/http-clients.js";
import { useOnePort } from "../../support/servers.js";

const service = defineService([
  { name: "Add", input: "Book", rule: { ...ruleOf("POST /v1/books"), body: "*" } },
  {
    name: "Count",
    input: "Book",
    clientStreaming: true,
    rule: {
      ...ruleOf("POST /v1/books:count"),
      body: "*",
      additionalBindings: [create(HttpRuleSchema, ruleOf("POST /v1/books:countWithoutBodyRule"))],
    },
  },
  {
    name: "Create",
    input: "CreateBookRequest",
    clientStreaming: true,
    rule: { ...ruleOf("POST /v1/{parent=shelves/*}/books:create"), body: "book", responseBody: "title" },
  },
  {
    name: "Upload",
    input: "UploadRequest",
    clientStreaming: true,
    rule: { ...ruleOf("PUT /v1/files/{name}"), body: "file" },
  },
  {
    name: "Store",
    input: "google.api.HttpBody",
    clientStreaming: true,
    rule: { ...ruleOf("PUT /v1/store"), body: "*" },
  },
  {
    name: "Join",
    input: "google.protobuf.StringValue",
    clientStreaming: true,
    rule: { ...ruleOf("POST /v1/texts:join"), body: "*" },
  },
]);

const errors: unknown[] = [];
const records: RequestRecord[] = [];
const received: unknown[] = [];
/** The error that ended the iteration over requests. */
let broken: unknown;
const signals: AbortSignal[] = [];
/** Continues the iteration after a book `wait`. */
let resume = (): void => {};
afterEach(() => {
  errors.length = 0;
  records.length = 0;
  received.length = 0;
  broken = undefined;
  signals.length = 0;
});

const implementation = {
  add: (book: Book) => book,
  /** Counts books, and does what their titles say. */
  async count(books: AsyncIterable<Book>, { signal }: HandlerContext) {
    signals.push(signal);
    let pages = 0;
    try {
      for await (const book of books) {
        received.push(book.title);
        pages += 1;
        switch (book.title) {
          case "wait":
            await new Promise<void>((resolve) => {
              resume = resolve;
            });
            break;
          case "enough":
            return { pages };
          case "invalid":
            throw invalidArgument([
              { field: "author_names", reason: "REQUIRED", description: "is required" },
            ]);
          case "missing":
            throw createError({ code: Code.NotFound, reason: "NO_BOOK", message: "there is no such book" });
        }
      }
    } catch (error) {
      broken = error;
      throw error;
    }
    return { pages };
  },
  async create(requests: AsyncIterable<CreateBookRequest>, context: HandlerContext) {
    context.responseHeader.set("x-shelf", "1");
    const texts: string[] = [];
    for await (const { parent, book, dryRun } of requests) {
      texts.push(`${parent} ${book?.title} ${dryRun}`);
    }
    return { title: texts.join("; ") };
  },
  async upload(requests: AsyncIterable<UploadRequest>) {
    let title = "";
    for await (const { name, comment, file } of requests) {
      received.push([name, comment, file?.contentType]);
      title += Buffer.from(file?.data ?? []).toString();
    }
    return { title };
  },
  async store(requests: AsyncIterable<HttpBody>) {
    let title = "";
    for await (const { contentType, data } of requests) {
      received.push(contentType);
      title += Buffer.from(data).toString();
    }
    return { title };
  },
  async join(requests: AsyncIterable<StringValue>) {
    let title = "";
    for await (const { value } of requests) {
      title += value;
    }
    return { title };
  },
};

/** Counts the messages of requests, as rate limits do. */
let charged = 0;
const charging: Interceptor = (next) => (request) =>
  next(request.stream ? { ...request, message: counted(request.message) } : request);

async function* counted<T>(messages: AsyncIterable<T>): AsyncIterable<T> {
  for await (const message of messages) {
    charged += 1;
    yield message;
  }
}

const OPTIONS = {
  // The descriptor is created at run time, so that it has no types of its methods.
  routes: (router: ConnectRouter) => {
    router.service(service, implementation as never, { interceptors: [charging] });
  },
  readMaxBytes: 100,
  transcoding: {
    onError: (error: unknown) => errors.push(error),
    observers: [{ onEnd: (record: RequestRecord) => records.push(record) }],
  },
};

const NDJSON = { "content-type": "application/x-ndjson" };
const JSON_ARRAY = { "content-type": "application/json" };
const COUNT = "POST /v1/books:count";

describe.each(STACKS)("a request stream on %s", (stack, useServer, begin) => {
  const server = useServer(OPTIONS);
  const post = (line: string, headers: Record<string, string>, ...chunks: string[]) =>
    send(begin, server.url, line, headers, ...chunks);
  const errorIn = ({ text }: { readonly text: string }) => JSON.parse(text).error;

  test.each([
    [
      { "content-type": "application/x-ndjson" },
      ['{"title":"a"}\n', '\n{"title":', '"b"}\r\n{"title":"c"}'],
      3,
    ],
    [{ "content-type": "application/jsonl" }, ['{"title":"a"}\n'], 1],
    [{ "content-type": "application/json; charset=UTF-8" }, ['[{"title":"a"},', '{"title":"b"}]'], 2],
    [{ "content-type": "application/json" }, ["[]"], 0],
    [{ "content-type": "application/x-ndjson" }, [], 0],
  ])("in %j: %j", async (headers, chunks, pages) => {
    const response = await post(COUNT, headers, ...chunks);
    expect([response.status, response.headers["content-type"]]).toEqual([
      200,
      "application/json; charset=utf-8",
    ]);
    expect(JSON.parse(response.text)).toMatchObject({ pages });
    expect(received).toEqual(["a", "b", "c"].slice(0, pages));
  });

  test("has the parameters of path and query in each message", async () => {
    const lines = '{"title":"a"}\n{"title":"b"}';
    const response = await post("POST /v1/shelves/1/books:create?dry_run=true", NDJSON, lines);
    expect([response.status, response.text]).toEqual([200, '"shelves/1 a true; shelves/1 b true"']);
    expect(response.headers["x-shelf"]).toBe("1");
  });

  test("of well-known types has their JSON form", async () => {
    const join = (body: string) => post("POST /v1/texts:join", JSON_ARRAY, body);
    expect(JSON.parse((await join('["a","b"]')).text)).toMatchObject({ title: "ab" });
    expect(errorIn(await join('["a",1]'))).toMatchObject({
      code: 400,
      details: [{ fieldViolations: [{ field: "messages[1]", reason: "INVALID_TYPE" }] }, {}],
    });
  });

  test("of a rule without a body is in the body", async () => {
    const response = await post(
      "POST /v1/books:countWithoutBodyRule",
      NDJSON,
      '{"title":"a"}\n{"title":"b"}',
    );
    expect([response.status, JSON.parse(response.text).pages]).toEqual([200, 2]);
    expect(received).toEqual(["a", "b"]);
  });

  test("passes the interceptors message by message", async () => {
    charged = 0;
    await post(COUNT, NDJSON, '{"title":"a"}\n{"title":"b"}');
    expect(charged).toBe(2);
  });

  test("is read as it arrives", async () => {
    const { body, response } = begin(server.url, "POST", "/v1/books:count", NDJSON);
    for (const title of ["a", "b"]) {
      body.write(`{"title":"${title}"}\n`);
      await vi.waitUntil(() => received.includes(title), { timeout: 30_000 });
    }
    body.end();
    expect((await readResponse(response)).status).toBe(200);
  });

  test.each([
    ["not JSON", NDJSON, '{"title":"a"}\nx\n', "MALFORMED_BODY", "messages[1] is not JSON"],
    ["not JSON in an array", JSON_ARRAY, '[{"title":"a"},,]', "MALFORMED_BODY", "messages[1] is not JSON"],
    ["nested too deeply", NDJSON, "[".repeat(99), "MALFORMED_BODY", "messages[0] is not JSON"],
    [
      "with a member twice",
      NDJSON,
      '{}\n{"title":"a","title":"b"}',
      "MALFORMED_BODY",
      "messages[1]: a JSON object has the member 'title' twice",
    ],
    ["no array", JSON_ARRAY, "{}", "MALFORMED_BODY", "the body is not a JSON array"],
    ["an incomplete array", JSON_ARRAY, "[{}", "MALFORMED_BODY", "the JSON array in the body is incomplete"],
    ["no object", NDJSON, "{}\n1\n", "INVALID_PARAMETERS", "messages[1]: must be an object"],
    [
      "with invalid fields",
      NDJSON,
      '{}\n{}\n{"publisher":{"name":1},"pages":-1}',
      "INVALID_PARAMETERS",
      expect.stringMatching(/^messages\[2\]\.publisher\.name: .*; messages\[2\]\.pages: /),
    ],
    [
      "with an unknown field",
      NDJSON,
      '{}\n{"x":1}',
      "INVALID_PARAMETERS",
      expect.stringMatching(/^messages\[1\]\.x: is not a parameter here/),
    ],
  ])("with a message that is %s", async (_kind, headers, body, reason, message) => {
    const response = await post(COUNT, headers, body);
    expect([response.status, response.isWhole]).toEqual([400, true]);
    expect(errorIn(response)).toMatchObject({
      message,
      details: expect.arrayContaining([expect.objectContaining({ reason })]),
    });
    expect(errors).toEqual([]);
  });

  test("with a field that conflicts with the path", async () => {
    const line = "POST /v1/shelves/1/books:create?parent=shelves/2";
    expect(errorIn(await post(line, NDJSON, '{"title":"a"}')).message).toBe(
      "parent: is given more than once, with different values",
    );
    expect(received).toEqual([]);
  });

  test("with an invalid query", async () => {
    const response = await post("POST /v1/shelves/1/books:create?dry_run=2&x=1&book.title=b", NDJSON, "{}");
    expect(response.status).toBe(400);
    expect(errorIn(response).details[0].fieldViolations.map(({ field }: { field: string }) => field)).toEqual(
      ["book.title", "x", "dry_run"],
    );
  });

  test.each([
    [{ "content-type": "text/plain" }, "UNSUPPORTED_MEDIA_TYPE"],
    [{}, "UNSUPPORTED_MEDIA_TYPE"],
    [{ ...NDJSON, "content-encoding": "gzip" }, "UNSUPPORTED_CONTENT_ENCODING"],
  ])("with the headers %j", async (headers, reason) => {
    const response = await post(COUNT, headers, "{}");
    expect(response.status).toBe(415);
    expect(errorIn(response).details[0].reason).toBe(reason);
    if (reason === "UNSUPPORTED_MEDIA_TYPE") {
      expect(response.headers.accept).toBe("application/x-ndjson, application/jsonl, application/json");
    }
  });

  test("whose line does not end", async () => {
    const { body, response } = begin(server.url, "POST", "/v1/books:count", NDJSON);
    body.write("{}\n");
    const writing = setInterval(() => body.write("x".repeat(60)), 5);
    const { status, text } = await readResponse(response);
    clearInterval(writing);
    body.destroy();
    expect([status, JSON.parse(text).error.message]).toEqual([
      413,
      "messages[1] is too large; allowed: 100 bytes",
    ]);
  });

  test("that fails in the implementation", async () => {
    const missing = await post(COUNT, NDJSON, '{"title":"a"}\n{"title":"missing"}\n{}\n');
    expect([missing.status, errorIn(missing).details[0].reason]).toEqual([404, "NO_BOOK"]);
    const invalid = await post(COUNT, NDJSON, '{"title":"invalid"}');
    expect([invalid.status, errorIn(invalid).message]).toEqual([400, "authorNames: is required"]);
  });

  test("can have its response before its end", async () => {
    const { body, response } = begin(server.url, "POST", "/v1/books:count", NDJSON);
    body.write('{"title":"enough"}\n');
    const { status, text } = await readResponse(response);
    body.destroy();
    expect([status, JSON.parse(text).pages]).toEqual([200, 1]);
  });

  test("of which the implementation reads a part", async () => {
    const rest = `{"title":"${"x".repeat(80)}"}\n`.repeat(5000);
    const response = await post(COUNT, NDJSON, '{"title":"enough"}\n', rest);
    expect([response.status, JSON.parse(response.text).pages]).toEqual([200, 1]);
  });

  test("ends when the client disconnects", async () => {
    const { body, destroy } = begin(server.url, "POST", "/v1/books:count", NDJSON);
    body.write('{"title":"a"}\n{"title":');
    await vi.waitUntil(() => received.length === 1, { timeout: 30_000 });
    destroy();
    await vi.waitUntil(() => broken !== undefined && records.length === 1, { timeout: 30_000 });
    expect(broken).toMatchObject({ code: Code.Canceled });
    expect([errors, received, signals.map(({ aborted }) => aborted)]).toEqual([[], ["a"], [true]]);
    // Over HTTP/1.1, a client that closes its half before the end of its request may still read the response.
    const code = stack === "createServer over HTTP/1.1" ? Code.InvalidArgument : Code.Canceled;
    expect(records[0]?.code).toBe(code);
  });

  test("waits for the implementation", async () => {
    const { body, response } = begin(server.url, "POST", "/v1/books:count", NDJSON);
    body.write('{"title":"wait"}\n');
    await vi.waitUntil(() => received.length === 1, { timeout: 30_000 });
    const lines = `{"title":"${"x".repeat(80)}"}\n`.repeat(1000);
    let written = 0;
    let isDrained = true;
    while (isDrained) {
      written += 1;
      expect(written).toBeLessThan(300);
      isDrained =
        body.write(lines) || (await Promise.race([once(body, "drain").then(() => true), pause(200, false)]));
    }
    expect(received.length).toBe(1);
    resume();
    body.end();
    expect(JSON.parse((await readResponse(response)).text).pages).toBe(1 + 1000 * written);
  });

  test("can wait for 100 Continue", async () => {
    const expecting = { ...NDJSON, expect: "100-continue" };
    const accepted = begin(server.url, "POST", "/v1/books:count", expecting);
    await once(accepted.body, "continue");
    accepted.body.end('{"title":"a"}\n');
    expect((await readResponse(accepted.response)).status).toBe(200);
    const rejected = begin(server.url, "POST", "/v1/books:count", { ...expecting, "content-type": "a/b" });
    expect((await readResponse(rejected.response)).status).toBe(415);
    rejected.destroy();
  });

  test("of bytes", async () => {
    const { body, response } = begin(server.url, "PUT", "/v1/files/a?comment=b", {
      "content-type": "image/png",
    });
    body.write("first,");
    await vi.waitUntil(() => received.length === 1, { timeout: 30_000 });
    body.end("second");
    expect(JSON.parse((await readResponse(response)).text).title).toBe("first,second");
    expect(received).toEqual([
      ["a", "b", "image/png"],
      ["", "", ""],
    ]);
  });

  test("of bytes that is the whole message, in messages of at most the limit", async () => {
    const text = "0123456789".repeat(25);
    const response = await post("PUT /v1/store", { "content-type": "text/plain" }, text);
    expect(JSON.parse(response.text).title).toBe(text);
    expect(received).toEqual(["text/plain", "", ""]);
  });

  test("of no bytes", async () => {
    const response = await post("PUT /v1/files/a", { "content-type": "image/png", "content-length": "0" });
    expect([response.status, received]).toEqual([200, [["a", "", "image/png"]]]);
  });

  test("of compressed bytes", async () => {
    const response = await post("PUT /v1/store", { "content-encoding": "gzip" }, "x");
    expect(response.status).toBe(415);
  });
});

describe("the timeout of requests", () => {
  const transport = { requestTimeout: 300 };
  const server = useOnePort({ ...OPTIONS, transport });
  const prefixed = useOnePort({ ...OPTIONS, requestPathPrefix: "/api", transport });

  test.concurrent.each([
    ["/v1/books:count", () => server.url],
    ["/api/v1/books:count", () => prefixed.url],
  ])("does not apply to request streams over HTTP/2: %s", async (path, url) => {
    const [, , begin] = STACKS[3];
    const { body, response } = begin(url(), "POST", path, NDJSON);
    body.write('{"title":"a"}\n');
    await pause(900);
    body.end('{"title":"b"}\n');
    expect((await readResponse(response)).status).toBe(200);
  });

  test.concurrent.each([
    ["with a length", "Content-Length: 6\r\n\r\n{}\n", "{}\n"],
    ["in chunks", "Transfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n", "3\r\n{}\n\r\n0\r\n\r\n"],
  ])("does not apply to request streams over HTTP/1.1 %s", async (_, first, rest) => {
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    socket.write(`POST /v1/books:count HTTP/1.1\r\nHost: a\r\nContent-Type: application/jsonl\r\n${first}`);
    await pause(900);
    socket.write(rest);
    const [response] = await once(socket, "data");
    expect(String(response)).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  test("applies to other requests over HTTP/2", async () => {
    const [, , begin] = STACKS[3];
    const { body, response } = begin(server.url, "POST", "/v1/books", JSON_ARRAY);
    body.write("{");
    await expect(response).rejects.toThrow("the stream has closed without a response");
  });

  test.each([
    ["with a length", "Content-Length: 50\r\n\r\n{"],
    ["in chunks", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"],
  ])("applies to other requests over HTTP/1.1 %s", async (_, rest) => {
    const socket = connect({ port: server.port, host: "127.0.0.1" });
    socket.write(`POST /v1/books HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${rest}`);
    const [response] = await once(socket, "data");
    expect(String(response)).toMatch(/^HTTP\/1\.1 408 /);
    await vi.waitUntil(() => records.length === 1, { timeout: 30_000 });
    expect([records[0]?.status, records[0]?.code, errors]).toEqual([408, Code.DeadlineExceeded, []]);
    socket.destroy();
  });
});
