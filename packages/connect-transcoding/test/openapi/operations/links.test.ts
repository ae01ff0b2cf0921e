import { FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import type { Response } from "../../../src/openapi/open-api.js";
import { documentOf, expectValid } from "../describe.js";
import {
  type DocumentedMethod,
  documentedService,
  type MessageDefinition,
  text,
} from "../documented-service.js";

const ID = text({ required: true, sources: ["test.Thing.id"] });

const MESSAGES: Readonly<Record<string, MessageDefinition>> = {
  Request: {},
  Thing: { id: text(), part: { type: Type.MESSAGE, message: "Part" } },
  Part: { "a/b": text(), parts: { type: Type.MESSAGE, message: "Part", repeated: true } },
  ThingList: { things: { type: Type.MESSAGE, message: "Thing", repeated: true } },
  ById: { id: ID },
  ByIdAndMore: { id: ID, more: text({ required: true }) },
  ByPart: { id: text({ sources: ["test.Part.a_47_b"] }), more: text() },
};

const MAKE: DocumentedMethod = { input: "Request", output: "Thing", rule: "POST /v1/things:make" };

/** The links of the method `Make`, which responds with a `Thing` unless it has another definition. */
function linksTo(target: DocumentedMethod, make = MAKE): Response["links"] {
  const { paths } = documentOf(documentedService(MESSAGES, { Make: make, Use: target }));
  const response = paths["/v1/things:make"]?.post?.responses[200];
  return response !== undefined && "links" in response ? response.links : undefined;
}

test.each<[string, DocumentedMethod, unknown]>([
  [
    "to query parameters",
    { input: "ById", output: "Request", rule: "GET /v1/things" },
    { parameters: { id: "$response.body#/id" } },
  ],
  [
    "to a member of the body",
    { input: "ById", output: "Request", rule: "POST /v1/things" },
    { requestBody: { id: "$response.body#/id" } },
  ],
  [
    "to a parameter in the path",
    { input: "ById", output: "Request", rule: "GET /v1/things/{id}" },
    { parameters: { id: "$response.body#/id" } },
  ],
  [
    "from a nested field",
    { input: "ByPart", output: "Request", rule: "GET /v1/things" },
    { parameters: { id: "$response.body#/part/a~1b" } },
  ],
])("a link %s", (_what, target, link) => {
  expect(linksTo(target)).toEqual({ Make_Use: { operationId: "thingsUse", ...(link as object) } });
});

test("a link has the constants that select the method", () => {
  const select = [{ parameter: "type", condition: { case: "equals", value: "one" } }] as const;
  const target = { input: "ById", output: "Request", rule: "GET /v1/things" };
  expect(linksTo({ ...target, options: { select: [...select] } })).toEqual({
    Make_Use: { operationId: "thingsUse", parameters: { type: "one", id: "$response.body#/id" } },
  });
});

test("a link from a list has its first element", () => {
  const target = { input: "ById", output: "Request", rule: "GET /v1/things" };
  expect(linksTo(target, { ...MAKE, output: "ThingList" })).toEqual({
    Make_Use: { operationId: "thingsUse", parameters: { id: "$response.body#/things/0/id" } },
  });
});

test("a link has the shortest path to a field", () => {
  const messages: Readonly<Record<string, MessageDefinition>> = {
    ...MESSAGES,
    Shelf: {
      list: { type: Type.MESSAGE, message: "ThingList" },
      first: { type: Type.MESSAGE, message: "Thing" },
    },
  };
  const use = { input: "ById", output: "Request", rule: "GET /v1/things" };
  const { paths } = documentOf(documentedService(messages, { Make: { ...MAKE, output: "Shelf" }, Use: use }));
  expect(paths["/v1/things:make"]?.post?.responses[200]).toMatchObject({
    links: { Make_Use: { parameters: { id: "$response.body#/first/id" } } },
  });
});

test.each<[string, DocumentedMethod]>([
  [
    "another required field has no source",
    { input: "ByIdAndMore", output: "Request", rule: "GET /v1/things" },
  ],
  ["the field is a part of a path", { input: "ById", output: "Request", rule: "GET /v1/{id=things/*}" }],
  ["no field has a source", { input: "Request", output: "Request", rule: "GET /v1/things" }],
])("there is no link if %s", (_why, target) => {
  expect(linksTo(target)).toBeUndefined();
});

test("a document with links is valid", async () => {
  const target = { input: "ById", output: "Request", rule: "POST /v1/things" };
  await expectValid(documentOf(documentedService(MESSAGES, { Make: MAKE, Use: target })));
});
