import { create } from "@bufbuild/protobuf";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { describe, expect, test } from "vitest";
import { HttpRuleSchema } from "../../../gen/google/api/http_pb.js";
import { openApiDocument } from "../../../src/openapi/document.js";
import type { OperationParameter } from "../../../src/openapi/open-api.js";
import { httpOptionsOf } from "../../../src/proto-options.js";
import { bindingsOf } from "../../../src/routes/rules/http-rule.js";
import { NOTES, NOTES_RULES } from "../../support/messages/notes.js";
import { documentOf, expectValid } from "../describe.js";
import { parametersOf } from "../validator.js";

/** The maps whose values have a text form. */
const MAPS = ["textByText", "genreByInt32", "doubleByUint64", "bytesByBool", "timestampBySint64"];

const VERSIONS = ["3.1", "3.0"] as const;

describe.each(VERSIONS)("maps in a query, in OpenAPI %s", (version) => {
  const service = defineService([{ name: "Find", input: "Specimen", rule: ruleOf("GET /v1/specimens") }]);
  const parametersWith = (mapParameters: boolean): OperationParameter[] => {
    const { paths } = documentOf(service, {}, { mapParameters }, version);
    const operation = paths["/v1/specimens"]?.get;
    return operation === undefined ? [] : parametersOf(operation);
  };

  test("are objects whose members are parameters", async () => {
    const found = parametersWith(true).filter(({ schema }) => schema.type === "object");
    expect(found.map(({ name, style, explode }) => [name, style, explode])).toEqual(
      [...MAPS.map((name) => `nested.${name}`), ...MAPS].map((name) => [name, "deepObject", true]),
    );
    const [text, genre] = found.slice(MAPS.length);
    expect(text?.schema).toEqual({ type: "object", additionalProperties: { type: "string" } });
    expect(genre?.schema).toEqual({
      type: "object",
      additionalProperties: { type: "string", enum: ["novel", "essay"] },
    });
    await expectValid(documentOf(service, {}, { mapParameters: true }, version));
  });

  test("are absent by default", () => {
    expect(parametersWith(false).filter(({ style }) => style !== undefined)).toEqual([]);
    expect(parametersWith(false).length).toBe(parametersWith(true).length - 2 * MAPS.length);
  });
});

test.each(VERSIONS)("If-Match of methods with an entity tag, in OpenAPI %s", async (version) => {
  const bindings = NOTES_RULES.flatMap(({ selector, ...rule }) => {
    const method = NOTES.methods.find(({ name }) => selector.endsWith(name));
    return method === undefined
      ? []
      : bindingsOf(method, create(HttpRuleSchema, rule as never), httpOptionsOf(method));
  });
  const document = openApiDocument(
    bindings,
    { info: { title: "Notes", version: "1", description: "" }, comments: {}, version },
    { baseUrl: undefined, requestLimit: () => 1000 },
  );
  const found = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => [
      `${verb} ${path}`,
      parametersOf(operation).find((each) => each.in === "header"),
      operation.responses[412],
    ]),
  );
  const ifMatch = (field: string): OperationParameter => ({
    name: "If-Match",
    in: "header",
    required: false,
    description: `The entity tag in the field \`${field}\`, with its quotes: the method fails if the resource has another one.`,
    schema: { type: "string" },
  });
  const failed = {
    description: "The resource does not have the entity tag in `If-Match`.",
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
  expect(found).toEqual([
    ["patch /v1/note", ifMatch("note.etag"), failed],
    ["delete /v1/notes/{name}", ifMatch("etag"), failed],
    ["get /v1/notes/{name}", undefined, undefined],
  ]);
  await expectValid(document);
});
