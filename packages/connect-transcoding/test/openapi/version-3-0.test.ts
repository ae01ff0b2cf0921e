import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { GardenService } from "connect-transcoding-testing/gen/garden/v1/garden_pb.js";
import { LibraryService } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import type { OpenApiDocument, Schema } from "../../src/openapi/open-api.js";
import { toOpenApi30 } from "../../src/openapi/version-3-0.js";
import { documentOf, expectValid } from "./describe.js";

const SPECIMENS = defineService([
  {
    name: "Get",
    output: "Specimen",
    input: "Specimen",
    rule: { ...ruleOf("POST /v1/specimens"), body: "*" },
  },
  { name: "Watch", output: "Specimen", rule: ruleOf("GET /v1/specimens"), serverStreaming: true },
]);

describe.each([
  ["library", LibraryService],
  ["garden", GardenService],
  ["specimen", SPECIMENS],
])("the OpenAPI 3.0 document of the %s service", (_name, service) => {
  test.each([{}, { json: { enums: "numbers", longs: "numbers" }, systemParameters: true }] as const)(
    "with %j is valid",
    async (description) => {
      const document = documentOf(service, {}, description, "3.0");
      expect(document.openapi).toBe("3.0.4");
      await expectValid(document);
    },
  );

  test("has no keywords next to a reference", () => {
    const text = JSON.stringify(documentOf(service, {}, { systemParameters: true }, "3.0"));
    expect(text).toContain('{"$ref":"');
    expect(text.match(/,"\$ref":|"\$ref":"[^"]*",/g)).toBeNull();
  });
});

const REFERENCE = { $ref: "#/components/schemas/Book" };
const NULL = { type: "null" };

/** A valid document with one schema, and the license and security schemes of the argument. */
function documentWith(schema: Schema, others: Partial<OpenApiDocument> = {}): OpenApiDocument {
  return {
    openapi: "3.1.1",
    info: { title: "Books", version: "1", description: "" },
    servers: [],
    tags: [],
    paths: {},
    security: [],
    components: { schemas: { Book: { type: "object" }, Schema: schema }, responses: {} },
    ...others,
  };
}

test.each<[string, Schema, Schema]>([
  ["a type or null", { type: ["string", "null"] }, { type: "string", nullable: true }],
  [
    "an enum or null",
    { anyOf: [{ type: "string", enum: ["a"] }, NULL], description: "A." },
    { type: "string", enum: ["a", null], nullable: true, description: "A." },
  ],
  ["a message or null", { anyOf: [REFERENCE, NULL] }, { type: "object", allOf: [REFERENCE], nullable: true }],
  [
    "alternatives or null",
    { anyOf: [{ type: "number" }, { type: "string" }, NULL] },
    { anyOf: [{ type: "number", nullable: true }, { type: "string" }] },
  ],
  [
    "several types",
    { type: ["integer", "string"], format: "int64" },
    { anyOf: [{ type: "integer" }, { type: "string" }], format: "int64" },
  ],
  [
    "several types or null",
    { type: ["integer", "string", "null"] },
    { anyOf: [{ type: "integer", nullable: true }, { type: "string" }] },
  ],
  ["null alone", NULL, { type: "string", nullable: true, enum: [null] }],
  [
    "null alone with a text",
    { ...NULL, description: "A." },
    { type: "string", nullable: true, enum: [null], description: "A." },
  ],
  ["a constant", { type: "string", const: "a" }, { type: "string", enum: ["a"] }],
  ["a constant of an enum", { enum: ["a", "b"], const: "a" }, { enum: ["a"] }],
  ["an example", { type: "string", examples: ["a"] }, { type: "string", example: "a" }],
  ["an example that is false", { type: "boolean", examples: [false] }, { type: "boolean", example: false }],
  ["bytes", { type: "string", contentEncoding: "base64" }, { type: "string", format: "byte" }],
  [
    "exclusive limits",
    { type: "integer", exclusiveMinimum: 0, exclusiveMaximum: 9 },
    { type: "integer", minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
  ],
  [
    "a reference with a description",
    { ...REFERENCE, description: "A.", readOnly: true },
    { allOf: [REFERENCE], description: "A.", readOnly: true },
  ],
  ["a list of anything", { type: "array" }, { type: "array", items: {} }],
  [
    "schemas in schemas",
    {
      type: "object",
      properties: { a: { type: "array", items: { const: 1 } } },
      additionalProperties: { oneOf: [{ const: 2 }, { allOf: [{ const: 3 }] }] },
    },
    {
      type: "object",
      properties: { a: { type: "array", items: { enum: [1] } } },
      additionalProperties: { oneOf: [{ enum: [2] }, { allOf: [{ enum: [3] }] }] },
    },
  ],
  ["no other properties", { additionalProperties: false }, { additionalProperties: false }],
])("converts %s", async (_what, schema, expected) => {
  const original = documentWith(schema);
  await expectValid(original);
  const converted = toOpenApi30(original);
  expect(converted.components.schemas.Schema).toEqual(expected);
  await expectValid(converted);
});

test("converts bytes to a string in the format binary", () => {
  const { paths } = documentOf(LibraryService, {}, {}, "3.0");
  expect(paths["/v1/shelves/{name_1}/books/{name_2}/cover"]?.get?.responses[200]).toMatchObject({
    content: { "*/*": { schema: { type: "string", format: "binary" } } },
  });
});

test("converts the identifier of a license to a URL", async () => {
  const info = { title: "Books", version: "1", description: "" };
  const licensed = (license: NonNullable<OpenApiDocument["info"]["license"]>) =>
    toOpenApi30(documentWith({}, { info: { ...info, license } }));
  const identified = licensed({ name: "Apache License 2.0", identifier: "Apache-2.0" });
  await expectValid(identified);
  expect(identified.info.license).toEqual({
    name: "Apache License 2.0",
    url: "https://spdx.org/licenses/Apache-2.0.html",
  });
  const own = { name: "Own", url: "https://example.com/license" };
  expect(licensed(own).info.license).toEqual(own);
});

test("rejects certificates of clients, which 3.0 has no security scheme for", () => {
  const securitySchemes = { certificate: { type: "mutualTLS" } } as const;
  expect(() => documentOf(LibraryService, {}, { securitySchemes }, "3.0")).toThrow(
    "OpenAPI 3.0 has no security schemes of the type mutualTLS, such as 'certificate'",
  );
});
