import {
  create,
  createFileRegistry,
  type DescMessage,
  fromBinary,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import {
  DurationSchema,
  Edition,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Label as Label,
  StructSchema,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBinaryWriters } from "../../src/transcoding/binary-writer.js";
import type { MessageInit } from "../../src/transcoding/message-field.js";
import { BookSchema, PublisherSchema, SpecimenSchema } from "../gen/library/v1/library_pb.js";
import { anyMessage } from "./arbitrary-message.js";
import { type Choose, seededChoices } from "./choices.js";
import { toInit } from "./plain-init.js";

const { ofMessage } = createBinaryWriters();

/** What the writer is to write, by way of protobuf-es: in hexadecimal, where a difference is easier to see. */
function expected(desc: DescMessage, init: MessageInit): string {
  return hex(toBinary(desc, create(desc, init)));
}

function written(desc: DescMessage, init: MessageInit): string {
  return hex(ofMessage(desc)(init));
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString("hex");
}

/** Octets, one time in eight as an array of numbers. */
const someAsNumbers = (octets: Uint8Array, choose: Choose) => (choose(8) === 0 ? [...octets] : octets);

describe("writes what protobuf-es writes", () => {
  const specimens = anyMessage(SpecimenSchema, () => true);

  test("for any message", () => {
    fc.assert(
      fc.property(specimens, (message) => {
        expect(written(SpecimenSchema, message)).toBe(expected(SpecimenSchema, message));
      }),
      { numRuns: 1000 },
    );
  });

  test("for any plain object that stands for one", () => {
    fc.assert(
      fc.property(specimens, fc.nat().map(seededChoices), (message, choose) => {
        const init = toInit(message, choose, someAsNumbers) as MessageInit;
        expect(written(SpecimenSchema, init)).toBe(expected(SpecimenSchema, init));
      }),
      { numRuns: 1000 },
    );
  });

  test("for any text, of any length and with halves of surrogate pairs", () => {
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

  test.each<[what: string, init: MessageInit, octets: string]>([
    ["nothing", {}, ""],
    ["undefined and null as absent", { name: undefined, title: null, year: null, publisher: undefined }, ""],
    ["defaults", { name: "", isbn: 0n, pages: 0, price: 0, inPrint: false, genre: 0, volumes: [] }, ""],
    ["presence", { year: 0 }, "2800"],
    ["a oneof without a case", { location: { case: undefined } }, ""],
    ["a oneof with a case that is none", { location: { case: "cellar", value: 1 } }, ""],
    ["a oneof with its default", { location: { case: "floor", value: 0 } }, "7800"],
    ["an ASCII string", { name: "Aa" }, "0a024161"],
    ["half of a surrogate pair", { title: "a\ud800" }, "120461efbfbd"],
    ["minus zero, which is no default", { price: -0, rating: -0 }, "4d00000080510000000000000080"],
    ["minus zero in an integer, which is one", { pages: -0 }, ""],
    ["a number that is none", { price: Number.NaN }, "51000000000000f87f"],
    ["a negative integer, in ten octets", { year: -1 }, "28ffffffffffffffffff01"],
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
  ])("with %s", (_, init, octets) => {
    expect(written(BookSchema, init)).toBe(octets);
    expect(octets).toBe(expected(BookSchema, init));
    const message = create(BookSchema, init);
    expect(written(BookSchema, message)).toBe(octets);
  });

  test.each<[init: MessageInit]>([
    [
      {
        int32Value: 2 ** 31 - 1,
        sint32Value: -(2 ** 31),
        uint32Value: 2 ** 32 - 1,
        fixed32Value: 2 ** 32 - 1,
      },
    ],
    [{ int32Value: -(2 ** 31), sint32Value: 2 ** 31 - 1, sfixed32Value: -(2 ** 31), floatValue: 1e-45 }],
    [{ int64Value: -(2n ** 63n), sint64Value: -(2n ** 63n), sfixed64Value: -(2n ** 63n) }],
    [{ int64Value: 2n ** 63n - 1n, sint64Value: 2n ** 63n - 1n, uint64Value: 2n ** 64n - 1n }],
    [{ fixed64Value: 2n ** 64n - 1n, int64Value: 2 ** 60, uint64Value: "18446744073709551615" }],
    [{ int64Value: "0", uint64Value: "", sint64Value: "0x10", fixed64Value: 0 }],
    [
      {
        doubleValue: Number.POSITIVE_INFINITY,
        floatValue: Number.NEGATIVE_INFINITY,
        doubles: [-0, 0, 5e-324],
      },
    ],
    [{ floatValue: (2 - 2 ** -23) * 2 ** 127, doubleBox: -0, floatBox: Number.NaN }],
    [
      {
        bytesValue: [0, 255],
        chunks: [[1], new Uint8Array([2, 3]).subarray(1), Buffer.from("x")],
        bytesBox: [9],
      },
    ],
    [{ optionalDouble: 0, optionalInt32: 0, optionalUint64: 0n, optionalBool: false, optionalString: "" }],
    [{ optionalBytes: new Uint8Array(), optionalGenre: 0 }],
    [{ boxes: [{ value: 5n }, {}], int64Box: 7n, uint64Box: "8", stringBox: "s", boolBox: false }],
    [{ genreByInt32: { "01": 1, "1": 2, "-0": 3, 2147483647: 0 } }],
    [{ genreByInt32: { "0x10": 1 } }],
    [{ genreByInt32: { "7 of 9": 1 } }],
    [
      {
        doubleByUint64: { "0x10": 1, "18446744073709551615": -0 },
        timestampBySint64: { "-5": {}, "007": {} },
      },
    ],
    [{ bytesByBool: { true: [1], false: new Uint8Array([2]) } }],
    [
      {
        textByText: JSON.parse('{"__proto__": "kept"}'),
        publisherByText: JSON.parse('{"__proto__": {}, "a": {}}'),
      },
    ],
    [{ struct: { a: [1, null, { b: "c" }], d: undefined }, stringValue: "after" }],
    [{ nested: { nested: { struct: {}, boolValue: true }, stringValue: "x" }, int32Value: 1 }],
    [{ value: { kind: { case: "structValue", value: { fields: { a: { kind: { case: "nullValue" } } } } } } }],
    [{ choice: { case: "chosenPublisher", value: {} } }],
    [{ choice: { case: "chosenPublisher", value: undefined } }],
    [{ choice: { case: "chosenNumber", value: undefined } }],
    [{ choice: { case: "chosenDuration", value: { seconds: 3n } }, nullValue: 0, empty: {}, any: {} }],
    [{ nested: { $typeName: "library.v1.Publisher", stringValue: "of another type" } }],
    [{ bools: [true, false], int64s: [1n, "2", 3], strings: ["a".repeat(127), "é".repeat(64)] }],
    [{ nested: { stringValue: "a".repeat(126), nested: { stringValue: "b".repeat(16_382) } } }],
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

  test.each([40, 127, 128, 4096, 16_383, 16_384, 65_536, 3_000_000])(
    "with text and octets of %d",
    (length) => {
      for (const text of ["a".repeat(length), "é".repeat(length / 2), `${"a".repeat(length)}\ud800`]) {
        const publisher = { name: text, parent: { cityName: text } };
        const init = { publisher, fingerprint: new Uint8Array(length).fill(7), authorNames: [text, "end"] };
        expect(written(BookSchema, init) === expected(BookSchema, init)).toBe(true);
      }
    },
  );

  test("with unknown fields, in the message and within", () => {
    // Field 100, of wire type 2, with two octets.
    const message = fromBinary(PublisherSchema, new Uint8Array([0xa2, 0x06, 2, 0x68, 0x69]));
    expect(written(PublisherSchema, message)).toBe("a206026869");
    expect(written(PublisherSchema, { name: "n", parent: message })).toBe("0a016e1a05a206026869");
  });
});

test("reads what is common once: it is not left to protobuf-es", () => {
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

describe("the octets", () => {
  test("have room before them, with zeros", () => {
    const init = { name: "n" };
    // What was in the memory before must not show.
    for (let count = 0; count < 100; count++) {
      Buffer.allocUnsafe(200).fill(0xff);
      expect(hex(ofMessage(PublisherSchema)(init, 5))).toBe("00000000000a016e");
    }
    expect(hex(ofMessage(PublisherSchema)({}, 5))).toBe("0000000000");
    const large = { name: "n".repeat(100_000) };
    expect(hex(ofMessage(PublisherSchema)(large, 5))).toBe(`0000000000${expected(PublisherSchema, large)}`);
  });

  test("stay as they are when more is written", () => {
    const first = ofMessage(PublisherSchema)({ name: "first" });
    ofMessage(PublisherSchema)({ name: "other" });
    expect(hex(first)).toBe(expected(PublisherSchema, { name: "first" }));
  });

  test("are right when another message is written meanwhile", () => {
    let inner: Uint8Array | undefined;
    const init: MessageInit = {
      name: "outer",
      get cityName() {
        inner = ofMessage(PublisherSchema)({ name: "something longer" });
        return "city";
      },
    };
    expect(written(PublisherSchema, init)).toBe(
      expected(PublisherSchema, { name: "outer", cityName: "city" }),
    );
    expect(inner && hex(inner)).toBe(expected(PublisherSchema, { name: "something longer" }));
  });
});

describe("fails as protobuf-es does", () => {
  const made = (init: Record<string, unknown>): MessageInit => Object.assign(create(BookSchema), init);

  test.each<[init: MessageInit]>([
    [{ name: "n", pages: "secret" }],
    [{ pages: -1 }],
    [{ pages: 2 ** 32 }],
    [{ pages: 5n }],
    [{ year: 1.5 }],
    [{ year: Number.NaN }],
    [{ volumes: [1, 2 ** 31] }],
    [{ volumes: [Symbol("none")] }],
    [{ volumes: [[]] }],
    [{ isbn: 1.5 }],
    [{ isbn: "secret" }],
    [{ isbn: 2n ** 63n }],
    [{ isbn: {} }],
    [{ copies: -1n }],
    [{ copies: 2n ** 64n }],
    [{ rating: 3.5e38 }],
    [{ rating: "secret" }],
    [{ genre: "secret" }],
    [{ moreGenres: [undefined] }],
    [{ fingerprint: "secret" }],
    [{ publisher: "secret" }],
    [{ publisher: { parent: { parent: 7 } } }],
    [{ publisher: [] }],
    [made({ publisher: { name: "no message" } })],
    [made({ year: null })],
    [made({ authorNames: undefined })],
    [made({ location: undefined })],
    [made({ fingerprint: [1, 2] })],
  ])("%o", (init) => {
    const problem = (run: () => unknown): string => {
      try {
        run();
      } catch (thrown) {
        return String(thrown);
      }
      return "none";
    };
    const said = problem(() => expected(BookSchema, init));
    expect(said).not.toBe("none");
    expect(problem(() => written(BookSchema, init))).toBe(said);
    expect(written(BookSchema, { name: "next" })).toBe("0a046e657874");
  });

  test.each<[what: string, init: MessageInit]>([
    ["truth", { inPrint: "secret" }],
    ["text", { name: 5, labels: { a: 5 }, authorNames: [null] }],
    ["a number", { price: "1.5" }],
    ["an integer", { pages: "5", volumes: ["6"] }],
    ["a message without what it has to have", made({ name: undefined, pages: undefined })],
    ["null in a message", made({ name: null })],
    ["a list that is none", { volumes: 5, isbn: true }],
  ])("takes what protobuf-es takes for %s", (_, init) => {
    expect(written(BookSchema, init)).toBe(expected(BookSchema, init));
  });
});

/** A field of a descriptor, with a JSON name like its name. */
function field(name: string, number: number, type: Type, more: object = {}) {
  return { name, jsonName: name, number, type, label: Label.OPTIONAL, ...more };
}

/** Messages of proto2 and of an edition, with what proto3 does not have. */
function oddMessages() {
  const part = { name: "Part", field: [field("a", 1, Type.BOOL)] };
  const features = (set: object) => ({ options: { features: set } });
  const proto2 = create(FileDescriptorProtoSchema, {
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
  });
  const edition = create(FileDescriptorProtoSchema, {
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
  });
  const types = createFileRegistry(create(FileDescriptorSetSchema, { file: [proto2, edition] }));
  const find = (name: string): DescMessage => {
    const desc = types.getMessage(name);
    if (desc === undefined) {
      throw new Error(`${name} is defined above`);
    }
    return desc;
  };
  return {
    odd: find("test.Odd"),
    own: find("test.Own"),
    strict: find("test.Strict"),
    even: find("test.edition.Even"),
  };
}

describe("beyond proto3", () => {
  const { odd, own, strict, even } = oddMessages();

  test.each<[desc: DescMessage, init: MessageInit, octets: string]>([
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
  ])("%s %o", (desc, init, octets) => {
    expect(written(desc, init)).toBe(octets);
    const message: Message = create(desc, init);
    expect(written(desc, message)).toBe(octets);
    expect(octets).toBe(expected(desc, message));
  });

  test("a field named like a member of every object", () => {
    expect(written(own, {})).toBe("");
    expect(written(own, { hasOwnProperty: "x" })).toBe("0a0178");
  });

  test.each<[desc: DescMessage, init: MessageInit]>([
    [strict, {}],
    [odd, { strict: {} }],
  ])("a required field of %s that is missing is an error, as it is to protobuf-es", (desc, init) => {
    expect(() => written(desc, init)).toThrow("required field not set");
  });

  test("a whole Struct, which is held as a message", () => {
    const init = { fields: { a: { kind: { case: "numberValue", value: 0 } } } };
    expect(written(StructSchema, init)).toBe(expected(StructSchema, init));
    expect(written(DurationSchema, { nanos: -1 })).toBe("10ffffffffffffffffff01");
  });
});
