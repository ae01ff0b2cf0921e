import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import { DurationSchema, StructSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import type { MessageInit } from "../../../src/codec/message-field.js";
import { expected, written } from "../../support/messages/binary-text.js";
import { oddMessages } from "../../support/messages/odd-messages.js";

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
