import { createRegistry, type JsonValue } from "@bufbuild/protobuf";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { file_library_v1_library } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { createRouteTable } from "../../../src/routes/route-table.js";
import { bound, json, TWICE, violations } from "../../support/messages/specimens.js";

const body = (line: string, input: string) => ({
  name: line.replace(/\W/g, ""),
  input,
  rule: { ...ruleOf(line), body: "*" },
});
const service = defineService([
  body("PATCH /v1/int/{int32_value}", "Specimen"),
  body("PATCH /v1/long/{uint64_value}", "Specimen"),
  body("PATCH /v1/double/{double_value}", "Specimen"),
  body("PATCH /v1/text/{string_value}", "Specimen"),
  body("PATCH /v1/bytes/{bytes_value}", "Specimen"),
  body("PATCH /v1/flag/{bool_value}", "Specimen"),
  body("PATCH /v1/genre/{genre}", "Specimen"),
  body("PATCH /v1/optional/{optional_int32}", "Specimen"),
  body("PATCH /v1/chosen/{chosen_number}", "Specimen"),
  body("PATCH /v1/nested/{specimen.optional_int32}/{specimen.genre}", "StoreSpecimenRequest"),
]);
const registry = createRegistry(file_library_v1_library);
const routes = createRouteTable(service.methods, { unknownParameters: "reject", registry });

/** Requests whose path and body agree on a field, and the message. */
const agreeing: [line: string, body: string, message: JsonValue][] = [
  // The same value.
  ["PATCH /v1/int/1", '{"int32Value":1}', { int32Value: 1 }],
  ["PATCH /v1/int/1", '{"int32Value":1.0}', { int32Value: 1 }],
  ["PATCH /v1/int/1", '{"int32_value":"1"}', { int32Value: 1 }],
  ["PATCH /v1/int/1e0", '{"int32Value":"1.0"}', { int32Value: 1 }],
  ["PATCH /v1/int/100", '{"int32Value":1e2}', { int32Value: 100 }],
  [
    "PATCH /v1/long/18446744073709551615",
    '{"uint64Value":18446744073709551615}',
    { uint64Value: "18446744073709551615" },
  ],
  ["PATCH /v1/double/0.5", '{"doubleValue":5e-1}', { doubleValue: 0.5 }],
  ["PATCH /v1/double/NaN", '{"doubleValue":"NaN"}', { doubleValue: "NaN" }],
  ["PATCH /v1/bytes/-_8=", '{"bytesValue":"+/8"}', { bytesValue: "+/8=" }],
  ["PATCH /v1/flag/true", '{"boolValue":true}', { boolValue: true }],
  ["PATCH /v1/genre/novel", '{"genre":1}', { genre: "GENRE_NOVEL" }],
  ["PATCH /v1/genre/1", '{"genre":"GENRE_NOVEL"}', { genre: "GENRE_NOVEL" }],
  [
    "PATCH /v1/nested/5/novel",
    '{"specimen":{"optionalInt32":"5","genre":1}}',
    { specimen: { optionalInt32: 5, genre: "GENRE_NOVEL" } },
  ],
  // The default in the body.
  ["PATCH /v1/int/1", '{"int32Value":0}', { int32Value: 1 }],
  ["PATCH /v1/int/1", '{"int32Value":"0.0"}', { int32Value: 1 }],
  ["PATCH /v1/long/1", '{"uint64Value":"0"}', { uint64Value: "1" }],
  ["PATCH /v1/double/1", '{"doubleValue":-0}', { doubleValue: 1 }],
  ["PATCH /v1/text/a", '{"stringValue":""}', { stringValue: "a" }],
  ["PATCH /v1/text/a", '{"stringValue":null}', { stringValue: "a" }],
  ["PATCH /v1/bytes/AA", '{"bytesValue":""}', { bytesValue: "AA==" }],
  ["PATCH /v1/flag/true", '{"boolValue":false}', { boolValue: true }],
  ["PATCH /v1/genre/novel", '{"genre":"GENRE_UNSPECIFIED"}', { genre: "GENRE_NOVEL" }],
  ["PATCH /v1/optional/1", '{"optionalInt32":0}', { optionalInt32: 1 }],
  ["PATCH /v1/chosen/1", '{"chosenNumber":0}', { chosenNumber: "1" }],
  [
    "PATCH /v1/nested/5/novel",
    '{"specimen":{"optionalInt32":0,"genre":0}}',
    { specimen: { optionalInt32: 5, genre: "GENRE_NOVEL" } },
  ],
];

describe("path and body agree", () => {
  test.each(agreeing)("%s with %s", (line, content, message) => {
    expect(bound(line, json(content), routes)).toEqual(message);
  });
});

/** Requests whose path and body give a field different values. */
const conflicting: [line: string, body: string, ...violations: string[]][] = [
  ["PATCH /v1/int/1", '{"int32Value":2}', `int32_value ${TWICE}`],
  ["PATCH /v1/int/0", '{"int32Value":2}', `int32_value ${TWICE}`],
  ["PATCH /v1/long/9007199254740993", '{"uint64Value":9007199254740992}', `uint64_value ${TWICE}`],
  ["PATCH /v1/text/1", '{"stringValue":"1.0"}', `string_value ${TWICE}`],
  ["PATCH /v1/bytes/AA", '{"bytesValue":"AQ"}', `bytes_value ${TWICE}`],
  ["PATCH /v1/flag/false", '{"boolValue":true}', `bool_value ${TWICE}`],
  ["PATCH /v1/genre/novel", '{"genre":"essay"}', `genre ${TWICE}`],
  ["PATCH /v1/optional/1", '{"optionalInt32":2}', `optional_int32 ${TWICE}`],
  [
    "PATCH /v1/chosen/1",
    '{"chosenText":""}',
    "chosen_number CONFLICTING_VALUES cannot be given together with chosenText",
  ],
  [
    "PATCH /v1/nested/5/novel",
    '{"specimen":{"optionalInt32":6,"genre":2}}',
    `specimen.optional_int32 ${TWICE}`,
    `specimen.genre ${TWICE}`,
  ],
];

describe("path and body conflict", () => {
  test.each(conflicting)("%s with %s", (line, content, ...expected) => {
    expect(violations(line, json(content), routes)).toEqual(expected);
  });
});
