import {
  create,
  createRegistry,
  type DescMessage,
  isFieldSet,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import {
  Edition,
  type FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { createJsonMessageReader } from "../../src/codec/json/reader.js";
import type { MessageInit } from "../../src/codec/message-field.js";
import { createMessageBinder } from "../../src/routes/binding/message-binder.js";
import { defineMessages, field } from "../support/messages/define-messages.js";

const LONG_AS_STRING = { options: { jstype: 1 } } as const;

/** Features that proto3 does not have: defaults on the prototype, and integers held as strings. */
const fields = [
  field("text", 1, Type.STRING, { defaultValue: "some" }),
  field("count", 2, Type.INT32, { defaultValue: "7" }),
  field("total", 3, Type.INT64, LONG_AS_STRING),
  field("totals", 4, Type.UINT64, { label: Label.REPEATED, ...LONG_AS_STRING }),
  field("part", 5, Type.MESSAGE, { typeName: ".test.Odd" }),
];

function defineOdd(syntax: MessageInitShape<typeof FileDescriptorProtoSchema>): DescMessage {
  const messageType = [{ name: "Odd", field: fields }];
  return defineMessages([{ name: "test/odd.proto", package: "test", messageType, ...syntax }]).find(
    "test.Odd",
  );
}

const options = { unknownParameters: "reject", registry: createRegistry() } as const;

describe.each([
  ["proto2", defineOdd({ syntax: "proto2" })],
  ["edition 2023", defineOdd({ syntax: "editions", edition: Edition.EDITION_2023 })],
])("a bound message of %s equals the result of create", (_, odd) => {
  const read = createJsonMessageReader(odd, options);
  const binder = createMessageBinder(odd, options);

  test.each<[json: string, init: MessageInit]>([
    ["{}", {}],
    ['{"text":"","count":0}', { text: "", count: 0 }],
    ['{"total":"7","totals":["8",9]}', { total: "7", totals: ["8", "9"] }],
    ['{"part":{"total":1,"part":{"text":"a"}}}', { part: { total: "1", part: { text: "a" } } }],
  ])("from %s", (json, init) => {
    const message = read(new TextEncoder().encode(json));
    const expected = create(odd, init);
    expect(message).toEqual(expected);
    for (const field of odd.fields) {
      expect(isFieldSet(message, field)).toBe(isFieldSet(expected, field));
    }
  });

  test.each<[parameters: Record<string, string>, init: MessageInit]>([
    [{}, {}],
    [
      { count: "0", text: "" },
      { count: 0, text: "" },
    ],
    [
      { total: "-5", totals: "6" },
      { total: "-5", totals: ["6"] },
    ],
    [{ "part.total": "5", "part.part.count": "1" }, { part: { total: "5", part: { count: 1 } } }],
  ])("from the parameters %o", (parameters, init) => {
    const texts = Object.entries(parameters).map(
      ([name, value]) => ({ name, value, source: "text" }) as const,
    );
    expect(binder.bind(texts)).toEqual({ message: create(odd, init), violations: [] });
  });

  test("with a nested field that agrees or conflicts with the whole message", () => {
    const bindBoth = (total: string) =>
      binder.bind([
        { name: "part", value: { total: "5" }, source: "json" },
        { name: "part.total", value: total, source: "text" },
      ]);
    expect(bindBoth("5")).toEqual({ message: create(odd, { part: { total: "5" } }), violations: [] });
    expect(bindBoth("6").violations.map(({ field, reason }) => [field, reason])).toEqual([
      ["part.total", "CONFLICTING_VALUES"],
    ]);
  });
});
