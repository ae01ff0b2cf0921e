import {
  create,
  type DescMessage,
  equals,
  fromBinary,
  isMessage,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { FieldDescriptorProtoSchema, FieldOptionsSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  type Book,
  BookSchema,
  PublisherSchema,
  SpecimenSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBinaryReaders } from "../../../src/codec/binary/reader.js";
import type { MessageInit } from "../../../src/codec/message-field.js";
import { anyEncoded, anyFields, anyMutated } from "../../support/messages/binary-mutations.js";
import { expectSameOutcome, readerOf } from "../../support/messages/binary-outcome.js";
import { oddMessages } from "../../support/messages/odd-messages.js";

const { odd, own, strict, even } = oddMessages();
const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex"));
const read = (desc: DescMessage, hex: string) => readerOf(desc)(fromHex(hex));

describe("equals the outcome of protobuf-es", () => {
  const types = [SpecimenSchema, BookSchema, ValueSchema, FieldDescriptorProtoSchema, odd, own, even];

  test.each(types)("for any %s, and for any merged ones", (desc) => {
    fc.assert(
      fc.property(anyEncoded(desc), (bytes) => expectSameOutcome(desc, bytes)),
      { numRuns: 150 },
    );
  });

  test.each(types)("for any bytes near a %s", (desc) => {
    fc.assert(
      fc.property(anyMutated(desc), (bytes) => expectSameOutcome(desc, bytes)),
      { numRuns: 300 },
    );
  });

  test.each(types)("for the fields of %s in any wire type", (desc) => {
    fc.assert(
      fc.property(anyFields(desc), (bytes) => expectSameOutcome(desc, bytes)),
      { numRuns: 150 },
    );
  });

  test("for any text, valid or not", () => {
    const byte = fc.constantFrom(
      0x41,
      0x7f,
      0x80,
      0xbf,
      0xc2,
      0xc3,
      0xe2,
      0xed,
      0xa0,
      0xef,
      0xbb,
      0xf0,
      0x9f,
      0xff,
    );
    const part = fc.oneof(
      fc.constantFrom("\ufeff", "\ufffd", "é", "😀", "a".repeat(40)).map((text) => Buffer.from(text)),
      fc.array(byte, { maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 3 }), (parts) => {
        const text = Buffer.concat(parts);
        expectSameOutcome(PublisherSchema, Buffer.concat([fromHex("0a"), Buffer.from([text.length]), text]));
        expectSameOutcome(odd, Buffer.concat([fromHex("22"), Buffer.from([text.length]), text]));
      }),
      { numRuns: 200 },
    );
  });
});

describe("reads", () => {
  test.each<[what: string, hex: string, init: MessageInit]>([
    ["nothing", "", {}],
    ["an ASCII string", "0a024161", { name: "Aa" }],
    ["text in UTF-8", "0a02c3a9", { name: "é" }],
    ["presence", "2800", { year: 0 }],
    ["a negative integer", "28ffffffffffffffffff01", { year: -1 }],
    ["the lower 32 bits of an integer", "28ffffffff7f", { year: -1 }],
    ["an integer in more bytes than it needs", "28818000", { year: 1 }],
    ["a tag in more bytes than it needs", "a88000 01", { year: 1 }],
    [
      "64-bit integers",
      "30ffffffffffffffffff01 40ffffffffffffffffff01",
      { isbn: -1n, copies: 2n ** 64n - 1n },
    ],
    ["any varint but 0 as true", "588001", { inPrint: true }],
    ["a false in two bytes", "588000", { inPrint: false }],
    ["floating point numbers", "4d0000c03f 51000000000000f03f", { rating: 1.5, price: 1 }],
    ["an enum without a name", "184d", { genre: 77 }],
    ["the last of several values", "0a0161 0a0162", { name: "b" }],
    ["packed, unpacked, and both", "b2010301ac02 b00105 b20100", { volumes: [1, 300, 5] }],
    ["a message in parts", "6a030a0161 6a03120162", { publisher: { name: "a", cityName: "b" } }],
    ["the last case of a oneof", "720161 7805", { location: { case: "floor", value: 5 } }],
    ["an entry without key and value", "820100", { labels: { "": "" } }],
    ["the last entry of a key", "8201060a0161120162 8201060a0161120163", { labels: { a: "c" } }],
    ["a wrapper, also of a default", "a20100", { note: "" }],
  ])("%s", (_, hex, init) => {
    const message = read(BookSchema, hex);
    expect(message).toStrictEqual(create(BookSchema, init));
    expectSameOutcome(BookSchema, fromHex(hex));
  });

  test.each<[desc: DescMessage, hex: string, init: MessageInit]>([
    [odd, "1000", { count: 0 }],
    [odd, "2200", { text: "" }],
    [odd, "2b08012c", { part: { a: true } }],
    [odd, "3007 e22b020102", { total: "7", totals: ["-1", "1"] }],
    [odd, "4803 520203ff01", { shade: 3, shadeList: [3, 255] }],
    [odd, "5a00 5a050a016110 04", { shades: { "": 3, a: 4 } }],
    [odd, "620161 6a020801", { choice: { case: "chosenStrict", value: { needed: 1 } } }],
    [strict, "", {}],
    [own, "0a0178", { hasOwnProperty: "x" }],
    [even, "1b10011c f8ffffff0f01", { delimited: { implicit: 1 }, last: 1 }],
  ])("%s from %s", (desc, hex, init) => {
    expect(read(desc, hex)).toStrictEqual(create(desc, init));
    expectSameOutcome(desc, fromHex(hex));
  });

  test("unknown fields, in order, in the message and in nested ones", () => {
    const { $unknown, ...publisher } = read(
      PublisherSchema,
      "a20602 6869 0a016e a00605 a106 0102030405060708 a506 01020304",
    );
    expect(publisher).toStrictEqual({ ...create(PublisherSchema, { name: "n" }) });
    expect($unknown).toStrictEqual([
      { no: 100, wireType: 2, data: new Uint8Array([2, 0x68, 0x69]) },
      { no: 100, wireType: 0, data: new Uint8Array([5]) },
      { no: 100, wireType: 1, data: new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]) },
      { no: 100, wireType: 5, data: new Uint8Array([1, 2, 3, 4]) },
    ]);
    expectSameOutcome(BookSchema, fromHex("6a03a00601 6a03a00602 a00603"));
  });

  test("no unknown fields where they are not wanted", () => {
    const bytes = fromHex("a20602 6869 0a016e a00605 6a0712016e a206016e");
    const outcome = createBinaryReaders(false).ofMessage(BookSchema)(bytes);
    expect(outcome).toStrictEqual(fromBinary(BookSchema, bytes, { readUnknownFields: false }));
    // A group, which protobuf-es reads.
    const group = fromHex("a306 0801 a406 0a0161");
    expect(createBinaryReaders(false).ofMessage(BookSchema)(group)).toStrictEqual(
      fromBinary(BookSchema, group, { readUnknownFields: false }),
    );
  });

  test("an extension, as an unknown field", () => {
    const bytes = fromHex("1801 c2c21b020801");
    expect(readerOf(FieldOptionsSchema)(bytes).$unknown).toHaveLength(1);
    expectSameOutcome(FieldOptionsSchema, bytes);
  });

  test("a message that the functions of protobuf-es accept", () => {
    const init = { name: "n", publisher: { name: "p" }, location: { case: "room", value: "r" } } as const;
    const book = readerOf(BookSchema)(toBinary(BookSchema, create(BookSchema, init)));
    expect(isMessage(book, BookSchema)).toBe(true);
    expect(equals(BookSchema, book as typeof expected, create(BookSchema, init))).toBe(true);
    expect(toJson(BookSchema, book as typeof expected)).toStrictEqual({
      name: "n",
      publisher: { name: "p" },
      room: "r",
    });
    expect(Object.keys(book).sort()).toStrictEqual(Object.keys(create(BookSchema, init)).sort());
  });
  const expected = create(BookSchema);

  test("common messages without protobuf-es, whose values would share the memory of the whole message", () => {
    const init: MessageInit = {
      name: "a longer name, beyond short ones: é",
      genre: 1,
      year: 0,
      isbn: 5n,
      price: 1.5,
      fingerprint: new Uint8Array([1]),
      publisher: { name: "n" },
      location: { case: "floor", value: -1 },
      labels: { a: "b" },
      acquired: { seconds: 1n },
      note: "n",
      moreGenres: [1],
    };
    const bytes = Buffer.concat([
      toBinary(BookSchema, create(BookSchema, init)),
      fromHex("6a03120162 a20602 6869"),
    ]);
    const book = readerOf(BookSchema)(bytes) as typeof expected;
    expect(book.fingerprint.buffer.byteLength).toBe(1);
    expect(book.$unknown?.[0]?.data.buffer.byteLength).toBe(3);
    expect(book.publisher?.cityName).toBe("b");
    expectSameOutcome(BookSchema, bytes);
  });

  test("messages of their own: a change of one does not show in another", () => {
    const first = read(BookSchema, "") as typeof expected;
    first.authorNames.push("a");
    first.labels.a = "b";
    first.location = { case: "floor", value: 1 };
    expect(read(BookSchema, "")).toStrictEqual(create(BookSchema));
  });

  test.each([BookSchema, SpecimenSchema])("messages of %s that share the default of bytes", (desc) => {
    const [first, second] = [read(desc, ""), read(desc, "")];
    expect(first).not.toBe(second);
    const isBytes = (value: unknown) => value instanceof Uint8Array;
    const bytes = Object.values<unknown>(first).filter(isBytes);
    expect(bytes).toStrictEqual([new Uint8Array(0)]);
    expect(Object.values<unknown>(second).filter(isBytes)[0]).toBe(bytes[0]);
  });
});

describe("rejects as protobuf-es does", () => {
  const nested = (depth: number, inner = "") =>
    Array.from({ length: depth }).reduce<string>((hex) => {
      const bytes = fromHex(hex);
      return `1a${varintHex(bytes.length)}${hex}`;
    }, inner);

  test.each<[what: string, desc: DescMessage, hex: string]>([
    ["a tag without a value", BookSchema, "0a"],
    ["a field number 0", BookSchema, "00"],
    ["a field number 0, with a length", BookSchema, "0200"],
    ["a wire type 6", BookSchema, "0e00"],
    ["a wire type 7 of an unknown field", BookSchema, "a70600"],
    ["a string beyond the end", BookSchema, "0a0561"],
    ["a string whose length is 2^32 - 1", BookSchema, "0affffffff0f61"],
    ["a string that is not UTF-8", BookSchema, "0a01ff"],
    ["bytes beyond the end", BookSchema, "620561"],
    ["a varint without its end", BookSchema, "2880"],
    ["a varint of eleven bytes", BookSchema, "288080808080808080808001"],
    ["a long varint of eleven bytes", BookSchema, "308080808080808080808001"],
    ["a tag of six bytes", BookSchema, "a8808080800001"],
    ["a tag beyond 32 bits", BookSchema, "a880808010 01"],
    ["a double beyond the end", BookSchema, "5100000000000000"],
    ["a float beyond the end", BookSchema, "4d000000"],
    ["an unknown fixed field beyond the end", BookSchema, "a106 00"],
    ["an unknown varint without its end", BookSchema, "a006 80"],
    ["an unknown length beyond the end", BookSchema, "a206 05 00"],
    ["an end of a group without a group", BookSchema, "a406"],
    ["a group without its end", BookSchema, "a306"],
    ["a group with the end of another", BookSchema, "a306 ac06"],
    ["a delimited message without its end", odd, "2b0801"],
    ["a message beyond the end", BookSchema, "6a050a0161"],
    ["a map entry beyond the end", BookSchema, "820105 0a0161"],
    ["packed values beyond the end", BookSchema, "b20105 01"],
    ["100 messages in a message", PublisherSchema, nested(100)],
    ["100 messages in a message, with the data of the last", PublisherSchema, nested(100, "0a0161")],
  ])("%s", (_, desc, hex) => {
    expect(() => read(desc, hex)).toThrow(Error);
    expectSameOutcome(desc, fromHex(hex));
  });

  test("but not 99 messages in a message", () => {
    expect(read(PublisherSchema, nested(1, "0a0161"))).toStrictEqual(
      create(PublisherSchema, { parent: { name: "a" } }),
    );
    expectSameOutcome(PublisherSchema, fromHex(nested(99, "0a0161")));
    expect(() => read(PublisherSchema, nested(99, "0a0161"))).not.toThrow();
  });

  test("100,000 messages in a message, without exhausting the stack", () => {
    const parts: Uint8Array[] = [];
    let length = 0;
    for (let depth = 0; depth < 100_000; depth++) {
      const part = fromHex(`1a${varintHex(length)}`);
      parts.push(part);
      length += part.length;
    }
    const bytes = Buffer.concat(parts.reverse());
    expectSameOutcome(PublisherSchema, bytes);
    expect(() => readerOf(PublisherSchema)(bytes)).toThrow("depth");
  });
});

/** What protobuf-es accepts although the specification does not say so. */
test.each<[what: string, desc: DescMessage, hex: string]>([
  ["a string in the wire type of a varint", BookSchema, "080161"],
  ["a varint in the wire type of a length", BookSchema, "2a05"],
  ["a message whose value goes beyond its length", BookSchema, "6a020a0161"],
  ["an unknown value of a closed enum", odd, "4807"],
  ["an unknown value of a closed enum, with another unknown field", odd, "4807 a00601"],
  ["a known value after an unknown one", odd, "4807 4803"],
  ["a byte order mark", BookSchema, "0a04efbbbf61"],
  ["U+FFFD", BookSchema, "0a03efbfbd"],
  ["an unknown group", BookSchema, "a306 0801 a406 0a0161"],
  ["a wrapper in parts", BookSchema, "a201030a0161 a201030a0162"],
  ["a message in the group encoding", PublisherSchema, "1b0a01611c"],
  ["an unknown field in a map entry", BookSchema, "8201041a020801"],
])("accepts or rejects %s as protobuf-es does", (_, desc, hex) => {
  expectSameOutcome(desc, fromHex(hex));
});

test("keeps the map key __proto__, which protobuf-es loses", () => {
  const { labels } = readerOf(BookSchema)(fromHex("82010e0a095f5f70726f746f5f5f120161")) as Book;
  expect(Object.entries(labels)).toEqual([["__proto__", "a"]]);
  expect(Object.getPrototypeOf(labels)).toBe(Object.prototype);
});

function varintHex(value: number): string {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) {
    bytes.push((rest & 0x7f) | 0x80);
  }
  return Buffer.from([...bytes, rest]).toString("hex");
}
