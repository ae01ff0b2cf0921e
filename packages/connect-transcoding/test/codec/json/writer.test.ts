import {
  create,
  createRegistry,
  type DescMessage,
  fromBinary,
  type JsonValue,
  type Message,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import {
  Edition,
  FloatValueSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import {
  BookSchema,
  file_library_v1_library,
  Genre,
  SpecimenSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createJsonMessageReader } from "../../../src/codec/json/reader.js";
import { createJsonMessageWriter, createJsonWriters } from "../../../src/codec/json/writer.js";
import type { MessageInit } from "../../../src/codec/message-field.js";
import { anyMessage } from "../../support/messages/arbitrary-message.js";
import { seededChoices } from "../../support/messages/choices.js";
import { defineMessages, field } from "../../support/messages/define-messages.js";
import { toInit } from "../../support/messages/plain-init.js";

const registry = createRegistry(file_library_v1_library);
const { ofMessage, ofField } = createJsonWriters(registry);

/** The expected JSON, from protobuf-es, which writes a float with the digits of a double. */
function expected(desc: DescMessage, init: MessageInit, types = registry): string {
  const json = toJson(desc, create(desc, init), { alwaysEmitImplicit: true, registry: types });
  const isFloat = (name: string) => FLOATS.has(name === "" ? desc.typeName : name);
  return JSON.stringify(json, (name, value: unknown) =>
    isFloat(name) && typeof value === "number" ? shortestFloat(value) : value,
  );
}

/** The fields of type `float`, and the type whose whole JSON is one. */
const FLOATS = new Set(["floatValue", "floatBox", "rating", FloatValueSchema.typeName]);

/** The number with the fewest digits that is the same float. */
function shortestFloat(value: number): number {
  const candidates = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digits) => Number(value.toPrecision(digits)));
  return candidates.find((each) => Math.fround(each) === Math.fround(value)) ?? value;
}

describe("equals the output of protobuf-es", () => {
  const specimens = anyMessage(SpecimenSchema, () => true);

  test("for any message", () => {
    const write = createJsonMessageWriter(SpecimenSchema, registry);
    fc.assert(
      fc.property(specimens, (message) => {
        expect(write(message)).toBe(expected(SpecimenSchema, message));
      }),
      { numRuns: 400 },
    );
  });

  test("for any plain object in place of a message", () => {
    fc.assert(
      fc.property(specimens, fc.nat().map(seededChoices), (message, choose) => {
        const init = toInit(message, choose) as MessageInit;
        expect(ofMessage(SpecimenSchema)(init)).toBe(expected(SpecimenSchema, init));
      }),
      { numRuns: 400 },
    );
  });

  test("for any single field", () => {
    fc.assert(
      fc.property(specimens, (message) => {
        const json = JSON.parse(expected(SpecimenSchema, message));
        for (const field of SpecimenSchema.fields) {
          const written = ofField(field)(message);
          expect(written && JSON.parse(written)).toEqual(json[field.jsonName]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test.each<[what: string, init: MessageInit]>([
    ["nothing", {}],
    ["undefined and null as absent", { name: undefined, title: null, year: null, publisher: undefined }],
    ["presence", { year: 0 }],
    ["a oneof without a case", { location: { case: undefined } }],
    ["a oneof with its default", { location: { case: "floor", value: 0 } }],
    ["characters that strings must escape", { name: '"\\\u0000\u001f\u007f\n\u2028\u2029é😀' }],
    ["the escape of a surrogate as text", { name: "\\ud800" }],
    ["integers in other types", { isbn: 2 ** 53, copies: "18446744073709551615" }],
    ["text in an integer", { isbn: '"' }],
    ["numbers that JSON does not have", { rating: Number.NaN, price: Number.POSITIVE_INFINITY }],
    ["numbers that are small and large", { rating: -1e-7, price: 1e21 }],
    ["minus zero", { rating: -0, price: -0, year: -0, pages: -0 }],
    ["numbers that are not integers", { pages: Number.NaN, volumes: [1.5, Number.NEGATIVE_INFINITY] }],
    ["an enum without a name", { genre: 77, moreGenres: [-1, 2] }],
    ["bytes as numbers", { fingerprint: [0, 255, 254] }],
    ["a part of some bytes", { fingerprint: new Uint8Array([1, 2, 3, 4, 5]).subarray(2, 4) }],
    ["a map that orders its keys", { labels: { b: "1", 10: "2", a: "3", 9: "4" } }],
    ["a part of a well-known type", { acquired: { nanos: 5_000_000 }, loanPeriod: { seconds: 1n } }],
    ["a wrapper's value", { note: "" }],
    ["nested messages", { publisher: { parent: { parent: {}, name: "x" } } }],
  ])("with %s", (_, init) => {
    expect(ofMessage(BookSchema)(init)).toBe(expected(BookSchema, init));
  });

  // golang/protobuf #1576: parsers reject the escape of half of a surrogate pair. The binary format has U+FFFD for it as well.
  test.each(["a\ud800", "\udc00b", "\ude00\ud83d", "\ufeff\ud800\\ud800", `${"a".repeat(40)}\ud800`])(
    "with %j in Unicode",
    (text) => {
      const sent = Buffer.from(text).toString();
      const init = (each: string) => ({
        name: each,
        authorNames: [each],
        note: each,
        labels: { [each]: each },
      });
      const json = ofMessage(BookSchema)(init(text));
      expect(json).toBe(expected(BookSchema, init(sent)));
    },
  );

  test.each<[what: string, init: MessageInit]>([
    ["integer keys", { genreByInt32: { "1": 2, "-1": 3, "10": 1 } }],
    ["keys of 64 bits", { doubleByUint64: { "10": 1, "18446744073709551615": 2 } }],
    ["keys with a sign", { timestampBySint64: { "-5": { seconds: 1n }, "7": {} } }],
    ["booleans as keys", { bytesByBool: { true: [1], false: new Uint8Array([2]) } }],
    ["bytes in a list", { chunks: [[1], new Uint8Array([2])] }],
    ["boxes in a list, and in a field", { boxes: [{ value: 5n }, {}], int64Box: 7n, bytesBox: [9] }],
    ["a Struct as the JSON it is", { struct: { a: [1, null, { b: "c" }] } }],
    [
      "a Value and a ListValue",
      { value: { kind: { case: "nullValue", value: 0 } }, listValue: { values: [] } },
    ],
    [
      "messages in a map and a list",
      { publishers: [{}, { name: "n" }], publisherByText: { a: { cityName: "c" } } },
    ],
    ["a message in a oneof", { choice: { case: "chosenPublisher", value: {} } }],
    ["a duration in a oneof", { choice: { case: "chosenDuration", value: { seconds: 3n } } }],
    ["null as an enum", { nullValue: 0, empty: {} }],
    ["an Any", { any: {} }],
  ])("with %s", (_, init) => {
    expect(ofMessage(SpecimenSchema)(init)).toBe(expected(SpecimenSchema, init));
  });

  test("for any float", () => {
    const write = ofMessage(FloatValueSchema);
    fc.assert(
      fc.property(fc.oneof(fc.float(), fc.float({ min: -(2 ** 25), max: 2 ** 25, noNaN: true })), (value) => {
        expect(write({ value })).toBe(expected(FloatValueSchema, { value }));
      }),
      { numRuns: 1000 },
    );
  });

  test.each(SpecimenSchema.fields.flatMap(({ message }) => (message === undefined ? [] : [message])))(
    "for a whole %s",
    (desc) => {
      fc.assert(
        fc.property(
          anyMessage(desc, () => true),
          (message) => {
            expect(ofMessage(desc)(message)).toBe(expected(desc, message));
          },
        ),
        { numRuns: 20 },
      );
    },
  );
});

test.each([
  [0.1, "0.1"],
  [Math.fround(0.1), "0.1"],
  [1.1, "1.1"],
  [0.3333333333, "0.33333334"],
  [16777216, "16777216"],
  [16777217, "16777216"],
  [1e20, "100000000000000000000"],
  [1e21, "1e+21"],
  [123456.79, "123456.79"],
  [999.9999, "999.9999"],
  [5e-5, "0.00005"],
  [-0.25, "-0.25"],
  [-0, "0"],
  [3.4028234663852886e38, "3.4028235e+38"],
  [2 ** -126, "1.1754944e-38"],
  [2 ** -149, "1e-45"],
  [Number.NaN, '"NaN"'],
  [Number.NEGATIVE_INFINITY, '"-Infinity"'],
])("the float %d is %s", (value, text) => {
  expect(ofMessage(FloatValueSchema)({ value })).toBe(text);
});

const PROTO_KEY = JSON.parse('{"__proto__":{"a":1}}');

test.each<[what: string, init: MessageInit, text: string]>([
  ["a map of strings", { textByText: JSON.parse('{"__proto__":"a"}') }, '"textByText":{"__proto__":"a"}'],
  ["a Struct", { struct: PROTO_KEY }, '"struct":{"__proto__":{"a":1}}'],
])("keeps the key __proto__ in %s", (_, init, text) => {
  expect(ofMessage(SpecimenSchema)(init)).toContain(text);
});

test.each<[init: MessageInit, problem: string]>([
  [{ struct: { a: undefined } }, "cannot write a undefined as google.protobuf.Value"],
  [{ struct: { a: [Number.NaN] } }, "google.protobuf.Value cannot be NaN or Infinity"],
  [{ value: {} }, "google.protobuf.Value must have a value"],
  [{ any: { typeUrl: "x/nope.Nope" } }, '"x/nope.Nope" is not in the registry'],
])("rejects %o", (init, problem) => {
  expect(() => ofMessage(SpecimenSchema)(init)).toThrow(problem);
});

describe("rejects invalid values", () => {
  test.each<[init: MessageInit, problem: string]>([
    [{ name: 5 }, "cannot write a number as STRING"],
    [{ inPrint: "secret" }, "cannot write a string as BOOL"],
    [{ fingerprint: "secret" }, "cannot write a string as BYTES"],
    [{ price: "secret" }, "cannot write a string as DOUBLE"],
    [{ pages: "secret" }, "cannot write a string as UINT32"],
    [{ isbn: 1.5 }, "cannot write a number as INT64"],
    [{ genre: "secret" }, "cannot write a string as library.v1.Genre"],
    [{ publisher: "secret" }, "cannot write a string as library.v1.Publisher"],
  ])("%o", (init, problem) => {
    expect(() => ofMessage(BookSchema)(init)).toThrow(problem);
  });
});

/** Messages of proto2 and of an edition, with features that proto3 does not have. */
function oddMessages() {
  const proto2 = {
    name: "test/odd.proto",
    package: "test",
    syntax: "proto2",
    messageType: [
      {
        name: "Odd",
        nestedType: [{ name: "Part", field: [field("a", 1, Type.BOOL)] }],
        field: [
          field("text", 4, Type.STRING, { defaultValue: "some" }),
          field("count", 2, Type.INT32, { jsonName: "10" }),
          field("ninth", 3, Type.INT32, { label: Label.REPEATED, jsonName: "9" }),
          field("part", 5, Type.GROUP, { typeName: ".test.Odd.Part" }),
          field("total", 6, Type.INT64, { options: { jstype: 1 } }),
          field("totals", 7, Type.UINT64, { label: Label.REPEATED, options: { jstype: 1 } }),
        ],
        extensionRange: [{ start: 100, end: 200 }],
      },
      { name: "Own", field: [field("has_own_property", 1, Type.STRING, { jsonName: "hasOwnProperty" })] },
      { name: "Strict", field: [field("needed", 1, Type.INT32, { label: Label.REQUIRED })] },
    ],
    extension: [field("extra", 100, Type.STRING, { extendee: ".test.Odd" })],
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
          field("implicit", 2, Type.INT32, { options: { features: { fieldPresence: 2 } } }),
        ],
      },
    ],
  };
  const { types, find } = defineMessages([proto2, edition]);
  return {
    types,
    odd: find("test.Odd"),
    own: find("test.Own"),
    strict: find("test.Strict"),
    even: find("test.edition.Even"),
  };
}

describe("with the names of enum values over REST", () => {
  const { ofMessage: overRest } = createJsonWriters(registry, { enums: "http" });

  test.each<[what: string, init: MessageInit, member: JsonValue]>([
    ["a field", { genre: Genre.NOVEL }, '"genre":"novel"'],
    ["a value without an http_value", {}, '"genre":"GENRE_UNSPECIFIED"'],
    ["a value without a name", { genre: 77 }, '"genre":77'],
    ["an optional field", { optionalGenre: Genre.ESSAY }, '"optionalGenre":"essay"'],
    ["a list", { genres: [1, 0, 2] }, '"genres":["novel","GENRE_UNSPECIFIED","essay"]'],
    ["a map", { genreByInt32: { 5: 2 } }, '"genreByInt32":{"5":"essay"}'],
    ["a oneof", { choice: { case: "chosenGenre", value: 1 } }, '"chosenGenre":"novel"'],
    ["null", { nullValue: 0 }, '"nullValue":null'],
  ])("%s", (_, init, member) => {
    expect(overRest(SpecimenSchema)(init)).toContain(member);
  });

  test("any message is read as from ProtoJSON", () => {
    const reader = createJsonMessageReader(SpecimenSchema, { registry, unknownParameters: "reject" });
    const read = (json: string) => reader(new TextEncoder().encode(json));
    fc.assert(
      fc.property(
        anyMessage(SpecimenSchema, () => true),
        (message) => {
          expect(read(overRest(SpecimenSchema)(message))).toEqual(read(ofMessage(SpecimenSchema)(message)));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("beyond proto3", () => {
  const { types, odd, strict, even, own } = oddMessages();
  const writers = createJsonWriters(types);

  test.each<[desc: DescMessage, init: MessageInit, text: JsonValue]>([
    [odd, {}, '{"9":[],"totals":[]}'],
    [
      odd,
      { count: 0, text: "", part: { a: false } },
      '{"9":[],"10":0,"text":"","part":{"a":false},"totals":[]}',
    ],
    [odd, { total: "7", totals: ["18", "1"] }, '{"9":[],"total":"7","totals":["18","1"]}'],
    [strict, { needed: 0 }, '{"needed":0}'],
    [even, {}, '{"implicit":0}'],
    [even, { explicit: 0, implicit: 1 }, '{"explicit":0,"implicit":1}'],
  ])("%s %o", (desc, init, text) => {
    expect(writers.ofMessage(desc)(init)).toBe(text);
    const message: Message = create(desc, init);
    expect(writers.ofMessage(desc)(message)).toBe(text);
    expect(text).toBe(expected(desc, message, types));
  });

  test("a field with the name of a member of Object.prototype", () => {
    expect(writers.ofMessage(own)({})).toBe("{}");
    expect(writers.ofMessage(own)({ hasOwnProperty: "x" })).toBe('{"hasOwnProperty":"x"}');
  });

  test("a missing required field is an error, as in protobuf-es", () => {
    expect(() => writers.ofMessage(strict)({})).toThrow("required field not set");
  });

  test("an extension in the registry", () => {
    // Field 100, of wire type 2, with two bytes.
    const message = fromBinary(odd, new Uint8Array([0xa2, 0x06, 2, 0x68, 0x69]));
    const text = '{"9":[],"totals":[],"[test.extra]":"hi"}';
    expect(writers.ofMessage(odd)(message)).toBe(text);
    expect(text).toBe(expected(odd, message, types));
    expect(toBinary(odd, message)).toHaveLength(5);
  });
});
