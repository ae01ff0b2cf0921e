import { FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import type { OpenApiDocument, Schema } from "../../src/openapi/open-api.js";
import { documentOf, expectValid } from "./describe.js";
import { documentedService, type FieldDefinition, type MessageDefinition } from "./documented-service.js";

/** A service with one method, `POST /v1/things`, whose request and response have these fields. */
function serviceWith(fields: MessageDefinition) {
  return documentedService(
    { Thing: fields },
    { Make: { input: "Thing", output: "Thing", rule: "POST /v1/things" } },
  );
}

function propertyIn(document: OpenApiDocument, component: string, name: string): Schema | undefined {
  return document.components.schemas[component]?.properties?.[name];
}

const fieldOf =
  (type: Type) =>
  (docs: NonNullable<FieldDefinition["docs"]>): FieldDefinition => ({ type, docs });
const [text, int32, double] = [fieldOf(Type.STRING), fieldOf(Type.INT32), fieldOf(Type.DOUBLE)];

describe("http_field", () => {
  test.each<[string, FieldDefinition, inRequest: Schema, inResponse?: Schema]>([
    ["lengths", text({ minLength: 2, maxLength: 3 }), { type: "string", minLength: 2, maxLength: 3 }],
    [
      "a required text, which is not empty in requests",
      text({ required: true }),
      { type: "string", minLength: 1 },
      { type: "string" },
    ],
    [
      "a required text with a minimum length of its own",
      text({ required: true, minLength: 2 }),
      { type: "string", minLength: 2 },
    ],
    [
      "a required text of a few values",
      text({ required: true, allowedValues: ["a", "b"] }),
      { type: "string", enum: ["a", "b"] },
    ],
    [
      "a required list, whose elements can be empty",
      { ...text({ required: true }), repeated: true },
      { type: "array", minItems: 1, items: { type: "string" } },
      { type: "array", items: { type: "string" } },
    ],
    [
      "required bytes",
      { type: Type.BYTES, docs: { required: true } },
      { type: "string", contentEncoding: "base64" },
    ],
    [
      "lengths of each element",
      { ...text({ maxLength: 3, example: "abc" }), repeated: true },
      { type: "array", items: { type: "string", maxLength: 3, examples: ["abc"] } },
    ],
    [
      "limits of numbers",
      int32({ minimum: -1, maximum: 250 }),
      { type: "integer", format: "int32", minimum: -1, maximum: 250 },
    ],
    [
      "a limit in place of that of the type",
      { type: Type.UINT32, docs: { maximum: 7 } },
      { type: "integer", minimum: 0, maximum: 7 },
    ],
    [
      "limits of numbers with decimals",
      double({ minimum: 0.5 }),
      { type: "number", format: "double", minimum: 0.5 },
    ],
    [
      "allowed values, of the field's type",
      int32({ allowedValues: ["6", "8"], defaultValue: "6", example: "8" }),
      { type: "integer", format: "int32", enum: [6, 8], default: 6, examples: [8] },
      { type: "integer", format: "int32", enum: [6, 8], examples: [8] },
    ],
    [
      "values of 64 bits, which are strings in JSON",
      { type: Type.INT64, docs: { defaultValue: "5", example: "9007199254740993" } },
      {
        type: "string",
        format: "int64",
        pattern: "^-?[0-9]+$",
        default: "5",
        examples: ["9007199254740993"],
      },
      { type: "string", format: "int64", pattern: "^-?[0-9]+$", examples: ["9007199254740993"] },
    ],
    [
      "a double with limits, which is always a number",
      double({ minimum: -90, maximum: 90 }),
      { type: "number", format: "double", minimum: -90, maximum: 90 },
    ],
    [
      "a float with a limit, which can be 0",
      { type: Type.FLOAT, docs: { minimum: 0 } },
      { type: "number", format: "float", minimum: 0 },
    ],
    [
      "a double with a default that is a text in JSON",
      double({ defaultValue: "Infinity" }),
      {
        anyOf: [
          { type: "number", format: "double" },
          { type: "string", enum: ["NaN", "Infinity", "-Infinity"] },
        ],
        default: "Infinity",
      },
      {
        anyOf: [
          { type: "number", format: "double" },
          { type: "string", enum: ["NaN", "Infinity", "-Infinity"] },
        ],
      },
    ],
    ["a boolean", { type: Type.BOOL, docs: { example: "true" } }, { type: "boolean", examples: [true] }],
    ["a format", text({ formats: ["uri"] }), { type: "string", format: "uri" }],
    [
      "several formats, of which one is met",
      text({ formats: ["ipv4", "ipv6"] }),
      {
        type: "string",
        anyOf: [
          { type: "string", format: "ipv4" },
          { type: "string", format: "ipv6" },
        ],
      },
    ],
    ["a pattern", text({ pattern: "^[a-z]+$" }), { type: "string", pattern: "^[a-z]+$" }],
    [
      "a pattern of each element",
      { ...text({ pattern: "^[a-z]+$" }), repeated: true },
      { type: "array", items: { type: "string", pattern: "^[a-z]+$" } },
    ],
  ])("documents %s", async (_what, field, inRequest, inResponse = inRequest) => {
    const document = documentOf(serviceWith({ field }));
    await expectValid(document);
    expect(propertyIn(document, "ThingInput", "field")).toEqual(inRequest);
    expect(propertyIn(document, "Thing", "field")).toEqual(inResponse);
  });

  test("makes a body with required fields required", () => {
    const fields = { a: { type: Type.STRING, docs: { required: true } }, b: { type: Type.STRING, docs: {} } };
    const { paths, components } = documentOf(serviceWith(fields));
    expect(components.schemas.ThingInput?.required).toEqual(["a"]);
    expect(paths["/v1/things"]?.post?.requestBody?.required).toBe(true);
    const { a: _, ...optional } = fields;
    expect(documentOf(serviceWith(optional)).paths["/v1/things"]?.post?.requestBody?.required).toBe(false);
  });

  test("provides the examples of requests and responses", () => {
    const { paths } = documentOf(
      serviceWith({
        a: { type: Type.STRING, docs: { example: "x" } },
        b: { type: Type.INT32, docs: {} },
        c: { type: Type.STRING, repeated: true, docs: { example: "y" } },
        d: { type: Type.BYTES, repeated: true, docs: {} },
        e: { type: Type.UINT64, docs: {} },
      }),
    );
    const { post } = paths["/v1/things"] ?? {};
    expect(post?.requestBody?.content["application/json"]?.examples).toEqual({
      Make: { value: { a: "x", c: ["y"] } },
    });
    expect(post?.responses[200]).toMatchObject({
      content: {
        "application/json": { examples: { Make: { value: { a: "x", b: 0, c: ["y"], d: [], e: "0" } } } },
      },
    });
  });

  test.each(["six", ""])("is rejected with %j for a number", (text) => {
    const field = { type: Type.INT32, docs: { allowedValues: [text] } };
    expect(() => documentOf(serviceWith({ field }))).toThrow(
      `test.Thing.field: '${text}' is not a value of this field`,
    );
  });

  test.each([Type.INT64, Type.STRING])("is rejected with a minimum and the type %i", (type) => {
    expect(() => documentOf(serviceWith({ field: { type, docs: { minimum: 5 } } }))).toThrow(
      "test.Thing.field: 5 limits values that are not numbers in JSON",
    );
  });

  test.each(["(", "[a-", "(?i)a"])("is rejected with the invalid pattern %j", (pattern) => {
    const field = { type: Type.STRING, docs: { pattern } };
    expect(() => documentOf(serviceWith({ field }))).toThrow(
      `test.Thing.field: '${pattern}' is not a regular expression`,
    );
  });
});
