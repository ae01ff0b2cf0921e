import type { DescMessage } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { Ajv2020 } from "ajv/dist/2020.js";
import {
  BookSchema,
  CreateBookRequestSchema,
  PlaceSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { createMessageSchema } from "../../src/openapi/message-schema.js";

const schemaOf = createMessageSchema({
  comments: { "library.v1.Place.hall": "A hall." },
  unknownParameters: "reject",
  json: {},
});

describe("createMessageSchema", () => {
  test("puts messages in place of references", () => {
    const { properties, additionalProperties } = schemaOf(CreateBookRequestSchema, "request");
    expect(additionalProperties).toBe(false);
    expect(properties?.book).toMatchObject({ type: "object", properties: { title: { type: "string" } } });
    expect(JSON.stringify(properties).match(/"\$ref":"[^"]*"/g)).toEqual(['"$ref":"#/$defs/Publisher"']);
  });

  test("keeps a reference in a message that contains itself", () => {
    const schema = schemaOf(PlaceSchema, "response");
    const place = { type: "object", properties: { near: { $ref: "#/$defs/Place" } } };
    expect(schema).toMatchObject({ ...place, $defs: { Place: place } });
    expect(schema.properties?.hall).toEqual({ type: "string", description: "A hall." });
  });

  test("returns the schema of a type with its own form", () => {
    expect(schemaOf(StructSchema, "request")).toEqual({ type: "object" });
  });

  test.each([BookSchema, CreateBookRequestSchema, PlaceSchema])(
    "is valid: $typeName",
    (desc: DescMessage) => {
      const ajv = new Ajv2020({ strict: true, strictTypes: false, validateFormats: false });
      for (const direction of ["request", "response"] as const) {
        expect(() => ajv.compile(schemaOf(desc, direction))).not.toThrow();
      }
    },
  );
});
