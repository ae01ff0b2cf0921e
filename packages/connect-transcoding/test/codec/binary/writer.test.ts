import { create, fromBinary } from "@bufbuild/protobuf";
import {
  BookSchema,
  PublisherSchema,
  SpecimenSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MessageInit } from "../../../src/codec/message-field.js";
import { anyMessage } from "../../support/messages/arbitrary-message.js";
import { expected, written } from "../../support/messages/binary-text.js";
import { type Choose, seededChoices } from "../../support/messages/choices.js";
import { toInit } from "../../support/messages/plain-init.js";

/** Bytes, in one of eight cases as an array of numbers. */
const someAsNumbers = (bytes: Uint8Array, choose: Choose) => (choose(8) === 0 ? [...bytes] : bytes);

describe("equals the output of protobuf-es", () => {
  const specimens = anyMessage(SpecimenSchema, () => true);

  test("for any message", () => {
    fc.assert(
      fc.property(specimens, (message) => {
        expect(written(SpecimenSchema, message)).toBe(expected(SpecimenSchema, message));
      }),
      { numRuns: 400 },
    );
  });

  test("for any plain object in place of a message", () => {
    fc.assert(
      fc.property(specimens, fc.nat().map(seededChoices), (message, choose) => {
        const init = toInit(message, choose, someAsNumbers) as MessageInit;
        expect(written(SpecimenSchema, init)).toBe(expected(SpecimenSchema, init));
      }),
      { numRuns: 400 },
    );
  });

  test("for any text, of any length and with lone surrogates", () => {
    const unit = fc.oneof(
      fc.constantFrom("a", "\u007f", "é", "\u07ff", "\u0800", "\uffff", "😀"),
      fc.string(),
    );
    const half = fc.constantFrom("", "", "\ud800", "\udfff", "\ude00\ud83d");
    fc.assert(
      fc.property(fc.array(fc.tuple(unit, half), { maxLength: 60 }), (parts) => {
        const init = { name: parts.flat().join("") };
        expect(written(PublisherSchema, init)).toBe(expected(PublisherSchema, init));
      }),
      { numRuns: 500 },
    );
  });

  test.each<[what: string, init: MessageInit, bytes: string]>([
    ["nothing", {}, ""],
    ["undefined and null as absent", { name: undefined, title: null, year: null, publisher: undefined }, ""],
    ["defaults", { name: "", isbn: 0n, pages: 0, price: 0, inPrint: false, genre: 0, volumes: [] }, ""],
    ["presence", { year: 0 }, "2800"],
    ["a oneof without a case", { location: { case: undefined } }, ""],
    ["a oneof with an unknown case", { location: { case: "cellar", value: 1 } }, ""],
    ["a oneof with its default", { location: { case: "floor", value: 0 } }, "7800"],
    ["an ASCII string", { name: "Aa" }, "0a024161"],
    ["half of a surrogate pair", { title: "a\ud800" }, "120461efbfbd"],
    ["minus zero, which is no default", { price: -0, rating: -0 }, "4d00000080510000000000000080"],
    ["minus zero in an integer, which is one", { pages: -0 }, ""],
    ["not a number", { price: Number.NaN }, "51000000000000f87f"],
    ["a negative integer, in ten bytes", { year: -1 }, "28ffffffffffffffffff01"],
    ["an enum without a name", { genre: -1, moreGenres: [77] }, "18ffffffffffffffffff01aa01014d"],
    ["a packed list", { volumes: [1, 300] }, "b2010301ac02"],
    ["a list of texts", { authorNames: ["", "b"] }, "2200220162"],
    [
      "an integer in each form",
      { isbn: "-1", copies: 2 ** 53 },
      "30ffffffffffffffffff0140808080808080" + "8010",
    ],
    ["a message without fields", { publisher: {} }, "6a00"],
    ["messages within", { publisher: { parent: { parent: {} } } }, "6a041a021a00"],
    ["a map", { labels: { b: "", 1: "c" } }, "8201060a013112016382010" + "50a01621200"],
    ["a wrapper's default, and its value", { note: "" }, "a20100"],
  ])("with %s", (_, init, bytes) => {
    expect(written(BookSchema, init)).toBe(bytes);
    expect(bytes).toBe(expected(BookSchema, init));
    const message = create(BookSchema, init);
    expect(written(BookSchema, message)).toBe(bytes);
  });

  test.each<MessageInit>([
    { int32Value: 2 ** 31 - 1, sint32Value: -(2 ** 31), uint32Value: 2 ** 32 - 1, fixed32Value: 2 ** 32 - 1 },
    { int32Value: -(2 ** 31), sint32Value: 2 ** 31 - 1, sfixed32Value: -(2 ** 31), floatValue: 1e-45 },
    { int64Value: -(2n ** 63n), sint64Value: -(2n ** 63n), sfixed64Value: -(2n ** 63n) },
    { int64Value: 2n ** 63n - 1n, sint64Value: 2n ** 63n - 1n, uint64Value: 2n ** 64n - 1n },
    { fixed64Value: 2n ** 64n - 1n, int64Value: 2 ** 60, uint64Value: "18446744073709551615" },
    { int64Value: "0", uint64Value: "", sint64Value: "0x10", fixed64Value: 0 },
    { doubleValue: Number.POSITIVE_INFINITY, floatValue: Number.NEGATIVE_INFINITY, doubles: [-0, 0, 5e-324] },
    { floatValue: (2 - 2 ** -23) * 2 ** 127, doubleBox: -0, floatBox: Number.NaN },
    {
      bytesValue: [0, 255],
      chunks: [[1], new Uint8Array([2, 3]).subarray(1), Buffer.from("x")],
      bytesBox: [9],
    },
    { optionalDouble: 0, optionalInt32: 0, optionalUint64: 0n, optionalBool: false, optionalString: "" },
    { optionalBytes: new Uint8Array(), optionalGenre: 0 },
    { boxes: [{ value: 5n }, {}], int64Box: 7n, uint64Box: "8", stringBox: "s", boolBox: false },
    { genreByInt32: { "01": 1, "1": 2, "-0": 3, 2147483647: 0 } },
    { genreByInt32: { "0x10": 1 } },
    { genreByInt32: { "7 of 9": 1 } },
    { doubleByUint64: { "0x10": 1, "18446744073709551615": -0 }, timestampBySint64: { "-5": {}, "007": {} } },
    { bytesByBool: { true: [1], false: new Uint8Array([2]) } },
    {
      textByText: JSON.parse('{"__proto__": "kept"}'),
      publisherByText: JSON.parse('{"__proto__": {}, "a": {}}'),
    },
    { struct: { a: [1, null, { b: "c" }], d: undefined }, stringValue: "after" },
    { nested: { nested: { struct: {}, boolValue: true }, stringValue: "x" }, int32Value: 1 },
    {
      value: {
        kind: { case: "structValue", value: { fields: { a: { kind: { case: "nullValue", value: 0 } } } } },
      },
    },
    { choice: { case: "chosenPublisher", value: {} } },
    { choice: { case: "chosenPublisher", value: undefined } },
    { choice: { case: "chosenDuration", value: { seconds: 3n } }, nullValue: 0, empty: {}, any: {} },
    { nested: { $typeName: "library.v1.Publisher", stringValue: "of another type" } },
    { bools: [true, false], int64s: [1n, "2", 3], strings: ["a".repeat(127), "é".repeat(64)] },
    { nested: { stringValue: "a".repeat(126), nested: { stringValue: "b".repeat(16_382) } } },
  ])("with %o", (init) => {
    expect(written(SpecimenSchema, init)).toBe(expected(SpecimenSchema, init));
  });

  test.each([...new Set(SpecimenSchema.fields.flatMap(({ message }) => message ?? []))])(
    "for a whole %s",
    (desc) => {
      fc.assert(
        fc.property(
          anyMessage(desc, () => true),
          (message) => {
            expect(written(desc, message)).toBe(expected(desc, message));
          },
        ),
        { numRuns: 20 },
      );
    },
  );

  test.each([40, 127, 128, 4096, 16_383, 16_384, 65_536, 262_144, 3_000_000])(
    "with text and bytes of %d",
    (length) => {
      for (const text of ["a".repeat(length), "é".repeat(length / 2), `${"a".repeat(length)}\ud800`]) {
        const publisher = { name: text, parent: { cityName: text } };
        const init = { publisher, fingerprint: new Uint8Array(length).fill(7), authorNames: [text, "end"] };
        expect(written(BookSchema, init) === expected(BookSchema, init)).toBe(true);
      }
    },
  );

  test("with unknown fields, in the message and in nested ones", () => {
    // Field 100, of wire type 2, with two bytes.
    const message = fromBinary(PublisherSchema, new Uint8Array([0xa2, 0x06, 2, 0x68, 0x69]));
    expect(written(PublisherSchema, message)).toBe("a206026869");
    expect(written(PublisherSchema, { name: "n", parent: message })).toBe("0a016e1a05a206026869");
  });
});

test("reads common fields once, without protobuf-es", () => {
  let reads = 0;
  const init: MessageInit = {
    get name() {
      reads++;
      return "n";
    },
    genre: 1,
    year: 0,
    isbn: 5,
    copies: 7n,
    price: 1.5,
    fingerprint: new Uint8Array([1]),
    publisher: create(PublisherSchema, { name: "n" }),
    location: { case: "floor", value: -1 },
    labels: { a: "b" },
    acquired: { seconds: 1n },
    note: "n",
    moreGenres: [1],
    authorNames: ["\ud800"],
  };
  expect(written(BookSchema, init)).not.toBe("");
  expect(reads).toBe(1);
  expect(written(BookSchema, init)).toBe(expected(BookSchema, init));
});
