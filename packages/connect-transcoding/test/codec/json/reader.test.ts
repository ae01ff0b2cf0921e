import { create, createRegistry, fromJson } from "@bufbuild/protobuf";
import { StringValueSchema, StructSchema, TimestampSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  BookSchema,
  file_library_v1_library,
  Genre,
  SpecimenSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createJsonMessageReader } from "../../../src/codec/json/reader.js";
import { anyMessage } from "../../support/messages/arbitrary-message.js";
import { seededChoices } from "../../support/messages/choices.js";
import { writeJson } from "../../support/messages/json-encoder.js";
import { failureOf } from "../../support/requests.js";

const registry = createRegistry(file_library_v1_library);
const strict = { unknownParameters: "reject", registry } as const;
const lenient = { unknownParameters: "ignore", registry } as const;
const bytes = (json: string) => new TextEncoder().encode(json);

function problemsOf(run: () => unknown): unknown {
  const { reason, violations } = failureOf(run);
  return [reason, ...violations.map((each) => `${each.field} ${each.reason}`)];
}

test("any message is read from any of its JSON forms", () => {
  const read = createJsonMessageReader(SpecimenSchema, strict);
  const messages = anyMessage(SpecimenSchema, () => true);
  fc.assert(
    fc.property(messages, fc.nat().map(seededChoices), (message, choose) => {
      expect(read(bytes(writeJson(SpecimenSchema, message, choose)))).toEqual(message);
    }),
    { numRuns: 300 },
  );
});

test.each([
  [StructSchema, { a: [1], value: null }],
  [ValueSchema, null],
  [StringValueSchema, "a"],
  [TimestampSchema, "2026-01-02T03:04:05Z"],
])("%o is read from its own form", (desc, json) => {
  const message = createJsonMessageReader(desc, strict)(bytes(JSON.stringify(json)));
  expect(message).toEqual(fromJson(desc, json));
});

describe("invalid JSON", () => {
  test.each([
    ["{", ["MALFORMED_BODY"]],
    ["[]", ["MALFORMED_BODY"]],
    ['"a"', ["MALFORMED_BODY"]],
    ['{"name":"a","name":"a"}', ["MALFORMED_BODY"]],
    [
      '{"publisher":{"town":1,"parent":{"name":2}},"nope":3,"isbn":"x","authorNames":["a",4],"labels":{"k":5}}',
      [
        "INVALID_PARAMETERS",
        "nope UNKNOWN_PARAMETER",
        "publisher.town UNKNOWN_PARAMETER",
        "publisher.parent.name INVALID_TYPE",
        "isbn INVALID_TYPE",
        "authorNames[1] INVALID_TYPE",
        "labels[k] INVALID_TYPE",
      ],
    ],
    ['{"inPrint":true,"in_print":false}', ["INVALID_PARAMETERS", "in_print CONFLICTING_VALUES"]],
    [
      '{"publisher":{"cityName":"a","city_name":"a"}}',
      ["INVALID_PARAMETERS", "publisher.city_name CONFLICTING_VALUES"],
    ],
    ['{"room":"a","floor":1}', ["INVALID_PARAMETERS", "floor CONFLICTING_VALUES"]],
  ])("%s", (json, problems) => {
    expect(problemsOf(() => createJsonMessageReader(BookSchema, strict)(bytes(json)))).toEqual(problems);
  });

  test("unknown members can be ignored", () => {
    const read = createJsonMessageReader(BookSchema, lenient);
    const json = bytes('{"nope":1,"genre":"novel","publisher":{"nope":2,"city_name":null,"cityName":"c"}}');
    expect(read(json)).toEqual(create(BookSchema, { genre: Genre.NOVEL, publisher: { cityName: "c" } }));
  });

  test("an empty body", () => {
    const none = new Uint8Array();
    expect(problemsOf(() => createJsonMessageReader(BookSchema, strict)(none))).toEqual(["MALFORMED_BODY"]);
  });
});
