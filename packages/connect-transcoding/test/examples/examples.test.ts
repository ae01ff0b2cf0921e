import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, Code, ConnectError, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import type { OpenApiDocument } from "connect-transcoding/openapi";
import { endPrograms, runProgram } from "connect-transcoding-testing/run-program.js";
import { TYPESCRIPT_FLAGS } from "connect-transcoding-testing/typescript-flags.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ElizaService } from "../../examples/add-rest/gen/eliza/v1/eliza_pb.js";
import { LibraryService as GoogleLibraryService } from "../../examples/google-library/gen/google/example/library/v1/library_pb.js";
import { LibraryService } from "../../examples/library/gen/example/library/v1/library_pb.js";

const EXAMPLES = join(import.meta.dirname, "../../examples");

/** Starts a program of the examples. Returns its URL. */
async function start(path: string): Promise<string> {
  const [, url = ""] = await runProgram([...TYPESCRIPT_FLAGS, join(EXAMPLES, path)], { PORT: "0" }).says(
    /ready on (http:\S+)/,
  );
  return url;
}

/** Sends a request of JSON over HTTP. */
async function send(httpMethod: string, url: string, body?: unknown) {
  const response = await fetch(url, {
    method: httpMethod,
    ...(body === undefined
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

async function json(httpMethod: string, url: string, body?: unknown) {
  const { status, text } = await send(httpMethod, url, body);
  return { status, body: JSON.parse(text) as unknown };
}

/** The response to an unknown resource or an invalid field. */
const failure = (status: number, reason: string, domain: string) => ({
  status,
  body: {
    error: {
      code: status,
      status: expect.any(String),
      message: expect.any(String),
      details: expect.arrayContaining([expect.objectContaining({ reason, domain })]),
    },
  },
});

const transports = (baseUrl: string) =>
  [
    ["gRPC", createGrpcTransport({ baseUrl })],
    ["gRPC-Web", createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
    ["Connect", createConnectTransport({ baseUrl, httpVersion: "1.1" })],
  ] as const;

describe("packages/connect-transcoding/examples/library", () => {
  let url = "";
  beforeAll(async () => {
    url = await start("library/server.js");
  });

  test("serves the same books in every protocol", async () => {
    const created = await json("POST", `${url}/v1/shelves/fiction/books`, { title: "Momo" });
    const book = { name: "shelves/fiction/books/1", title: "Momo", read: false };
    expect(created).toEqual({ status: 200, body: book });
    expect(await json("POST", `${url}/v1/${book.name}:read`, {})).toEqual({
      status: 200,
      body: { ...book, read: true },
    });
    expect(await json("GET", `${url}/v1/shelves/fiction/books`)).toEqual({
      status: 200,
      body: { books: [{ ...book, read: true }] },
    });
    for (const [name, transport] of transports(url)) {
      const client = createClient(LibraryService, transport);
      expect(await client.getBook({ name: book.name }), name).toMatchObject({ ...book, read: true });
    }
  });

  test("returns errors with details in every protocol", async () => {
    expect(await json("GET", `${url}/v1/shelves/fiction/books/9`)).toEqual(
      failure(404, "BOOK_NOT_FOUND", "library.example.com"),
    );
    expect(await json("POST", `${url}/v1/shelves/fiction/books`, { title: "" })).toEqual(
      failure(400, "INVALID_PARAMETERS", "library.example.com"),
    );
    for (const [name, transport] of transports(url)) {
      const call = createClient(LibraryService, transport).getBook({ name: "shelves/fiction/books/9" });
      expect(await call.catch((thrown) => ConnectError.from(thrown).code), name).toBe(Code.NotFound);
    }
  });

  test("imports and exports streams of books", async () => {
    const imported = await fetch(`${url}/v1/shelves/essays/books:import`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: '{"title": "A"}\n{"title": "B"}\n',
    });
    expect(await imported.json()).toMatchObject({ books: [{ title: "A" }, { title: "B" }] });
    const headers = { accept: "application/json" };
    const exported = await fetch(`${url}/v1/shelves/essays/books:export`, { headers });
    expect(await exported.json()).toMatchObject([{ title: "A" }, { title: "B" }]);
  });

  test("has an OpenAPI document and health checks", async () => {
    const { body } = await json("GET", `${url}/openapi.json`);
    expect(Object.keys((body as { paths: object }).paths)).toEqual([
      "/v1/shelves/{name_1}/books/{name_2}",
      "/v1/shelves/{parent}/books",
      "/v1/shelves/{name_1}/books/{name_2}:read",
      "/v1/shelves/{parent}/books:import",
      "/v1/shelves/{parent}/books:export",
    ]);
    const health = createClient(Health, createGrpcTransport({ baseUrl: url }));
    expect(await health.check({ service: LibraryService.typeName })).toMatchObject({ status: 1 });
  });
});

test("packages/connect-transcoding/examples/library/books.test.js passes", async () => {
  const program = runProgram([...TYPESCRIPT_FLAGS, join(EXAMPLES, "library/books.test.js")]);
  expect([await program.exit, /^# (?:pass|fail) \d+$/gm.exec(program.out())?.[0]], program.out()).toEqual([
    0,
    "# pass 4",
  ]);
});

describe("packages/connect-transcoding/examples/add-rest", () => {
  const say = (client: Client<typeof ElizaService>) => client.say({ sentence: "Hello" });

  test.each([
    ["before.js", 404],
    ["after.js", 200],
  ])("%s serves Connect and gRPC-Web; its status over REST is %i", async (file, status) => {
    const url = await start(`add-rest/${file}`);
    // A cleartext server of node:http has no HTTP/2, and so no gRPC.
    for (const [name, transport] of transports(url).slice(1)) {
      const client = createClient(ElizaService, transport);
      expect(await say(client), name).toMatchObject({ sentence: "You said: Hello" });
    }
    expect((await send("POST", `${url}/v1/eliza:say`, { sentence: "Hello" })).status).toBe(status);
  });

  test("serves JSON over HTTP, and streams as arrays, after the change", async () => {
    const url = await start("add-rest/after.js");
    expect(await json("POST", `${url}/v1/eliza:say`, { sentence: "Hello" })).toEqual({
      status: 200,
      body: { sentence: "You said: Hello" },
    });
    expect(await send("GET", `${url}/v1/eliza/introduction/Ada`)).toEqual({
      status: 200,
      text: '[{"sentence":"Hi Ada."},\n{"sentence":"I am Eliza."}]',
    });
  });

  test("changes the adapter and its import, and nothing else", () => {
    const lines = (file: string) =>
      readFileSync(join(EXAMPLES, "add-rest", file), "utf8")
        .split("\n")
        .slice(1);
    const before = lines("before.js").join("\n");
    const changed = before
      .replace(
        'connectNodeAdapter } from "@connectrpc/connect-node"',
        'createTranscodingAdapter } from "connect-transcoding"',
      )
      .replace("connectNodeAdapter", "createTranscodingAdapter");
    expect(lines("after.js").join("\n")).toBe(changed);
  });
});

test("packages/connect-transcoding/examples/google-library/print-openapi.js prints a document with comments and security", async () => {
  const program = runProgram([...TYPESCRIPT_FLAGS, join(EXAMPLES, "google-library/print-openapi.js")]);
  const [text] = await program.says(/^\{\n[\s\S]*\n\}\n$/);
  const document: OpenApiDocument = JSON.parse(text);
  expect(await new Validator().validate(JSON.parse(text))).toEqual({ valid: true });
  expect(document.security).toEqual([{ token: [] }, { key: [] }]);
  const { get, post } = document.paths["/v1/shelves"] ?? {};
  expect([get?.summary, get?.security]).toEqual(["Lists shelves", []]);
  expect([post?.summary, post?.security]).toEqual(["Creates a shelf, and returns the new Shelf", undefined]);
  expect(document.components.schemas.Book?.properties?.author?.description).toMatch(
    /^The name of the book author\.?$/,
  );
});

describe("packages/connect-transcoding/examples/google-library", () => {
  let url = "";
  beforeAll(async () => {
    url = await start("google-library/server.js");
  });

  test("serves every method by its HTTP rule", async () => {
    const steps = [
      ["POST", "/v1/shelves", { theme: "Fiction" }, { name: "shelves/1", theme: "Fiction" }],
      ["POST", "/v1/shelves", { theme: "Science" }, { name: "shelves/2", theme: "Science" }],
      ["GET", "/v1/shelves/2", undefined, { name: "shelves/2", theme: "Science" }],
      [
        "GET",
        "/v1/shelves?page_size=1",
        undefined,
        { shelves: [{ name: "shelves/1", theme: "Fiction" }], nextPageToken: "1" },
      ],
      [
        "GET",
        "/v1/shelves?page_size=1&page_token=1",
        undefined,
        { shelves: [{ name: "shelves/2", theme: "Science" }], nextPageToken: "" },
      ],
      [
        "POST",
        "/v1/shelves/1/books",
        { author: "Ende", title: "Momo" },
        { name: "shelves/1/books/3", author: "Ende", title: "Momo", read: false },
      ],
      [
        "PUT",
        "/v1/shelves/1/books/3",
        { author: "Michael Ende", title: "Momo", read: true },
        { name: "shelves/1/books/3", author: "Michael Ende", title: "Momo", read: true },
      ],
      [
        "POST",
        "/v1/shelves/1/books/3:move",
        { other_shelf_name: "shelves/2" },
        { name: "shelves/2/books/4", author: "Michael Ende", title: "Momo", read: true },
      ],
      [
        "POST",
        "/v1/shelves/1:merge",
        { otherShelfName: "shelves/2" },
        { name: "shelves/1", theme: "Fiction" },
      ],
      [
        "GET",
        "/v1/shelves/1/books",
        undefined,
        {
          books: [{ name: "shelves/1/books/5", author: "Michael Ende", title: "Momo", read: true }],
          nextPageToken: "",
        },
      ],
      [
        "GET",
        "/v1/shelves/1/books/5",
        undefined,
        { name: "shelves/1/books/5", author: "Michael Ende", title: "Momo", read: true },
      ],
      ["DELETE", "/v1/shelves/1/books/5", undefined, {}],
      ["DELETE", "/v1/shelves/1", undefined, {}],
      ["GET", "/v1/shelves", undefined, { shelves: [], nextPageToken: "" }],
    ] as const;
    for (const [httpMethod, path, body, expected] of steps) {
      expect(await json(httpMethod, `${url}${path}`, body), `${httpMethod} ${path}`).toEqual({
        status: 200,
        body: expected,
      });
    }
  });

  test("returns the errors that the proto file documents", async () => {
    const domain = "library-example.googleapis.com";
    expect(await json("GET", `${url}/v1/shelves/9`)).toEqual(failure(404, "RESOURCE_NOT_FOUND", domain));
    expect(await json("PUT", `${url}/v1/shelves/1/books/3`, { name: "shelves/1/books/4" })).toEqual(
      failure(400, "INVALID_PARAMETERS", domain),
    );
  });

  test("serves the same over gRPC", async () => {
    const client = createClient(GoogleLibraryService, createGrpcTransport({ baseUrl: url }));
    const { name } = await client.createShelf({ shelf: { theme: "Poetry" } });
    expect(await client.getShelf({ name })).toMatchObject({ name, theme: "Poetry" });
    await client.deleteShelf({ name });
    const call = client.getShelf({ name });
    expect(await call.catch((thrown) => ConnectError.from(thrown).code)).toBe(Code.NotFound);
  });
});

afterAll(endPrograms);
