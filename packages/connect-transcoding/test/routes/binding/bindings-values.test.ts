import { createRegistry, type JsonValue, toJson } from "@bufbuild/protobuf";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { file_library_v1_library } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { createRouteTable } from "../../../src/routes/route-table.js";
import { failureOf, findRoute } from "../../support/requests.js";

const registry = createRegistry(file_library_v1_library);
const TYPES = [
  "StringValue",
  "Int64Value",
  "BoolValue",
  "BytesValue",
  "Struct",
  "Value",
  "ListValue",
  "Timestamp",
  "Any",
];
const BOXES = ["string_box", "struct", "value", "list_value", "timestamp", "any"];

const service = defineService([
  ...TYPES.map((name) => {
    const type = `google.protobuf.${name}`;
    return { name, input: type, output: type, rule: { ...ruleOf(`POST /v1/${name}`), body: "*" } };
  }),
  ...BOXES.map((body) => ({ name: body, input: "Specimen", rule: { ...ruleOf(`PUT /v1/${body}`), body } })),
  { name: "Get", input: "google.protobuf.StringValue", rule: ruleOf("GET /v1/StringValue") },
]);
const routes = createRouteTable(service.methods, { unknownParameters: "reject", registry });

function send(line: string, body: string) {
  const content = {
    contentType: "application/json",
    contentEncoding: undefined,
    body: new TextEncoder().encode(body),
  };
  return findRoute(routes, line).bind(content);
}

const PUBLISHER = { "@type": "type.googleapis.com/library.v1.Publisher", name: "a" };

describe("a message that is a well-known type", () => {
  test.each<[name: string, body: string, value: JsonValue]>([
    ["StringValue", '"a"', "a"],
    ["StringValue", "", ""],
    ["StringValue", "null", ""],
    ["Int64Value", '"9007199254740993"', "9007199254740993"],
    ["Int64Value", "5", "5"],
    ["BoolValue", "true", true],
    ["BytesValue", '"AP8="', "AP8="],
    ["Struct", '{"a":{"b":[1,null]}}', { a: { b: [1, null] } }],
    ["Struct", "", {}],
    ["Struct", '{"fields":1,"":2}', { fields: 1, "": 2 }],
    ["Value", "null", null],
    ["Value", "[1]", [1]],
    ["Value", '"a"', "a"],
    ["ListValue", '[1,"a",{}]', [1, "a", {}]],
    ["Timestamp", '"2026-01-02T03:04:05Z"', "2026-01-02T03:04:05Z"],
  ])("%s: %s", (name, body, value) => {
    const { method, message, encode } = send(`POST /v1/${name}`, body);
    expect(toJson(method.input, message, { registry })).toEqual(value);
    expect(JSON.parse(String(encode(message).body))).toEqual(value);
  });

  test.each<[name: string, body: string, violations: string[]]>([
    ["StringValue", "{}", [" INVALID_TYPE must be a string"]],
    ["Struct", "null", [" INVALID_VALUE is not the ProtoJSON form of google.protobuf.Struct"]],
    ["Int64Value", '"x"', [" INVALID_TYPE must be an integer"]],
    ["Struct", "[]", [" INVALID_VALUE is not the ProtoJSON form of google.protobuf.Struct"]],
    ["ListValue", "{}", [" INVALID_VALUE is not the ProtoJSON form of google.protobuf.ListValue"]],
    [
      "Timestamp",
      '"2026-02-30T00:00:00Z"',
      [" INVALID_VALUE is not the ProtoJSON form of google.protobuf.Timestamp"],
    ],
  ])("rejects %s: %s", (name, body, violations) => {
    const failure = failureOf(() => send(`POST /v1/${name}`, body));
    expect(failure.status).toBe(400);
    expect(failure.violations.map((each) => `${each.field} ${each.reason} ${each.description}`)).toEqual(
      violations,
    );
  });

  test("Any", () => {
    const { method, message, encode } = send("POST /v1/Any", JSON.stringify(PUBLISHER));
    expect(toJson(method.input, message, { registry })).toEqual(PUBLISHER);
    expect(JSON.parse(String(encode(message).body))).toEqual({ ...PUBLISHER, cityName: "" });
  });

  test("takes nothing else", () => {
    expect(failureOf(() => send("POST /v1/StringValue?value=a", '"a"')).violations).toEqual([
      {
        field: "value",
        reason: "UNKNOWN_PARAMETER",
        description: "is not a query parameter; the body is all that this method takes",
      },
    ]);
    expect(failureOf(() => send("POST /v1/StringValue", '"a')).reason).toBe("MALFORMED_BODY");
  });

  test("is set by its fields in a query", () => {
    const { method, message } = send("GET /v1/StringValue?value=a", "");
    expect(toJson(method.input, message)).toBe("a");
  });
});

test.each<[field: string, body: string, message: JsonValue]>([
  ["string_box", '"a"', { stringBox: "a" }],
  ["string_box", '""', { stringBox: "" }],
  ["string_box", "null", {}],
  ["string_box", "", {}],
  ["struct", '{"a":1}', { struct: { a: 1 } }],
  ["struct", "{}", { struct: {} }],
  ["value", "null", { value: null }],
  ["value", "[true]", { value: [true] }],
  ["list_value", "[]", { listValue: [] }],
  ["timestamp", '"2026-01-02T03:04:05Z"', { timestamp: "2026-01-02T03:04:05Z" }],
  ["any", JSON.stringify(PUBLISHER), { any: PUBLISHER }],
])("the field %s: %s", (field, body, expected) => {
  const { method, message } = send(`PUT /v1/${field}`, body);
  expect(toJson(method.input, message, { registry })).toEqual(expected);
});
