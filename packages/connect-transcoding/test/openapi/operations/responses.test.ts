import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { describe, expect, test } from "vitest";
import type { Schema } from "../../../src/openapi/open-api.js";
import { documentOf, expectValid } from "../describe.js";
import { schemaCompiler } from "../validator.js";

/** The schema of the response of a method whose response body is a field of `library.v1`. */
function responseWith(output: string, responseBody: string) {
  const rule = { ...ruleOf("GET /v1/things"), responseBody };
  const document = documentOf(defineService([{ name: "GetThing", output, rule }]));
  const response = document.paths["/v1/things"]?.get?.responses[200];
  const content = response !== undefined && "content" in response ? response.content : undefined;
  return { document, schema: content?.["application/json"]?.schema };
}

describe("a method with streams in both directions", () => {
  const service = defineService([
    {
      name: "Chat",
      rule: { ...ruleOf("POST /v1/chat"), body: "*" },
      clientStreaming: true,
      serverStreaming: true,
    },
  ]);
  const document = documentOf(service);
  const { post } = document.paths["/v1/chat"] ?? {};

  test("sends and receives lines of JSON first", async () => {
    await expectValid(document);
    const response = post?.responses[200];
    const content = response !== undefined && "content" in response ? response.content : undefined;
    expect(Object.keys(content ?? {})).toEqual([
      "application/x-ndjson",
      "application/json",
      "text/event-stream",
    ]);
    expect(content?.["application/x-ndjson"]?.schema).toEqual({ $ref: "#/components/schemas/Book" });
    expect(Object.keys(post?.requestBody?.content ?? {})[0]).toBe("application/x-ndjson");
  });

  test("needs HTTP/2", () => {
    expect(post?.responses[200]).toHaveProperty("description", expect.stringContaining("This needs HTTP/2."));
    expect(post?.responses[505]).toMatchObject({
      description: "`HTTP2_REQUIRED`: The request is not sent over HTTP/2.",
    });
    const rule = { ...ruleOf("POST /v1/chat"), body: "*" };
    const upload = documentOf(defineService([{ name: "Upload", rule, clientStreaming: true }]));
    expect(upload.paths["/v1/chat"]?.post?.responses).not.toHaveProperty("505");
  });
});

describe("a response body that is a field", () => {
  const NULL = { type: "null" };

  test.each<[string, string, string, Schema]>([
    ["a message", "Book", "publisher", { anyOf: [{ $ref: "#/components/schemas/Publisher" }, NULL] }],
    ["an optional number", "Book", "year", { type: ["integer", "null"], format: "int32" }],
    ["a member of a oneof", "Book", "room", { type: ["string", "null"], description: "Excludes `floor`." }],
    ["a timestamp", "Book", "acquired", { type: ["string", "null"], format: "date-time" }],
    ["a wrapper, which is null already", "Book", "note", { type: ["string", "null"] }],
    [
      "an optional double",
      "Specimen",
      "optional_double",
      {
        anyOf: [
          { type: "number", format: "double" },
          { type: "string", enum: ["NaN", "Infinity", "-Infinity"] },
          NULL,
        ],
      },
    ],
    [
      "an optional enum",
      "Specimen",
      "optional_genre",
      { anyOf: [{ type: "string", enum: ["GENRE_UNSPECIFIED", "novel", "essay"] }, NULL] },
    ],
    ["any JSON", "Specimen", "value", {}],
  ])("can be null: %s", async (_what, output, field, schema) => {
    const { document, schema: found } = responseWith(output, field);
    await expectValid(document);
    expect(found).toEqual(schema);
    const pointer = [
      "paths",
      "/v1/things",
      "get",
      "responses",
      "200",
      "content",
      "application/json",
      "schema",
    ];
    expect(schemaCompiler(document)(pointer)(null)).toEqual([]);
  });

  test.each<[string, string, Schema]>([
    ["a string without presence", "title", { type: "string" }],
    ["a list", "author_names", { type: "array", items: { type: "string" } }],
    ["a map", "labels", { type: "object", additionalProperties: { type: "string" } }],
  ])("is never null: %s", (_what, field, schema) => {
    expect(responseWith("Book", field).schema).toEqual(schema);
  });
});
