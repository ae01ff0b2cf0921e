import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import { readWireFields } from "../../src/text/wire-reader.js";

test("the fields of a message are read in their order, of all wire types", () => {
  const message = new BinaryWriter();
  message.tag(1, 0).int32(-1).tag(2, 2).string("a").tag(1, 0).uint64("18446744073709551615");
  message.tag(3, 5).fixed32(1).tag(536_870_911, 1).fixed64(2);
  expect(readWireFields(message.finish())).toEqual([
    { number: 1, value: 0xffff_ffff_ffff_ffffn },
    { number: 2, value: Uint8Array.of(0x61) },
    { number: 1, value: 0xffff_ffff_ffff_ffffn },
    { number: 3, value: Uint8Array.of(1, 0, 0, 0) },
    { number: 536_870_911, value: Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0) },
  ]);
  expect(readWireFields(new Uint8Array())).toEqual([]);
});

test.each([
  ["a tag without a value", [0x08]],
  ["a varint that does not end", [0x08, ...Array(11).fill(0x80)]],
  ["a length beyond the end", [0x12, 0x05, 0x61]],
  ["a huge length", [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
  ["a group", [0x0b]],
  ["the field 0", [0x00, 0x00]],
  ["a fixed value that is cut", [0x0d, 0x00]],
])("%s is no message", (_, bytes) => {
  expect(readWireFields(Uint8Array.from(bytes))).toBeUndefined();
});
