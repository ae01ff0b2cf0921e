import {
  create,
  createFileRegistry,
  createRegistry,
  type DescService,
  type MessageInitShape,
  setExtension,
} from "@bufbuild/protobuf";
import {
  FieldDescriptorProtoSchema,
  FieldOptionsSchema,
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  MethodOptionsSchema,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import {
  FieldDocsSchema,
  file_connecttranscoding_v1_options,
  http_field,
} from "connect-transcoding/gen/connecttranscoding/v1/options_pb.js";
import { http as httpRule } from "connect-transcoding/gen/google/api/annotations_pb.js";
import { HttpRuleSchema } from "connect-transcoding/gen/google/api/http_pb.js";
import { describe, expect, test } from "vitest";
import type { OpenApiDocument, Schema } from "../../src/openapi/open-api.js";
import { resolverOf } from "../support/define-service.js";
import { documentOf, expectValid } from "./describe.js";

interface FieldDefinition {
  readonly type: Type;
  readonly repeated?: boolean;
  readonly docs: MessageInitShape<typeof FieldDocsSchema>;
}

/** A service with one method, `POST /v1/things`, whose request and response have these fields. */
function serviceWith(fields: Readonly<Record<string, FieldDefinition>>): DescService {
  const options = create(MethodOptionsSchema);
  setExtension(
    options,
    httpRule,
    create(HttpRuleSchema, { pattern: { case: "post", value: "/v1/things" }, body: "*" }),
  );
  const file = create(FileDescriptorProtoSchema, {
    name: "test/thing.proto",
    package: "test",
    syntax: "proto3",
    dependency: [file_connecttranscoding_v1_options.proto.name],
    messageType: [
      {
        name: "Thing",
        field: Object.entries(fields).map(([name, { type, repeated, docs }], index) => {
          const fieldOptions = create(FieldOptionsSchema);
          setExtension(fieldOptions, http_field, create(FieldDocsSchema, docs));
          return create(FieldDescriptorProtoSchema, {
            name,
            jsonName: name,
            number: index + 1,
            type,
            label: repeated ? Label.REPEATED : Label.OPTIONAL,
            options: fieldOptions,
          });
        }),
      },
    ],
    service: [
      {
        name: "Things",
        method: [{ name: "Make", inputType: ".test.Thing", outputType: ".test.Thing", options }],
      },
    ],
  });
  const service = createRegistry(
    createFileRegistry(file, resolverOf(file_connecttranscoding_v1_options)),
  ).getService("test.Things");
  if (service === undefined) {
    throw new Error("the service is in the file");
  }
  return service;
}

function propertyIn(document: OpenApiDocument, component: string, name: string): Schema | undefined {
  return document.components.schemas[component]?.properties?.[name];
}

describe("http_field", () => {
  test.each<[string, FieldDefinition, Schema, Schema]>([
    [
      "lengths",
      { type: Type.STRING, docs: { minLength: 2, maxLength: 3 } },
      { type: "string", minLength: 2, maxLength: 3 },
      { type: "string", minLength: 2, maxLength: 3 },
    ],
    [
      "lengths of each element",
      { type: Type.STRING, repeated: true, docs: { maxLength: 3, example: "abc" } },
      { type: "array", items: { type: "string", maxLength: 3, examples: ["abc"] } },
      { type: "array", items: { type: "string", maxLength: 3, examples: ["abc"] } },
    ],
    [
      "allowed values, of the field's type",
      { type: Type.INT32, docs: { allowedValues: ["6", "8"], defaultValue: "6", example: "8" } },
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
      "a boolean",
      { type: Type.BOOL, docs: { example: "true" } },
      { type: "boolean", examples: [true] },
      { type: "boolean", examples: [true] },
    ],
    [
      "a format",
      { type: Type.STRING, docs: { formats: ["uri"] } },
      { type: "string", format: "uri" },
      { type: "string", format: "uri" },
    ],
    [
      "several formats, of which one is met",
      { type: Type.STRING, docs: { formats: ["ipv4", "ipv6"] } },
      { type: "string", anyOf: [{ format: "ipv4" }, { format: "ipv6" }] },
      { type: "string", anyOf: [{ format: "ipv4" }, { format: "ipv6" }] },
    ],
  ])("documents %s", async (_what, field, inRequest, inAnswer) => {
    const document = documentOf(serviceWith({ field }));
    await expectValid(document);
    expect(propertyIn(document, "ThingInput", "field")).toEqual(inRequest);
    expect(propertyIn(document, "Thing", "field")).toEqual(inAnswer);
  });

  test("makes a body with required fields required", () => {
    const fields = {
      a: { type: Type.STRING, docs: { required: true } },
      b: { type: Type.STRING, docs: {} },
    };
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
      `test.Thing.field: '${text}' is no value of this field`,
    );
  });
});
