import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { LibraryService } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import type { OpenApiDocument, Schema } from "../../src/openapi/open-api.js";
import { documentOf, expectValid, operationOf } from "./describe.js";

/** The names of the schemas without other properties. */
function closedSchemas({ components }: OpenApiDocument): string[] {
  return Object.entries(components.schemas).flatMap(([name, { additionalProperties }]) =>
    additionalProperties === false ? [name] : [],
  );
}

/** All schemas in a schema. */
function nested(schema: Schema): Schema[] {
  const { items, properties = {}, additionalProperties, oneOf = [] } = schema;
  const inner = [items, additionalProperties || undefined, ...oneOf, ...Object.values(properties)];
  return [schema, ...inner.flatMap((each) => (each === undefined ? [] : nested(each)))];
}

describe("servers", () => {
  test("are one, at the URL of the document by default", () => {
    expect(documentOf(LibraryService).servers).toEqual([{ url: "/" }]);
    const baseUrl = "https://library.example.com";
    expect(documentOf(LibraryService, {}, { baseUrl }).servers).toEqual([{ url: baseUrl }]);
  });

  test("can be several with descriptions and variables", async () => {
    const servers = [
      { url: "https://library.example.com", description: "Books." },
      {
        url: "https://{region}.library.example.com",
        variables: { region: { default: "eu", enum: ["eu", "us"], description: "Where the books are." } },
      },
    ];
    const document = documentOf(LibraryService, {}, { baseUrl: "https://other.example.com", servers });
    expect(document.servers).toEqual(servers);
    await expectValid(document);
  });
});

test("tags of methods replace the name of their service", () => {
  const { getBook, updateBook } = LibraryService.method;
  const comments = { "library.v1.LibraryService": "Books." };
  const { tags, paths } = documentOf(LibraryService, comments, {
    methodTags: (method) =>
      method === getBook ? ["Reading", "Books"] : method === updateBook ? [] : undefined,
  });
  expect(tags).toEqual([
    { name: "Reading" },
    { name: "Books" },
    { name: "LibraryService", description: "Books." },
  ]);
  const { get, patch } = paths["/v1/shelves/{name_1}/books/{name_2}"] ?? {};
  expect([get?.tags, patch?.tags]).toEqual([["Reading", "Books"], []]);
});

describe("extensions of methods", () => {
  const documentWith = (...extensions: Record<string, JsonValue>[]) =>
    documentOf(
      defineService(
        extensions.map((each, index) => ({
          name: `Get${index}`,
          rule: ruleOf("GET /v1/books"),
          options: {
            select: [{ parameter: "kind", condition: { case: "equals" as const, value: String(index) } }],
            extensions: Object.fromEntries(
              Object.entries(each).map(([name, value]) => [name, fromJson(ValueSchema, value)]),
            ),
          },
        })),
      ),
    );

  test("are members of the operation", async () => {
    const document = documentWith({
      "x-retry": true,
      "x-backend": { address: "http://a", tags: ["b", null] },
    });
    await expectValid(document);
    expect(document.paths["/v1/books"]?.get).toMatchObject({
      "x-retry": true,
      "x-backend": { address: "http://a", tags: ["b", null] },
    });
  });

  test("that share an operation are together", () => {
    const { paths } = documentWith({ "x-a": 1, "x-b": [2] }, { "x-b": [2], "x-c": null });
    expect(paths["/v1/books"]?.get).toMatchObject({ "x-a": 1, "x-b": [2], "x-c": null });
    expect(() => documentWith({ "x-a": 1 }, { "x-a": 2 })).toThrow(
      "test.Service.Get1: another method of the operation has another 'x-a'",
    );
  });

  test.each(["summary", "X-retry", "x-", ""])("cannot have the name %j", (name) => {
    expect(() => documentWith({ [name]: 1 })).toThrow(
      `test.Service.Get0: the name of the extension '${name}' must begin with 'x-'`,
    );
  });

  test("need a value", () => {
    const service = defineService([
      { name: "Get", rule: ruleOf("GET /v1/books"), options: { extensions: { "x-a": {} } } },
    ]);
    expect(() => documentOf(service)).toThrow("test.Service.Get: the extension 'x-a' has no value");
  });
});

describe("authentication", () => {
  const securitySchemes = {
    key: { type: "apiKey", in: "header", name: "X-Api-Key" },
    token: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
    login: {
      type: "oauth2",
      flows: {
        clientCredentials: { tokenUrl: "https://login.example/token", scopes: { write: "Change books." } },
      },
    },
    account: {
      type: "openIdConnect",
      openIdConnectUrl: "https://login.example/.well-known/openid-configuration",
    },
    certificate: { type: "mutualTLS" },
  } as const;

  test("is absent by default", () => {
    const { security, components, paths } = documentOf(LibraryService);
    expect(security).toEqual([]);
    expect(components.securitySchemes).toBeUndefined();
    expect(JSON.stringify(paths)).not.toContain('"security"');
  });

  test("is any of the schemes by default", async () => {
    const document = documentOf(LibraryService, {}, { securitySchemes });
    await expectValid(document);
    expect(document.components.securitySchemes).toEqual(securitySchemes);
    expect(document.security).toEqual([
      { key: [] },
      { token: [] },
      { login: [] },
      { account: [] },
      { certificate: [] },
    ]);
  });

  test("can be a combination of schemes", () => {
    const security = [{ key: [], certificate: [] }, { login: ["write"] }];
    expect(documentOf(LibraryService, {}, { securitySchemes, security }).security).toEqual(security);
  });

  test("can be that of a method; methods that share an operation have the alternatives of all", () => {
    const { getBook, createBook, findBook, borrowBook, returnBook } = LibraryService.method;
    const document = documentOf(
      LibraryService,
      {},
      {
        securitySchemes,
        security: [{ key: [] }],
        methodSecurity: (method) => {
          switch (method) {
            case getBook:
            case findBook:
              return [];
            case createBook:
            case borrowBook:
              return [{ login: ["write"] }];
            case returnBook:
              return [{ key: [] }, { login: ["write"] }];
            default:
              return undefined;
          }
        },
      },
    );
    const securityOf = (path: string, httpMethod: string) => document.paths[path]?.[httpMethod]?.security;
    expect(securityOf("/v1/books/{name}", "get")).toEqual([]);
    expect(securityOf("/v1/shelves/{parent}/books", "post")).toEqual([{ login: ["write"] }]);
    expect(securityOf("/v1/search", "get")).toEqual([{ key: [] }, {}]);
    expect(securityOf("/v1/loans", "post")).toEqual([{ login: ["write"] }, { key: [] }]);
    expect(securityOf("/v1/files/{name}", "get")).toBeUndefined();
  });

  test("cannot be an unknown scheme", () => {
    const { key, token } = securitySchemes;
    const message = "'login' is not a security scheme; allowed: key, token";
    const description = { securitySchemes: { key, token } };
    expect(() => documentOf(LibraryService, {}, { ...description, security: [{ login: [] }] })).toThrow(
      message,
    );
    expect(() =>
      documentOf(LibraryService, {}, { ...description, methodSecurity: () => [{ login: [] }] }),
    ).toThrow(message);
  });
});

describe("objects in requests", () => {
  test("have no other properties if unknown parameters are rejected, which is the default", async () => {
    const document = documentOf(LibraryService);
    await expectValid(document);
    expect(closedSchemas(document)).toEqual([
      "ArchiveBookBody",
      "BookInput",
      "BorrowBookBody",
      "PublisherInput",
      "ReturnBookBody",
      "UpdateBookBody",
    ]);
    expect(documentOf(LibraryService, {}, { unknownParameters: "reject" })).toEqual(document);
  });

  test("can have other properties if unknown parameters are ignored", () => {
    const document = documentOf(LibraryService, {}, { unknownParameters: "ignore" });
    const all = Object.values(document.components.schemas).flatMap(nested);
    expect(all.some(({ additionalProperties }) => additionalProperties === false)).toBe(false);
  });

  test("of google.protobuf.Empty follow the same rule", () => {
    const rule = { ...ruleOf("POST /v1/things"), body: "empty" };
    const service = defineService([{ name: "Store", input: "Specimen", rule }]);
    const bodyWith = (unknownParameters: "reject" | "ignore") =>
      documentOf(service, {}, { unknownParameters }).paths["/v1/things"]?.post?.requestBody?.content;
    expect(bodyWith("reject")).toMatchObject({
      "application/json": { schema: { type: "object", additionalProperties: false } },
    });
    expect(bodyWith("ignore")).toEqual({ "application/json": { schema: { type: "object" } } });
  });

  test("are described by the error of parameters", () => {
    const describedBy = (unknownParameters: "reject" | "ignore") => {
      const { paths } = documentOf(LibraryService, {}, { unknownParameters });
      return paths["/v1/search"]?.get?.responses[400];
    };
    const sentence = (problems: string) => ({
      description: expect.stringContaining(`Parameters are ${problems}. All of them are listed`),
    });
    expect(describedBy("reject")).toMatchObject(sentence("invalid, missing or unknown"));
    expect(describedBy("ignore")).toMatchObject(sentence("invalid or missing"));
  });
});

test("a body that is a well-known type has the schema of its JSON form", async () => {
  const rule = { ...ruleOf("POST /v1/things"), body: "*" };
  for (const [name, schema] of [
    ["StringValue", { type: ["string", "null"] }],
    ["Struct", { type: "object" }],
    ["ListValue", { type: "array" }],
  ] as const) {
    const type = `google.protobuf.${name}`;
    const service = defineService([{ name: "Store", input: type, output: type, rule }]);
    const document = documentOf(service);
    await expectValid(document);
    const operation = document.paths["/v1/things"]?.post;
    expect(operation?.requestBody).toEqual({
      required: false,
      content: { "application/json": { schema: expect.objectContaining(schema) } },
    });
    expect(operation?.parameters).toBeUndefined();
  }
});

describe("security", () => {
  const bearer = { type: "http", scheme: "bearer", description: "A key." } as const;
  const header = { type: "apiKey", in: "header", name: "X-Key", description: "The same key." } as const;

  test("is empty if no scheme is needed", () => {
    const { security, components } = documentOf(LibraryService);
    expect(security).toEqual([]);
    expect(components).not.toHaveProperty("securitySchemes");
  });

  test("has each scheme as an alternative", async () => {
    const document = documentOf(LibraryService, {}, { securitySchemes: { bearer, header } });
    await expectValid(document);
    expect(document.security).toEqual([{ bearer: [] }, { header: [] }]);
    expect(document.components.securitySchemes).toEqual({ bearer, header });
  });
});

describe("operation IDs", () => {
  const rule = ruleOf("GET /v1/books");
  const idOf = (operationId: string) =>
    operationOf({ name: "GetBook", rule, options: { operationId } }).operationId;

  test("are the names of service and method by default", () => {
    // The service `test.Service` has no name before the suffix.
    expect(idOf("")).toBe("serviceGetBook");
  });

  test("can be declared by one of several methods", () => {
    const select = (value: boolean) => [{ parameter: "id", condition: { case: "present", value } as const }];
    const { operationId } = operationOf(
      { name: "ListBooks", rule, options: { select: select(false) } },
      { name: "GetBook", rule, options: { select: select(true), operationId: "books" } },
    );
    expect(operationId).toBe("books");
  });

  test.each(["get-book", "1st", "get book", "книги"])("cannot be %j", (operationId) => {
    expect(() => idOf(operationId)).toThrow(
      `test.Service.GetBook: the operation_id '${operationId}' is not a valid name`,
    );
  });
});

describe("responses", () => {
  test("have a 304 if they have an entity tag", () => {
    const rule = ruleOf("GET /v1/books");
    const withTag = operationOf({ name: "GetBook", rule, hasNoSideEffects: true });
    expect(withTag.responses[200]).toMatchObject({ headers: { ETag: {} } });
    expect(withTag.responses[304]).toEqual({
      description: "The response is the one that `If-None-Match` names. It has no body.",
      headers: { ETag: expect.anything() },
    });
    expect(operationOf({ name: "GetBook", rule }).responses).not.toHaveProperty("304");
  });

  test("have a 431 if the limit of headers is known", async () => {
    const document = documentOf(LibraryService, {}, { maxHeaderBytes: 16_384 });
    await expectValid(document);
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    for (const { responses } of operations) {
      expect(responses[431]).toEqual({ $ref: "#/components/responses/HeadersTooLarge" });
    }
    expect(document.components.responses.HeadersTooLarge).toEqual({
      description: expect.stringMatching(/^`HEADERS_TOO_LARGE`: .*more than 16384 bytes/),
      content: {
        "application/json": {
          schema: { $ref: "#/components/schemas/Error" },
          examples: {
            HEADERS_TOO_LARGE: {
              value: {
                error: {
                  code: 431,
                  status: "RESOURCE_EXHAUSTED",
                  message: "the header section is too large",
                  details: [
                    {
                      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                      reason: "HEADERS_TOO_LARGE",
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
    expect(JSON.stringify(documentOf(LibraryService))).not.toContain("HeadersTooLarge");
  });
});
