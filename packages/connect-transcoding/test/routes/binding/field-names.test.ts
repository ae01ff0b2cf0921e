import { createRegistry, type JsonValue, toJson } from "@bufbuild/protobuf";
import { FieldDescriptorProto_Type as Type } from "@bufbuild/protobuf/wkt";
import { ruleOf } from "connect-transcoding-testing/define-service.js";
import { expect, test } from "vitest";
import { createJsonMessageWriter } from "../../../src/codec/json/writer.js";
import { createRouteTable } from "../../../src/routes/route-table.js";
import { defineMessages, field } from "../../support/messages/define-messages.js";
import { failureOf, findRoute } from "../../support/requests.js";

// The JSON names of these fields are proto names of others. As in the fix of protobuf #11987, JSON names come first in JSON. Path templates, `body`
// and `response_body` have proto names (google/api/http.proto).
const fields = [
  field("a", 1, Type.INT32, { jsonName: "b" }),
  field("b", 2, Type.INT32, { jsonName: "a" }),
  field("c", 3, Type.INT32, { jsonName: "d" }),
  field("in", 4, Type.MESSAGE, { jsonName: "out", typeName: ".test.Swapped" }),
  field("out", 5, Type.MESSAGE, { jsonName: "in", typeName: ".test.Swapped" }),
];
const method = { inputType: ".test.Swapped", outputType: ".test.Swapped" };
const rules = [
  ruleOf("GET /v1/q"),
  ruleOf("GET /v1/p/{a}/{in.b}"),
  { ...ruleOf("POST /v1/all"), body: "*" },
  { ...ruleOf("POST /v1/all/{a}"), body: "*" },
  { ...ruleOf("POST /v1/in"), body: "in", responseBody: "in" },
];
const { types } = defineMessages([
  {
    name: "test/swapped.proto",
    package: "test",
    syntax: "proto3",
    messageType: [{ name: "Swapped", field: fields }],
    service: [{ name: "S", method: rules.map((_, index) => ({ name: `M${index}`, ...method })) }],
  },
]);
const methods = types.getService("test.S")?.methods ?? [];
const routes = createRouteTable(methods, {
  unknownParameters: "reject",
  registry: createRegistry(),
  rules: rules.map((rule, index) => ({ selector: `test.S.M${index}`, ...rule })),
});

function send(line: string, body = "") {
  const contentType = body === "" ? undefined : "application/json";
  return findRoute(routes, line).bind({ contentType, contentEncoding: undefined, body: Buffer.from(body) });
}

/** The message in proto names. */
function bound(line: string, body?: string): JsonValue {
  const { message, method: called } = send(line, body);
  return toJson(called.input, message, { useProtoFieldName: true });
}

test.each<[line: string, body: string, message: JsonValue]>([
  ["GET /v1/q?b=1&a=2&d=3", "", { a: 1, b: 2, c: 3 }],
  ["GET /v1/q?c=3", "", { c: 3 }],
  ["GET /v1/q?in.b=1&out.a=2", "", { out: { a: 1 }, in: { b: 2 } }],
  ["GET /v1/p/1/2", "", { a: 1, in: { b: 2 } }],
  ["GET /v1/p/1/2?a=3&in.b=4", "", { a: 1, b: 3, in: { b: 2 }, out: { a: 4 } }],
  ["POST /v1/all", '{"b":1,"a":2,"d":3}', { a: 1, b: 2, c: 3 }],
  ["POST /v1/all", '{"in":{"b":1},"out":{"a":2}}', { in: { b: 2 }, out: { a: 1 } }],
  ["POST /v1/all/1", '{"a":2}', { a: 1, b: 2 }],
  ["POST /v1/all/1", '{"b":1}', { a: 1 }],
  ["POST /v1/in", '{"b":1}', { in: { a: 1 } }],
  ["POST /v1/in?in.b=2", '{"b":1}', { in: { a: 1 }, out: { a: 2 } }],
])("%s %s", (line, body, message) => {
  expect(bound(line, body)).toEqual(message);
});

test.each([
  ["GET /v1/q?b=x", "", "b"],
  ["GET /v1/p/x/1", "", "b"],
  ["GET /v1/p/1/x", "", "out.a"],
  ["POST /v1/all/1", '{"b":2}', "b"],
  ["POST /v1/all", '{"d":1,"c":2}', "c"],
  ["POST /v1/in?out.a=1", '{"b":1}', "out.a"],
])("%s %s: the error names %s", (line, body, name) => {
  expect(failureOf(() => send(line, body)).violations.map((each) => each.field)).toEqual([name]);
});

test("what is written is read", () => {
  const { message, method: called } = send("POST /v1/all", '{"b":1,"a":2,"out":{"b":3}}');
  const json = createJsonMessageWriter(called.output, createRegistry())(message);
  expect(bound("POST /v1/all", json)).toMatchObject({ a: 1, b: 2, in: { a: 3 } });
});

test("a response_body has a proto name", () => {
  const { message, encode } = send("POST /v1/in", '{"b":1}');
  expect(JSON.parse(String(encode(message).body))).toMatchObject({ b: 1 });
});
