import { defineService } from "connect-transcoding-testing/define-service.js";
import { LibraryService } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import type { Operation, Schema } from "../../src/openapi/open-api.js";
import { documentOf, expectValid, operationOf } from "./describe.js";
import { parametersOf, schemaCompiler } from "./validator.js";

const COMMENTS = {
  "library.v1.LibraryService": "Books.",
  "library.v1.LibraryService.GetBook": "Gets a book. Quickly.",
  "library.v1.Book": "A book.",
  "library.v1.Book.genre": "What kind of book it is.",
  "library.v1.FindBookRequest.id": "Required. The number of the book.",
  "library.v1.Genre.GENRE_NOVEL": "A novel.",
};
const DOCUMENT = documentOf(LibraryService, COMMENTS);
const { schemas } = DOCUMENT.components;

/** The schema of the response of a successful operation. */
function answerSchema(operation: Operation | undefined, type: string): Schema | undefined {
  const response = operation?.responses[200];
  return response !== undefined && "content" in response ? response.content?.[type]?.schema : undefined;
}

test("the document of a library is valid OpenAPI 3.1 with valid JSON Schemas", async () => {
  await expectValid(DOCUMENT);
  const compile = schemaCompiler(DOCUMENT);
  for (const name of Object.keys(schemas)) {
    expect(compile(["components", "schemas", name])(1)).not.toEqual([]);
  }
});

test("it has the info and servers of its arguments", () => {
  expect(DOCUMENT.openapi).toBe("3.1.1");
  expect(DOCUMENT.info).toEqual({ title: "Library", version: "1.2.3", description: "Shelves and books." });
  expect(DOCUMENT.servers).toEqual([{ url: "/" }]);
  expect(DOCUMENT.tags).toEqual([{ name: "LibraryService", description: "Books." }]);
});

test("each path and HTTP method is one operation with a unique ID", () => {
  const operations = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([httpMethod, { operationId }]) => [`${httpMethod} ${path}`, operationId]),
  );
  expect(operations).toEqual([
    ["get /v1/shelves/{name_1}/books/{name_2}", "libraryGetBook"],
    // The same path in OpenAPI, with the same parameters.
    ["patch /v1/shelves/{name_1}/books/{name_2}", "libraryUpdateBook"],
    ["get /v1/books/{name}", "libraryGetBook_2"],
    ["post /v1/shelves/{parent}/books", "libraryCreateBook"],
    ["post /v1/shelves/{name_1}/books/{name_2}:archive", "libraryArchiveBook"],
    ["get /v1/search", "libraryListBooksOrFindBook"],
    ["post /v1/loans", "libraryBorrowBookOrReturnBook"],
    ["get /v1/shelves/{name_1}/books/{name_2}/cover", "libraryGetCover"],
    ["get /v1/files/{name}", "libraryGetFile"],
  ]);
});

describe("operations", () => {
  test("have the first sentence of the comment, or the name of the method, as their summary", () => {
    const { get, patch } = DOCUMENT.paths["/v1/shelves/{name_1}/books/{name_2}"] ?? {};
    expect(get?.summary).toBe("Gets a book");
    expect(get?.description).toBe("Gets a book. Quickly.");
    expect(patch?.summary).toBe("UpdateBook");
    expect(patch?.description).toBeUndefined();
  });

  test("have all other fields in the query, nested ones with dotted names", () => {
    const { post } = DOCUMENT.paths["/v1/shelves/{parent}/books"] ?? {};
    expect(post?.parameters).toEqual([
      {
        name: "parent",
        in: "path",
        required: true,
        description: "Part of `parent`, which is `shelves/{parent}`.",
        schema: { type: "string" },
      },
      { name: "dryRun", in: "query", required: false, schema: { type: "boolean" } },
    ]);
    expect(post?.requestBody?.content["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/BookInput",
    });
  });

  test("of methods on one path are one, with the parameters of all", () => {
    const { get } = DOCUMENT.paths["/v1/search"] ?? {};
    const names = parametersOf(get).map(({ name }) => name);
    expect(names.slice(0, 6)).toEqual([
      "pageSize",
      "like.name",
      "like.title",
      "like.genre",
      "like.authorNames",
      "like.year",
    ]);
    // Maps have no text form, and recursion has no end.
    expect(names).not.toContain("like.labels");
    expect(names.filter((name) => name.startsWith("like.publisher."))).toEqual([
      "like.publisher.name",
      "like.publisher.cityName",
    ]);
    expect(get?.parameters?.at(-1)).toEqual({
      name: "id",
      in: "query",
      required: false,
      // Without "Required.", which is true of FindBook alone.
      description: "The number of the book. Absent: ListBooks. Present: FindBook.",
      schema: { type: "string" },
    });
    expect(get?.summary).toBe("ListBooks or FindBook, by id");
    expect(get?.description).toBe("**ListBooks**, without `id`\n\n**FindBook**, with `id`");
    expect(answerSchema(get, "application/json")).toEqual({
      $ref: "#/components/schemas/LibraryListBooksOrFindBookResult",
    });
    expect(schemas.LibraryListBooksOrFindBookResult).toEqual({
      oneOf: [{ $ref: "#/components/schemas/ListBooksResult" }, { $ref: "#/components/schemas/Book" }],
    });
    expect(schemas.ListBooksResult).toEqual({ type: "array", items: { $ref: "#/components/schemas/Book" } });
  });

  test("have a discriminator if a parameter selects the body, and mention other places for parameters", () => {
    const { post } = DOCUMENT.paths["/v1/loans"] ?? {};
    const oneOf = {
      oneOf: [
        { $ref: "#/components/schemas/BorrowBookBody" },
        { $ref: "#/components/schemas/ReturnBookBody" },
      ],
      discriminator: {
        propertyName: "action",
        mapping: {
          borrow: "#/components/schemas/BorrowBookBody",
          return: "#/components/schemas/ReturnBookBody",
        },
      },
    };
    expect(post?.requestBody?.required).toBe(true);
    expect(Object.keys(post?.requestBody?.content ?? {})).toEqual(["application/json"]);
    expect(post?.description).toContain("in a form (`application/x-www-form-urlencoded`) or in the query.");
    expect(post?.requestBody?.content["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/LibraryBorrowBookOrReturnBookBody",
    });
    expect(schemas.LibraryBorrowBookOrReturnBookBody).toEqual(oneOf);
    expect(schemas.BorrowBookBody).toEqual({
      type: "object",
      properties: {
        action: { type: "string", const: "borrow" },
        title: { type: "string" },
        days: { type: "integer", format: "int32" },
        readerName: { type: "string" },
        format: {
          type: "string",
          enum: ["json", "text"],
          default: "json",
          description: "The format of the response. Default: what `Accept` prefers, or else `json`.",
        },
      },
      required: ["action"],
      additionalProperties: false,
    });
    expect(answerSchema(post, "application/json")).toEqual({ $ref: "#/components/schemas/Loan" });
    expect(answerSchema(post, "text/plain")).toEqual({ type: "string" });
  });

  test("have the rest of a path in one parameter", () => {
    expect(DOCUMENT.paths["/v1/files/{name}"]?.get?.parameters?.[0]).toEqual({
      name: "name",
      in: "path",
      required: true,
      description: "It can have several segments; the slashes between them are not percent-encoded.",
      schema: { type: "string" },
    });
  });

  test("that respond with bytes have the documented media types", () => {
    const rule = { pattern: { case: "get", value: "/v1/cover" }, responseBody: "image" } as const;
    const unknown = operationOf({ name: "GetCover", output: "Cover", rule });
    expect(unknown.responses[200]).toMatchObject({ content: { "*/*": {} } });
    const known = operationOf({
      name: "GetCover",
      output: "Cover",
      rule,
      options: { mediaTypes: ["image/png", "image/jpeg"] },
    });
    expect(known.responses[200]).toEqual({
      description: "The response.",
      content: { "image/png": {}, "image/jpeg": {} },
    });
  });

  test("with a raw body accept any media type", () => {
    const operation = operationOf({
      name: "Upload",
      input: "UploadRequest",
      rule: { pattern: { case: "post", value: "/v1/{name=files/*}" }, body: "file" },
    });
    expect(operation.requestBody).toEqual({ required: false, content: { "*/*": {} } });
    expect(parametersOf(operation).map(({ name }) => name)).toEqual(["name", "comment"]);
  });

  test("that respond with a stream describe it", () => {
    const { responses } = operationOf({
      name: "WatchBook",
      serverStreaming: true,
      rule: { pattern: { case: "get", value: "/v1/watch" } },
    });
    const schema = { $ref: "#/components/schemas/Book" };
    expect(responses[200]).toMatchObject({
      description: expect.stringContaining("If the stream fails, the last one is an error."),
      content: {
        "application/x-ndjson": { schema },
        "application/json": {
          schema: { type: "array", items: schema },
          examples: { WatchBook: { value: [{ title: "" }] } },
        },
        "text/event-stream": { schema },
      },
    });
  });

  test("that take a stream describe it", () => {
    const { requestBody, responses } = operationOf({
      name: "AddBooks",
      input: "CreateBookRequest",
      clientStreaming: true,
      rule: { pattern: { case: "post", value: "/v1/{parent=shelves/*}/books:add" }, body: "book" },
    });
    const schema = { $ref: "#/components/schemas/BookInput" };
    expect(requestBody).toMatchObject({
      required: false,
      content: {
        "application/x-ndjson": { schema },
        "application/jsonl": { schema },
        "application/json": { schema: { type: "array", items: schema } },
      },
    });
    expect(responses[413]).toMatchObject({
      description: expect.stringContaining("`BODY_TOO_LARGE`: A message has more than"),
    });
    expect(responses[200]).toMatchObject({ content: { "application/json": {} } });
  });

  test("with HTTP methods unknown to OpenAPI are left out", () => {
    const { paths } = documentOf(
      defineService([
        { name: "A", rule: { pattern: { case: "custom", value: { kind: "REPORT", path: "/v1/a" } } } },
        { name: "B", rule: { pattern: { case: "custom", value: { kind: "TRACE", path: "/v1/b" } } } },
      ]),
    );
    expect(Object.keys(paths)).toEqual(["/v1/b"]);
  });

  test("have the headers of their responses", () => {
    const { get } = DOCUMENT.paths["/v1/books/{name}"] ?? {};
    expect(get?.responses[200]).toMatchObject({
      headers: { "Cache-Control": { schema: { type: "string", examples: ["max-age=60"] } } },
    });
  });
});
