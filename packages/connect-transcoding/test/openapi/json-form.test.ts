import { create, createRegistry, type MessageInitShape } from "@bufbuild/protobuf";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import {
  BookSchema,
  Genre,
  LibraryService,
  SpecimenSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import type { JsonForm } from "../../src/codec/json/form.js";
import { createJsonResponseWriter } from "../../src/codec/json/writer.js";
import type { Schema } from "../../src/openapi/open-api.js";
import { documentOf, expectValid } from "./describe.js";
import { documentedService, text } from "./documented-service.js";
import { parametersOf, schemaCompiler } from "./validator.js";

const FORMS: readonly JsonForm[] = [
  {},
  { fieldNames: "proto" },
  { enums: "names" },
  { enums: "numbers" },
  { defaults: "omit" },
  { longs: "numbers" },
  { fieldNames: "proto", enums: "numbers", defaults: "omit", longs: "numbers" },
];

const FILLED: MessageInitShape<typeof SpecimenSchema> = {
  int64Value: -(2n ** 63n),
  uint64Value: 2n ** 53n - 1n,
  genre: Genre.NOVEL,
  genres: [Genre.ESSAY, Genre.UNSPECIFIED],
  optionalGenre: Genre.NOVEL,
  int64s: [1n, 2n ** 60n],
  boxes: [{ value: 5n }],
  int64Box: 2n ** 62n,
  publishers: [{ cityName: "Rome" }],
  nested: { shelfMark: "x" },
};

describe.each(FORMS)("the form %j", (json) => {
  const rules = ["GET /v1/specimens", "GET /v1/specimens:genre", "GET /v1/specimens:strings"];
  const fields = [undefined, "genre", "strings"] as const;
  const service = defineService(
    fields.map((field, index) => ({
      name: `Get${index}`,
      output: "Specimen",
      rule: { ...ruleOf(rules[index] ?? ""), responseBody: field ?? "" },
    })),
  );
  const document = documentOf(service, {}, { json });
  const compile = schemaCompiler(document);

  test("is valid", () => expectValid(document));

  test.each([FILLED, {}])("describes the response %#", (init) => {
    for (const name of fields) {
      const field = SpecimenSchema.fields.find((each) => each.name === name);
      const write = createJsonResponseWriter(SpecimenSchema, field, createRegistry(), json);
      const path = `/v1/specimens${name === undefined ? "" : `:${name}`}`;
      const pointer = ["get", "responses", "200", "content", "application/json", "schema"];
      const check = compile(["paths", path, ...pointer]);
      expect(check(JSON.parse(write(create(SpecimenSchema, init))))).toEqual([]);
    }
  });

  test("describes the names and the examples of responses", () => {
    const write = createJsonResponseWriter(BookSchema, undefined, createRegistry(), {
      ...json,
      defaults: "include",
    });
    const { schemas } = documentOf(LibraryService, {}, { json }).components;
    const written = JSON.parse(write(create(BookSchema)));
    expect(Object.keys(schemas.Book?.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(written)));
    expect(schemas.Book?.required).toEqual(json.defaults === "omit" ? undefined : Object.keys(written));
    const example = document.paths["/v1/specimens"]?.get?.responses[200];
    const content = example !== undefined && "content" in example ? example.content : undefined;
    const { value = null } = content?.["application/json"]?.examples?.Get0 ?? {};
    expect(compile(["components", "schemas", "Specimen"])(value)).toEqual([]);
    expect(value).toEqual(json.defaults === "omit" ? {} : expect.objectContaining({ genres: [] }));
  });
});

describe("names as in the proto file", () => {
  const document = documentOf(LibraryService, {}, { json: { fieldNames: "proto" } });

  test("are those of properties and parameters", () => {
    const { post } = document.paths["/v1/shelves/{parent}/books"] ?? {};
    expect(parametersOf(post).map(({ name }) => name)).toEqual(["parent", "dry_run"]);
    const { get } = document.paths["/v1/search"] ?? {};
    expect(parametersOf(get).map(({ name }) => name)).toContain("like.author_names");
    expect(document.components.schemas.BookInput?.properties).toHaveProperty("author_names");
    expect(JSON.stringify(document)).not.toContain("authorNames");
  });

  test("are those of examples, links and errors", () => {
    const linked = documentedService(
      {
        MakeRequest: { someLength: text({ example: "6", required: true }) },
        Thing: { some_key: text({ example: "x" }) },
        GetRequest: { the_key: text({ required: true, sources: ["test.Thing.some_key"] }) },
      },
      {
        Make: { input: "MakeRequest", output: "Thing", rule: "POST /v1/things" },
        Get: { input: "GetRequest", output: "Thing", rule: "GET /v1/things" },
      },
    );
    const { paths } = documentOf(linked, {}, { json: { fieldNames: "proto" } });
    const { post } = paths["/v1/things"] ?? {};
    expect(post?.requestBody?.content["application/json"]?.examples).toEqual({
      Make: { value: { someLength: "6" } },
    });
    expect(post?.responses[200]).toMatchObject({
      content: { "application/json": { examples: { Make: { value: { some_key: "x" } } } } },
      links: { Make_Get: { parameters: { the_key: "$response.body#/some_key" } } },
    });
    expect(JSON.stringify(post?.responses[400])).toContain('"field":"someLength"');
  });
});

test.each<[JsonForm, Schema]>([
  [{ enums: "http" }, { type: "string", enum: ["novel", "essay"], description: "- `novel`: Long." }],
  [
    { enums: "names" },
    {
      type: "string",
      enum: ["GENRE_UNSPECIFIED", "GENRE_NOVEL", "GENRE_ESSAY"],
      description: "- `GENRE_NOVEL`: Long.",
    },
  ],
  [
    { enums: "numbers" },
    {
      type: "integer",
      enum: [0, 1, 2],
      description: "- `0`: GENRE_UNSPECIFIED.\n- `1`: GENRE_NOVEL. Long.\n- `2`: GENRE_ESSAY.",
    },
  ],
])("enums in requests with %j are %j", (json, schema) => {
  const comments = { "library.v1.Genre.GENRE_NOVEL": "Long." };
  const { schemas } = documentOf(LibraryService, comments, { json }).components;
  expect(schemas.BookInput?.properties?.genre).toEqual(schema);
});

test("64-bit integers are numbers, or texts where a number is not exact", () => {
  const { schemas } = documentOf(LibraryService, {}, { json: { longs: "numbers" } }).components;
  expect(schemas.Book?.properties?.isbn).toEqual({
    type: ["integer", "string"],
    format: "int64",
    pattern: "^-?[0-9]+$",
  });
  expect(schemas.Book?.properties?.copies).toMatchObject({ type: ["integer", "string"], minimum: 0 });
});
