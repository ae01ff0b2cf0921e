import { create, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import type { Operation, Schema } from "../../src/openapi/open-api.js";
import { Genre, LibraryService, SpecimenSchema } from "../gen/library/v1/library_pb.js";
import { defineService } from "../transcoding/define-service.js";
import { documentOf, expectValid, operationOf } from "./describe.js";
import { schemaCompiler } from "./validator.js";

const COMMENTS = {
  "library.v1.LibraryService": "Books.",
  "library.v1.LibraryService.GetBook": "Gets a book. Quickly.",
  "library.v1.Book": "A book.",
  "library.v1.Book.genre": "What kind of book it is.",
  "library.v1.Genre.GENRE_NOVEL": "A novel.",
};
const DOCUMENT = documentOf(LibraryService, COMMENTS);
const { schemas } = DOCUMENT.components;

/** The schema of the answer of an operation that succeeds. */
function answerSchema(operation: Operation | undefined, type: string): Schema | undefined {
  const response = operation?.responses[200];
  return response !== undefined && "content" in response ? response.content?.[type]?.schema : undefined;
}

test("the document of a library is valid OpenAPI 3.1, and JSON Schema takes its schemas", async () => {
  await expectValid(DOCUMENT);
  const compile = schemaCompiler(DOCUMENT);
  for (const name of Object.keys(schemas)) {
    expect(compile(["components", "schemas", name])(1)).not.toEqual([]);
  }
});

test("it has what it is given", () => {
  expect(DOCUMENT.openapi).toBe("3.1.1");
  expect(DOCUMENT.info).toEqual({ title: "Library", version: "1.2.3", description: "Shelves and books." });
  expect(DOCUMENT.servers).toEqual([{ url: "/" }]);
  expect(DOCUMENT.tags).toEqual([{ name: "LibraryService", description: "Books." }]);
});

test("each path and HTTP method is one operation, with a name of its own", () => {
  const operations = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, { operationId }]) => [`${verb} ${path}`, operationId]),
  );
  expect(operations).toEqual([
    ["get /v1/shelves/{name_1}/books/{name_2}", "LibraryService_GetBook"],
    // The same path to OpenAPI, so that it has the same parameters.
    ["patch /v1/shelves/{name_1}/books/{name_2}", "LibraryService_UpdateBook"],
    ["get /v1/books/{name}", "LibraryService_GetBook_2"],
    ["post /v1/shelves/{parent}/books", "LibraryService_CreateBook"],
    ["post /v1/shelves/{name_1}/books/{name_2}:archive", "LibraryService_ArchiveBook"],
    ["get /v1/search", "LibraryService_ListBooks_FindBook"],
    ["post /v1/loans", "LibraryService_BorrowBook_ReturnBook"],
    ["get /v1/shelves/{name_1}/books/{name_2}/cover", "LibraryService_GetCover"],
    ["get /v1/files/{name}", "LibraryService_GetFile"],
  ]);
});

describe("schemas", () => {
  test("a message that is taken and given has two, for requests spell what answers do not", () => {
    expect(schemas.Book?.description).toBe("A book.");
    expect(schemas.Book?.properties?.genre).toEqual({
      type: "string",
      enum: ["GENRE_UNSPECIFIED", "GENRE_NOVEL", "GENRE_ESSAY"],
      description: "What kind of book it is.\n\n- `GENRE_NOVEL`: A novel.",
    });
    expect(schemas.BookInput?.properties?.genre).toEqual({
      type: "string",
      enum: ["novel", "essay"],
      description: "What kind of book it is.\n\n- `novel`: A novel.",
    });
  });

  test("what an answer always has is required, and in a request nothing is", () => {
    expect(schemas.BookInput?.required).toBeUndefined();
    expect(schemas.Book?.required).toEqual([
      "name",
      "title",
      "genre",
      "authorNames",
      "isbn",
      "pages",
      "copies",
      "rating",
      "price",
      "inPrint",
      "fingerprint",
      "labels",
      "moreGenres",
      "volumes",
    ]);
  });

  test.each([
    ["title", { type: "string" }],
    ["year", { type: "integer", format: "int32" }],
    ["isbn", { type: "string", format: "int64", pattern: "^-?[0-9]+$" }],
    ["pages", { type: "integer", minimum: 0, maximum: 4294967295 }],
    ["copies", { type: "string", format: "uint64", pattern: "^[0-9]+$" }],
    ["rating", { type: "number", format: "float" }],
    ["price", { type: "number", format: "double" }],
    ["inPrint", { type: "boolean" }],
    ["fingerprint", { type: "string", contentEncoding: "base64" }],
    ["publisher", { $ref: "#/components/schemas/Publisher" }],
    ["room", { type: "string", description: "Excludes `floor`." }],
    ["authorNames", { type: "array", items: { type: "string" } }],
    ["labels", { type: "object", additionalProperties: { type: "string" } }],
    ["acquired", { type: "string", format: "date-time" }],
    ["loanPeriod", { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" }],
    ["mask", { type: "string" }],
    ["note", { type: ["string", "null"] }],
  ])("Book.%s is %j", (name, schema) => {
    expect(schemas.Book?.properties?.[name]).toEqual(schema);
  });

  test("a message can contain itself", () => {
    expect(schemas.Publisher?.properties?.parent).toEqual({ $ref: "#/components/schemas/Publisher" });
  });

  test("of every kind of field are valid", async () => {
    const document = documentOf(
      defineService([
        {
          name: "StoreSpecimen",
          input: "StoreSpecimenRequest",
          output: "Specimen",
          rule: { pattern: { case: "post", value: "/v1/specimens" }, body: "*" },
        },
      ]),
    );
    await expectValid(document);
    const compile = schemaCompiler(document);
    const check = compile(["components", "schemas", "Specimen"]);
    // 17 single values, 9 lists, 6 maps and a null.
    expect(check({})).toHaveLength(33);
    expect(check(toJson(SpecimenSchema, create(SpecimenSchema), { alwaysEmitImplicit: true }))).toEqual([]);
    const filled = create(SpecimenSchema, {
      int64Value: -(2n ** 63n),
      uint64Value: 2n ** 64n - 1n,
      uint32Value: 2 ** 32 - 1,
      bytesValue: new Uint8Array([0xfb, 0xff]),
      genre: Genre.NOVEL,
      nested: { stringValue: "x" },
      textByText: { a: "b" },
      int64Box: 5n,
      boolBox: false,
      timestamp: { seconds: 1n },
      duration: { seconds: -1n, nanos: -500_000_000 },
      fieldMask: { paths: ["string_value"] },
      struct: { a: [1, "b", null] },
      value: { kind: { case: "numberValue", value: 1 } },
    });
    expect(check(toJson(SpecimenSchema, filled, { alwaysEmitImplicit: true }))).toEqual([]);
    expect(
      check({ ...(toJson(SpecimenSchema, filled, { alwaysEmitImplicit: true }) as object), int64Value: 1 }),
    ).toEqual(["/int64Value must be string"]);
    expect(Object.keys(document.components.schemas)).toEqual([
      "Error",
      "Publisher",
      "PublisherInput",
      "Specimen",
      "SpecimenInput",
      "StoreSpecimenRequest",
    ]);
  });
});

describe("operations", () => {
  test("have the first sentence of the comment as their summary, or the method's name", () => {
    const { get, patch } = DOCUMENT.paths["/v1/shelves/{name_1}/books/{name_2}"] ?? {};
    expect(get?.summary).toBe("Gets a book");
    expect(get?.description).toBe("Gets a book. Quickly.");
    expect(patch?.summary).toBe("UpdateBook");
    expect(patch?.description).toBeUndefined();
  });

  test("have what of a message is in neither path nor body in the query, fields of fields with dots", () => {
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

  test("of one path that a parameter selects are one, with the parameters of all", () => {
    const { get } = DOCUMENT.paths["/v1/search"] ?? {};
    const names = get?.parameters?.map(({ name }) => name) ?? [];
    expect(names.slice(0, 6)).toEqual([
      "pageSize",
      "like.name",
      "like.title",
      "like.genre",
      "like.authorNames",
      "like.year",
    ]);
    // Maps cannot be written as text, and a recursion has no end.
    expect(names).not.toContain("like.labels");
    expect(names.filter((name) => name.startsWith("like.publisher."))).toEqual([
      "like.publisher.name",
      "like.publisher.cityName",
    ]);
    expect(get?.parameters?.at(-1)).toEqual({
      name: "id",
      in: "query",
      required: false,
      description: "Not given: ListBooks. Given: FindBook.",
      schema: { type: "string" },
    });
    expect(get?.summary).toBe("ListBooks or FindBook, by id");
    expect(get?.description).toBe("**ListBooks**, without `id`\n\n**FindBook**, with `id`");
    expect(answerSchema(get, "application/json")).toEqual({
      oneOf: [
        { type: "array", items: { $ref: "#/components/schemas/Book" } },
        { $ref: "#/components/schemas/Book" },
      ],
    });
  });

  test("whose bodies a parameter tells apart have a discriminator, and a form where parameters can be anywhere", () => {
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
    expect(post?.requestBody?.required).toBe(false);
    expect(Object.keys(post?.requestBody?.content ?? {})).toEqual([
      "application/json",
      "application/x-www-form-urlencoded",
    ]);
    expect(post?.requestBody?.content["application/json"]?.schema).toEqual(oneOf);
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
          description: "How the answer is written. Default: `json`.",
        },
      },
      required: ["action"],
    });
    expect(answerSchema(post, "application/json")).toEqual({ $ref: "#/components/schemas/Loan" });
    expect(answerSchema(post, "text/plain")).toEqual({ type: "string" });
  });

  test("take the rest of a path in one parameter", () => {
    expect(DOCUMENT.paths["/v1/files/{name}"]?.get?.parameters?.[0]).toEqual({
      name: "name",
      in: "path",
      required: true,
      description: "It can have several segments; the slashes between them are not percent-encoded.",
      schema: { type: "string" },
    });
  });

  test("that answer with octets say of which kind, if that is known", () => {
    const rule = { pattern: { case: "get", value: "/v1/cover" }, responseBody: "image" } as const;
    const unknown = operationOf({ name: "GetCover", output: "Cover", rule });
    expect(unknown.responses[200]).toMatchObject({ content: { "*/*": {} } });
    const known = operationOf({
      name: "GetCover",
      output: "Cover",
      rule,
      surface: { mediaTypes: ["image/png", "image/jpeg"] },
    });
    expect(known.responses[200]).toEqual({
      description: "The answer.",
      content: { "image/png": {}, "image/jpeg": {} },
    });
  });

  test("that take octets take any", () => {
    const { requestBody, parameters } = operationOf({
      name: "Upload",
      input: "UploadRequest",
      rule: { pattern: { case: "post", value: "/v1/{name=files/*}" }, body: "file" },
    });
    expect(requestBody).toEqual({ required: false, content: { "*/*": {} } });
    expect(parameters?.map(({ name }) => name)).toEqual(["name", "comment"]);
  });

  test("that answer with a stream say so", () => {
    const { responses } = operationOf({
      name: "WatchBook",
      serverStreaming: true,
      rule: { pattern: { case: "get", value: "/v1/watch" } },
    });
    expect(responses[200]).toMatchObject({
      description: "The answer.\n\nOne message a line; if the stream fails, its last line is an error.",
      content: { "application/x-ndjson": { schema: { $ref: "#/components/schemas/Book" } } },
    });
  });

  test("with HTTP methods that OpenAPI does not know are left out", () => {
    const { paths } = documentOf(
      defineService([
        { name: "A", rule: { pattern: { case: "custom", value: { kind: "REPORT", path: "/v1/a" } } } },
        { name: "B", rule: { pattern: { case: "custom", value: { kind: "TRACE", path: "/v1/b" } } } },
      ]),
    );
    expect(Object.keys(paths)).toEqual(["/v1/b"]);
  });

  test("have the headers that their answers have", () => {
    const { get } = DOCUMENT.paths["/v1/books/{name}"] ?? {};
    expect(get?.responses[200]).toMatchObject({
      headers: { "Cache-Control": { schema: { type: "string", const: "max-age=60" } } },
    });
  });
});

describe("errors", () => {
  test("have the status that their code has over HTTP", () => {
    const { responses } = operationOf({
      name: "GetBook",
      rule: { pattern: { case: "post", value: "/v1/books" }, body: "*" },
      surface: {
        errors: [
          { code: 5, reason: "BOOK_NOT_FOUND", description: "There is no such book." },
          { code: 9, reason: "BOOK_LENT", description: "Somebody has the book." },
        ],
      },
    });
    expect(Object.keys(responses)).toEqual(["200", "400", "404", "413", "415", "500"]);
    expect(responses[404]).toEqual({
      description: "`BOOK_NOT_FOUND`: There is no such book.",
      content: {
        "application/json": {
          schema: { $ref: "#/components/schemas/Error" },
          examples: {
            BOOK_NOT_FOUND: {
              value: {
                error: {
                  code: 404,
                  status: "NOT_FOUND",
                  message: "There is no such book.",
                  details: [
                    {
                      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                      reason: "BOOK_NOT_FOUND",
                      domain: "utilitytools",
                    },
                  ],
                },
              },
            },
          },
        },
      },
    });
    expect(responses[400]).toMatchObject({
      description: expect.stringContaining("`BOOK_LENT`: Somebody has the book."),
    });
  });

  test.each([[{ reason: "BOOK_LENT" }], [{ code: 9 }], [{ code: 17, reason: "BOOK_LENT" }]])(
    "%j is refused: it needs a code and a reason",
    (error) => {
      const rule = { pattern: { case: "get", value: "/v1/books" } } as const;
      expect(() => operationOf({ name: "GetBook", rule, surface: { errors: [error] } })).toThrow(
        "test.Service.GetBook: an error needs a code and a reason",
      );
    },
  );
});
