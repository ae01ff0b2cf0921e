import {
  create,
  createRegistry,
  type DescMessage,
  fromJson,
  getExtension,
  type JsonValue,
  type Message,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import {
  AnySchema,
  EmptySchema,
  FieldDescriptorProto_Label as Label,
  StructSchema,
  TimestampSchema,
  FieldDescriptorProto_Type as Type,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import {
  BookSchema,
  file_library_v1_library,
  SpecimenSchema,
} from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBinaryReaders } from "../../../src/codec/binary/reader.js";
import { createBinaryWriters } from "../../../src/codec/binary/writer.js";
import { createJsonMessageReader } from "../../../src/codec/json/reader.js";
import { createJsonMessageWriter } from "../../../src/codec/json/writer.js";
import { anyMessage } from "../../support/messages/arbitrary-message.js";
import { defineMessages, field } from "../../support/messages/define-messages.js";
import { failureOf } from "../../support/requests.js";

// Without the types of their messages, which the reader does not know.
const specimen: DescMessage = SpecimenSchema;
const any: DescMessage = AnySchema;
const registry = createRegistry(
  file_library_v1_library,
  TimestampSchema,
  AnySchema,
  StructSchema,
  EmptySchema,
);

function read(desc: DescMessage, json: string, types = registry, unknown: "reject" | "ignore" = "reject") {
  const options = { registry: types, unknownParameters: unknown };
  return createJsonMessageReader(desc, options)(new TextEncoder().encode(json));
}

const problems = (run: () => unknown): string[] =>
  failureOf(run).violations.map((each) => `${each.field} ${each.reason} ${each.description}`);

test("reads what protobuf-es writes as protobuf-es does", () => {
  fc.assert(
    fc.property(
      anyMessage(specimen, () => true),
      fc.boolean(),
      (message, alwaysEmitImplicit) => {
        const json = JSON.stringify(toJson(specimen, message, { registry, alwaysEmitImplicit }));
        expect(read(specimen, json)).toEqual(fromJson(specimen, JSON.parse(json), { registry }));
      },
    ),
    { numRuns: 300 },
  );
});

test("reads back what our writer writes", () => {
  const write = createJsonMessageWriter(specimen, registry);
  fc.assert(
    fc.property(
      anyMessage(specimen, () => true),
      (message) => {
        // Not the message, because -0 is written as 0.
        expect(write(read(specimen, write(message)))).toBe(write(message));
      },
    ),
    { numRuns: 300 },
  );
});

describe("a whole message with a form of its own", () => {
  test.each<[desc: DescMessage, json: JsonValue]>([
    [TimestampSchema, "2026-01-02T03:04:05Z"],
    [StructSchema, { a: [1, null, { b: "c" }] }],
    [ValueSchema, null],
    [ValueSchema, [1]],
    [AnySchema, { "@type": "type.googleapis.com/google.protobuf.Timestamp", value: "2026-01-02T03:04:05Z" }],
    [AnySchema, { "@type": "type.googleapis.com/library.v1.Publisher", name: "a" }],
    [AnySchema, {}],
  ])("%s %j", (desc, json) => {
    expect(read(desc, JSON.stringify(json))).toEqual(fromJson(desc, json, { registry }));
  });

  test("an Any keeps its type URL", () => {
    const message = read(AnySchema, '{"@type":"x.test/library.v1.Publisher","name":"a"}');
    expect(message).toMatchObject({ typeUrl: "x.test/library.v1.Publisher" });
  });

  test.each([
    '{"value":{"value":"2026-01-02T03:04:05Z","@type":"x/google.protobuf.Timestamp"},"@type":"x/google.protobuf.Any"}',
    '{"value":{"a":1},"@type":"x/google.protobuf.Struct"}',
    '{"value":{},"@type":"x/google.protobuf.Any"}',
    '{"@type":"x/google.protobuf.Empty"}',
  ])("an Any is written as it is read: %s", (json) => {
    const message = read(AnySchema, json);
    expect(createJsonMessageWriter(AnySchema, registry)(message)).toBe(json);
    expect(JSON.stringify(toJson(any, message, { registry }))).toBe(json);
  });

  // protobuf #24445, #17099, golang/protobuf #1620: Go writes a value, C++, Java and Python write none.
  test.each([
    '{"@type":"x/google.protobuf.Empty","value":{}}',
    '{"value":{},"@type":"x/google.protobuf.Empty"}',
  ])("an Any with an Empty: %s", (json) => {
    expect(read(AnySchema, json)).toMatchObject({
      typeUrl: "x/google.protobuf.Empty",
      value: new Uint8Array(),
    });
  });

  test.each([
    ['{"@type":"x/google.protobuf.Empty","value":{"a":1}}', "value.a", "google.protobuf.Empty"],
    ['{"@type":"x/google.protobuf.Empty","a":{}}', "a", "google.protobuf.Empty"],
    ['{"@type":"x/library.v1.Publisher","value":{}}', "value", "library.v1.Publisher"],
  ])("an Any without such a field: %s", (json, name, type) => {
    expect(problems(() => read(AnySchema, json))).toEqual([
      `${name} UNKNOWN_PARAMETER is not a field of ${type}`,
    ]);
  });

  test("an invalid one", () => {
    expect(problems(() => read(TimestampSchema, "{}"))).toEqual([
      " INVALID_VALUE is not the ProtoJSON form of google.protobuf.Timestamp",
    ]);
  });
});

describe("the map key __proto__", () => {
  const json = '{"textByText":{"__proto__":"a"},"publisherByText":{"__proto__":{"name":"b"},"c":{}}}';
  const { ofMessage: readerOf } = createBinaryReaders();
  const { ofMessage: writerOf } = createBinaryWriters();

  test("is kept, in JSON and in the binary format", () => {
    const message = read(specimen, json);
    const written = createJsonMessageWriter(specimen, registry)(message);
    expect(written).toContain('"textByText":{"__proto__":"a"}');
    expect(written).toContain('"publisherByText":{"__proto__":{"name":"b",');
    const copy = readerOf(specimen)(writerOf(specimen)(message));
    expect(createJsonMessageWriter(specimen, registry)(copy)).toBe(written);
  });

  test("sets no prototype", () => {
    const { textByText, publisherByText } = read(specimen, json) as Message & Record<string, object>;
    for (const map of [textByText, publisherByText]) {
      expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
      expect(Object.hasOwn(map ?? {}, "__proto__")).toBe(true);
    }
    expect(Object.hasOwn(Object.prototype, "name")).toBe(false);
  });

  test("is kept in a Struct, a Value and an Any", () => {
    const text = '{"struct":{"__proto__":{"a":1}},"value":{"__proto__":[2]}}';
    const written = createJsonMessageWriter(specimen, registry)(read(specimen, text));
    expect(written).toContain('"struct":{"__proto__":{"a":1}}');
    expect(written).toContain('"value":{"__proto__":[2]}');
  });
});

describe("where unknown members are ignored, so are unknown names of enum values", () => {
  test.each<[json: string, message: JsonValue]>([
    ['{"genre":"poem","stringValue":"a"}', { stringValue: "a" }],
    ['{"genres":["poem","novel","play"]}', { genres: ["GENRE_NOVEL"] }],
    ['{"genreByInt32":{"1":"poem","2":"novel"}}', { genreByInt32: { 2: "GENRE_NOVEL" } }],
    [
      '{"nope":1,"any":{"@type":"x/library.v1.Publisher","nope":1}}',
      { any: { "@type": "x/library.v1.Publisher" } },
    ],
  ])("%s", (json, message) => {
    expect(toJson(specimen, read(specimen, json, registry, "ignore"), { registry })).toEqual(message);
  });

  test("but not other invalid values", () => {
    const run = () => read(specimen, '{"genre":true}', registry, "ignore");
    expect(problems(run)).toEqual(["genre INVALID_VALUE has an unknown value; allowed: novel, essay"]);
  });
});

describe("nesting", () => {
  const nested = (depth: number) => `${'{"nested":'.repeat(depth)}{}${"}".repeat(depth)}`;
  const inAny = (depth: number) =>
    `${'{"@type":"x/google.protobuf.Any","value":'.repeat(depth)}{}${"}".repeat(depth)}`;
  const deep = "INVALID_VALUE is nested too deeply; allowed: 100 messages";

  test("up to 100 messages", () => {
    expect(() => read(specimen, nested(99))).not.toThrow();
    expect(() => read(AnySchema, inAny(99))).not.toThrow();
    expect(() => read(ValueSchema, `${"[".repeat(100)}${"]".repeat(100)}`)).not.toThrow();
  });

  test.each<[what: string, desc: DescMessage, json: string]>([
    ["messages", specimen, nested(100)],
    ["Any", AnySchema, inAny(100)],
    ["a lot of Any", AnySchema, inAny(20_000)],
    ["a Value", ValueSchema, `${"[".repeat(20_000)}${"]".repeat(20_000)}`],
    ["a Struct", StructSchema, `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`],
  ])("no deeper: %s", (_, desc, json) => {
    expect(problems(() => read(desc, json))).toEqual([expect.stringContaining(deep)]);
  });
});

/** A message of proto2 with extensions, a required field, and a NullValue in a oneof. */
function oddMessages() {
  const extendee = { extendee: ".test.Odd" };
  const { types, find } = defineMessages([
    {
      name: "google/protobuf/struct.proto",
      package: "google.protobuf",
      syntax: "proto3",
      enumType: [{ name: "NullValue", value: [{ name: "NULL_VALUE", number: 0 }] }],
    },
    {
      name: "test/odd.proto",
      package: "test",
      syntax: "proto2",
      dependency: ["google/protobuf/struct.proto"],
      messageType: [
        {
          name: "Odd",
          oneofDecl: [{ name: "choice" }],
          field: [
            field("text", 1, Type.STRING, { oneofIndex: 0 }),
            field("nothing", 2, Type.ENUM, { typeName: ".google.protobuf.NullValue", oneofIndex: 0 }),
            field("price", 3, Type.FLOAT),
          ],
          extensionRange: [{ start: 100, end: 200 }],
        },
        { name: "Other", field: [field("odd", 1, Type.MESSAGE, { typeName: ".test.Odd" })] },
        { name: "Strict", field: [field("needed", 1, Type.INT32, { label: Label.REQUIRED })] },
        { name: "Holder", field: [field("strict", 1, Type.MESSAGE, { typeName: ".test.Strict" })] },
      ],
      extension: [
        field("extra", 100, Type.STRING, extendee),
        field("counts", 101, Type.INT64, { label: Label.REPEATED, ...extendee }),
        field("inner", 102, Type.MESSAGE, { typeName: ".test.Odd", ...extendee }),
        field("weight", 103, Type.FLOAT, extendee),
        field("strict", 104, Type.MESSAGE, { typeName: ".test.Strict", ...extendee }),
      ],
    },
  ]);
  return {
    types,
    odd: find("test.Odd"),
    other: find("test.Other"),
    strict: find("test.Strict"),
    holder: find("test.Holder"),
  };
}

const { types, odd, other, strict, holder } = oddMessages();

describe("extensions", () => {
  test.each([
    '{"[test.extra]":"a"}',
    '{"[test.counts]":["1","9007199254740993"]}',
    '{"[test.inner]":{"[test.extra]":"b"}}',
    '{"price":0.1,"[test.weight]":0.1}',
  ])("%s", (json) => {
    const message = read(odd, json, types);
    expect(toBinary(odd, message)).toEqual(
      toBinary(odd, fromJson(odd, JSON.parse(json), { registry: types })),
    );
    expect(createJsonMessageWriter(odd, types)(message)).toBe(json);
  });

  test("are values of the message", () => {
    const extension = types.getExtension("test.counts");
    const message = read(odd, '{"[test.counts]":[9007199254740993]}', types);
    expect(extension && getExtension(message, extension)).toEqual([9007199254740993n]);
  });

  test("null is an absent one", () => {
    expect(read(odd, '{"[test.extra]":null}', types)).toEqual(create(odd));
  });

  test.each([
    ['{"[test.extra]":1}', "[test.extra] INVALID_TYPE must be a string"],
    ['{"[test.counts]":["x"]}', "[test.counts][0] INVALID_TYPE must be an integer"],
    ['{"[test.inner]":{"price":"x"}}', "[test.inner].price INVALID_TYPE must be a number"],
    ['{"[test.nope]":1}', "[test.nope] UNKNOWN_PARAMETER is not a field of test.Odd"],
    ['{"test.extra":"a"}', "test.extra UNKNOWN_PARAMETER is not a field of test.Odd"],
  ])("%s is rejected", (json, problem) => {
    expect(problems(() => read(odd, json, types))).toEqual([problem]);
  });

  test("of another message are unknown", () => {
    expect(problems(() => read(other, '{"[test.extra]":"a"}', types))).toEqual([
      "[test.extra] UNKNOWN_PARAMETER is not a field of test.Other",
    ]);
  });
});

describe("google.protobuf.NullValue", () => {
  test("null is its value, also in a oneof", () => {
    const message = read(odd, '{"nothing":null}', types);
    expect(message).toEqual(create(odd, { choice: { case: "nothing", value: 0 } }));
    expect(createJsonMessageWriter(odd, types)(message)).toBe('{"nothing":null}');
  });

  test("null conflicts with another field of the oneof", () => {
    expect(problems(() => read(odd, '{"text":"a","nothing":null}', types))).toEqual([
      "nothing CONFLICTING_VALUES cannot be given together with text",
    ]);
    expect(read(odd, '{"text":null,"nothing":null}', types)).toEqual(read(odd, '{"nothing":null}', types));
  });
});

describe("a missing required field", () => {
  test("is accepted by readers, as by protobuf-es", () => {
    expect(read(holder, '{"strict":{}}', types)).toEqual(fromJson(holder, { strict: {} }));
  });

  test("is rejected by writers, as by protobuf-es", () => {
    const message = read(holder, '{"strict":{}}', types);
    expect(() => createJsonMessageWriter(holder, types)(message)).toThrow("required field not set");
    expect(() => createBinaryWriters().ofMessage(holder)(message)).toThrow("required field not set");
    expect(() => toBinary(holder, message)).toThrow("required field not set");
  });

  test("is rejected in an Any, which holds it in the binary format", () => {
    const withAny = createRegistry(AnySchema, strict);
    expect(problems(() => read(AnySchema, '{"@type":"x/test.Strict"}', withAny))).toEqual([
      "needed REQUIRED is required",
    ]);
  });

  test("is rejected in an extension, which is held in the binary format", () => {
    expect(problems(() => read(odd, '{"[test.strict]":{}}', types))).toEqual([
      "[test.strict].needed REQUIRED is required",
    ]);
  });
});

test("a book's float has its shortest text", () => {
  expect(createJsonMessageWriter(BookSchema, registry)({ rating: Math.fround(4.7) })).toContain(
    '"rating":4.7,',
  );
});
