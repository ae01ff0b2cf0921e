import { FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { GardenService } from "connect-transcoding-testing/gen/garden/v1/garden_pb.js";
import { LibraryService } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import type { Schema } from "../../../src/openapi/open-api.js";
import { documentOf, expectValid, operationOf } from "../describe.js";
import { documentedService, text } from "../documented-service.js";
import { parametersOf, schemaCompiler } from "../validator.js";

/** The names of the parameters in the query that begin with a text. */
function queryOf(rule: string, input: string, prefix: string): string[] {
  const parameters = parametersOf(operationOf({ name: "Get", input, rule: ruleOf(rule) }));
  return parameters.flatMap((each) =>
    each.in === "query" && each.name.startsWith(prefix) ? [each.name] : [],
  );
}

/** The schema of the body of the only operation. */
function bodyOf(service: Parameters<typeof documentOf>[0]): Schema | undefined {
  const { paths, components } = documentOf(service);
  const [operation] = Object.values(paths).flatMap((item) => Object.values(item));
  const { $ref = "", ...inline } = operation?.requestBody?.content["application/json"]?.schema ?? {};
  return $ref === "" ? inline : components.schemas[$ref.slice($ref.lastIndexOf("/") + 1)];
}

// Of a oneof, one field is set: with one in the path, every request with another fails.
test.each([
  ["GET /v1/{string_value}", "Specimen", "chosenP", ["chosenPublisher.name", "chosenPublisher.cityName"]],
  ["GET /v1/{chosen_text}", "Specimen", "chosen", []],
  ["GET /v1/{chosen_publisher.name}", "Specimen", "chosen", ["chosenPublisher.cityName"]],
  ["GET /v1/{name}", "Book", "floor", ["floor"]],
  ["GET /v1/{like.room}", "ListBooksRequest", "like.floor", []],
])("%s of %s has the parameters %s…: %j", (rule, input, prefix, names) => {
  expect(queryOf(rule, input, prefix)).toEqual(names);
});

describe("the body", () => {
  const properties = (input: string, rule: string, body = "*") =>
    bodyOf(defineService([{ name: "Put", input, rule: { ...ruleOf(rule), body } }]))?.properties;

  test("has no fields that the path excludes", () => {
    const names = Object.keys(properties("Specimen", "POST /v1/{chosen_text}") ?? {});
    expect(names.filter((name) => name.startsWith("chosen"))).toEqual([]);
    expect(names).toContain("stringValue");
  });

  test("has a message without what the path sets in it", () => {
    const { near } = properties("Place", "POST /v1/{near.name}/{near.near.hall}") ?? {};
    expect(Object.keys(near?.properties ?? {})).toEqual(["hall", "shelf", "book", "near"]);
    expect(Object.keys(near?.properties?.near?.properties ?? {})).toEqual(["shelf", "book", "name", "near"]);
    expect(near?.properties?.near?.properties?.near).toEqual({ $ref: "#/components/schemas/Place" });
  });

  const required = text({ required: true });
  test.each<[string, Parameters<typeof documentedService>[0][string], object]>([
    ["all of a message", { value: required }, { note: { type: "string" } }],
    [
      "a required part of a message",
      { value: required, unit: required },
      {
        id: {
          type: "object",
          properties: { unit: { type: "string", minLength: 1 } },
          required: ["unit"],
          additionalProperties: false,
        },
        note: { type: "string" },
      },
    ],
  ])("does not require %s that the path sets", async (_what, id, expected) => {
    const service = documentedService(
      { Put: { id: { type: Type.MESSAGE, message: "Id", docs: { required: true } }, note: text() }, Id: id },
      { Put: { input: "Put", output: "Id", rule: "POST /v1/{id.value}" } },
    );
    await expectValid(documentOf(service));
    const body = bodyOf(service);
    expect(body?.properties).toEqual(expected);
    expect(body?.required).toEqual("id" in expected ? ["id"] : undefined);
  });

  test("that is a field keeps what the path sets in it, as optional", () => {
    const message = { name: required, kind: required };
    const service = documentedService(
      { Put: { thing: { type: Type.MESSAGE, message: "Thing", docs: {} } }, Thing: message },
      { Put: { input: "Put", output: "Thing", rule: "PUT /v1/{thing.name}", body: "thing" } },
    );
    expect(bodyOf(service)).toMatchObject({ required: ["kind"], properties: { name: { type: "string" } } });
  });
});

test("a parameter is never null", () => {
  const operation = operationOf({ name: "Get", input: "Specimen", rule: ruleOf("GET /v1/{null_value}") });
  const schemas = new Map(parametersOf(operation).map(({ name, schema }) => [name, schema]));
  expect(schemas.get("null_value")).toEqual({ type: "string", enum: ["NULL_VALUE"] });
  expect(schemas.get("boolBox")).toEqual({ type: "boolean" });
  expect(schemas.get("boxes")?.items).toEqual({ type: "string", format: "int64", pattern: "^-?[0-9]+$" });
  expect(JSON.stringify(schemas.get("doubleBox"))).not.toContain("null");
});

const REQUIRED = { required: true };
const EXAMPLES = documentedService(
  {
    Make: {
      at: { type: Type.MESSAGE, message: "google.protobuf.Timestamp", docs: REQUIRED },
      ats: { type: Type.MESSAGE, message: "google.protobuf.Timestamp", repeated: true, docs: REQUIRED },
      box: { type: Type.MESSAGE, message: "google.protobuf.Int64Value", docs: REQUIRED },
      anything: { type: Type.MESSAGE, message: "google.protobuf.Value", docs: REQUIRED },
      nothing: { type: Type.ENUM, enumName: "google.protobuf.NullValue", docs: REQUIRED },
      word: text({ required: true, minLength: 3 }),
      link: text({ required: true, formats: ["uri"] }),
      count: { type: Type.INT32, docs: { required: true, minimum: 5 } },
      below: { type: Type.INT32, docs: { required: true, maximum: -5 } },
      words: { ...text({ required: true, minLength: 2 }), repeated: true },
      number: { type: Type.INT32, docs: { example: "7" } },
      first: { ...text({ minLength: 1 }), oneof: "choice" },
      second: { ...text(), oneof: "choice" },
    },
    Loop: { loop: { type: Type.MESSAGE, message: "Loop", docs: REQUIRED } },
    Word: { word: text({ required: true, pattern: "^[a-z]+$" }) },
  },
  {
    Make: { input: "Make", output: "Word", rule: "POST /v1/things/{number}" },
    Loop: { input: "Loop", output: "Make", rule: "POST /v1/loops" },
    Take: { input: "Word", output: "Loop", rule: "POST /v1/words" },
  },
);

describe.each([
  ["library", LibraryService, 9],
  ["garden", GardenService, 8],
  ["well-known", EXAMPLES, 2],
])("the examples of the %s service", (_name, service, count) => {
  test("match their schemas", () => {
    const document = documentOf(service);
    const compile = schemaCompiler(document);
    const problems: string[] = [];
    let found = 0;
    const visit = (value: unknown, pointer: readonly string[]): void => {
      if (typeof value !== "object" || value === null) {
        return;
      }
      const { schema, examples } = value as {
        schema?: object;
        examples?: Record<string, { value: unknown }>;
      };
      if (schema !== undefined && examples !== undefined) {
        const check = compile([...pointer, "schema"]);
        for (const example of Object.values(examples)) {
          found++;
          problems.push(...check(example.value).map((problem) => `${pointer.join(" ")}: ${problem}`));
        }
        return;
      }
      for (const [name, each] of Object.entries(value)) {
        visit(each, [...pointer, name]);
      }
    };
    visit(document.paths, ["paths"]);
    expect(problems).toEqual([]);
    expect(found).toBeGreaterThan(count);
  });
});

test("IDs of operations differ in more than case", () => {
  const names = ["GetUrl", "GetURL", "Get_Url"];
  const methods = names.map((name) => ({ name, rule: ruleOf(`GET /v1/${name}`) }));
  const { paths } = documentOf(defineService(methods));
  expect(Object.values(paths).map(({ get }) => get?.operationId)).toEqual([
    "serviceGetUrl",
    "serviceGetURL_2",
    "serviceGet_Url_3",
  ]);
});
