import { create, createRegistry, toJson } from "@bufbuild/protobuf";
import { defineService } from "connect-transcoding-testing/define-service.js";
import {
  Genre,
  LibraryService,
  SpecimenSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { createJsonResponseWriter } from "../../../src/codec/json/writer.js";
import { documentOf, expectValid } from "../describe.js";
import { schemaCompiler } from "../validator.js";

const { schemas } = documentOf(LibraryService, {
  "library.v1.Book": "A book.",
  "library.v1.Book.genre": "What kind of book it is.",
  "library.v1.Genre.GENRE_NOVEL": "A novel.",
}).components;

const SPECIAL_NUMBER = { type: "string", enum: ["NaN", "Infinity", "-Infinity"] };

describe("schemas", () => {
  test("a message in both directions has two", () => {
    expect(schemas.Book?.description).toBe("A book.");
    expect(schemas.Book?.properties?.genre).toEqual({
      type: "string",
      enum: ["GENRE_UNSPECIFIED", "novel", "essay"],
      description: "What kind of book it is.\n\n- `novel`: A novel.",
    });
    expect(schemas.BookInput?.properties?.genre).toEqual({
      type: "string",
      enum: ["novel", "essay"],
      description: "What kind of book it is.\n\n- `novel`: A novel.",
    });
  });

  test("fields that a response always contains are required; in a request, none is", () => {
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
    ["rating", { anyOf: [{ type: "number", format: "float" }, SPECIAL_NUMBER] }],
    ["price", { anyOf: [{ type: "number", format: "double" }, SPECIAL_NUMBER] }],
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
    const response = JSON.parse(
      createJsonResponseWriter(SpecimenSchema, undefined, createRegistry())(filled),
    );
    expect(check(response)).toEqual([]);
    const special = create(SpecimenSchema, {
      doubleValue: Number.NaN,
      floatValue: Number.NEGATIVE_INFINITY,
      doubles: [1.5, Number.POSITIVE_INFINITY],
      doubleByUint64: { 1: Number.NaN },
      doubleBox: Number.NaN,
    });
    expect(check(toJson(SpecimenSchema, special, { alwaysEmitImplicit: true }))).toEqual([]);
    expect(check({ ...response, int64Value: 1 })).toEqual(["/int64Value must be string"]);
    expect(check({ ...response, genre: "GENRE_NOVEL" })).toEqual([
      "/genre must be equal to one of the allowed values",
    ]);
    const empty = toJson(SpecimenSchema, create(SpecimenSchema), { alwaysEmitImplicit: true }) as object;
    expect(check({ ...empty, doubleBox: null, doubleValue: -1.5 })).toEqual([]);
    expect(check({ ...empty, doubleValue: "1.5" })).toEqual([
      "/doubleValue must be number",
      "/doubleValue must be equal to one of the allowed values",
      "/doubleValue must match a schema in anyOf",
    ]);
    expect(Object.keys(document.components.schemas)).toEqual([
      "Error",
      "ErrorDetail",
      "FieldViolation",
      "Publisher",
      "PublisherInput",
      "Specimen",
      "SpecimenInput",
      "Status",
      "StoreSpecimenRequest",
    ]);
  });
});
