import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import {
  DurationSchema,
  Edition,
  FieldDescriptorProto_Label as Label,
  StructSchema,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import type { MessageInit } from "../../src/codec/message-field.js";
import { expected, written } from "../support/binary-text.js";
import { defineMessages, field } from "../support/define-messages.js";

/** Messages of proto2 and of an edition, with features that proto3 does not have. */
function oddMessages() {
  const part = { name: "Part", field: [field("a", 1, Type.BOOL)] };
  const features = (set: object) => ({ options: { features: set } });
  const proto2 = {
    name: "test/odd.proto",
    package: "test",
    syntax: "proto2",
    messageType: [
      {
        name: "Odd",
        nestedType: [part],
        field: [
          field("text", 4, Type.STRING, { defaultValue: "some" }),
          field("count", 2, Type.INT32),
          field("unpacked", 3, Type.INT32, { label: Label.REPEATED }),
          field("part", 5, Type.GROUP, { typeName: ".test.Odd.Part" }),
          field("total", 6, Type.INT64, { options: { jstype: 1 } }),
          field("totals", 700, Type.SINT64, { label: Label.REPEATED, options: { jstype: 1, packed: true } }),
          field("strict", 8, Type.MESSAGE, { typeName: ".test.Strict" }),
        ],
      },
      { name: "Own", field: [field("hasOwnProperty", 1, Type.STRING)] },
      { name: "Strict", field: [field("needed", 1, Type.INT32, { label: Label.REQUIRED })] },
    ],
  };
  const edition = {
    name: "test/edition.proto",
    package: "test.edition",
    syntax: "editions",
    edition: Edition.EDITION_2023,
    messageType: [
      {
        name: "Even",
        field: [
          field("explicit", 1, Type.INT32),
          field("implicit", 2, Type.INT32, features({ fieldPresence: 2 })),
          field("delimited", 3, Type.MESSAGE, {
            typeName: ".test.edition.Even",
            ...features({ messageEncoding: 2 }),
          }),
          field("last", 2 ** 29 - 1, Type.INT32),
        ],
      },
    ],
  };
  const { find } = defineMessages([proto2, edition]);
  return {
    odd: find("test.Odd"),
    own: find("test.Own"),
    strict: find("test.Strict"),
    even: find("test.edition.Even"),
  };
}

describe("beyond proto3", () => {
  const { odd, own, strict, even } = oddMessages();

  test.each<[desc: DescMessage, init: MessageInit, bytes: string]>([
    [odd, {}, ""],
    [odd, { count: 0, text: "", unpacked: [1, 0] }, "1000180118002200"],
    [odd, { part: { a: false }, count: 1 }, "10012b08002c"],
    [odd, { total: "007", totals: ["-1", "1"] }, "3007e22b020102"],
    [odd, { strict: { needed: 0 }, text: "" }, "220042020800"],
    [strict, { needed: 0 }, "0800"],
    [even, {}, ""],
    [even, { explicit: 0, implicit: 0 }, "0800"],
    [even, { explicit: 0, implicit: 1 }, "08001001"],
    [even, { delimited: { implicit: 1 }, last: 1 }, "1b10011cf8ffffff0f01"],
  ])("%s %o", (desc, init, bytes) => {
    expect(written(desc, init)).toBe(bytes);
    const message: Message = create(desc, init);
    expect(written(desc, message)).toBe(bytes);
    expect(bytes).toBe(expected(desc, message));
  });

  test("a field with the name of a member of Object.prototype", () => {
    expect(written(own, {})).toBe("");
    expect(written(own, { hasOwnProperty: "x" })).toBe("0a0178");
  });

  test.each<[desc: DescMessage, init: MessageInit]>([
    [strict, {}],
    [odd, { strict: {} }],
  ])("a missing required field of %s is an error, as in protobuf-es", (desc, init) => {
    expect(() => written(desc, init)).toThrow("required field not set");
  });

  test("a Struct as the whole message", () => {
    const init = { fields: { a: { kind: { case: "numberValue", value: 0 } } } };
    expect(written(StructSchema, init)).toBe(expected(StructSchema, init));
    expect(written(DurationSchema, { nanos: -1 })).toBe("10ffffffffffffffffff01");
  });
});
