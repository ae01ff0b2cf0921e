import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonValue,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import {
  type Any,
  anyPack,
  DurationSchema,
  FieldMaskSchema,
  type ListValue,
  ListValueSchema,
  type Struct,
  StructSchema,
  TimestampSchema,
  type Value,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import { PublisherSchema } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import fc from "fast-check";

/** Any string that protobuf can encode: without lone surrogates. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.string({ unit: fc.constantFrom(...' /%2Ff?&=+#:;.,"\\{}[]'), maxLength: 8 }),
);

/**
 * Any message of a type, with every kind of field. `wanted` selects the fields to set, also in nested messages. Messages
 * nest up to `depth`.
 */
export function anyMessage(
  desc: DescMessage,
  wanted: (field: DescField) => boolean,
  depth = 3,
): fc.Arbitrary<Message> {
  const special = SPECIAL.get(desc.typeName);
  if (special !== undefined) {
    return special;
  }
  const fields = desc.fields.filter((field) => wanted(field) && (depth > 0 || field.message === undefined));
  return fc
    .subarray(fields, { maxLength: Math.min(9, fields.length) })
    .map(onePerOneof)
    .chain((chosen) => fc.tuple(...chosen.map((field) => anyField(field, wanted, depth - 1))))
    .map((setters) => {
      const message = create(desc);
      for (const set of setters) {
        set(message);
      }
      return message;
    });
}

function onePerOneof(fields: readonly DescField[]): DescField[] {
  return fields.filter(
    ({ oneof }, index) => oneof === undefined || fields.findIndex((each) => each.oneof === oneof) === index,
  );
}

/** Sets a field of a message to some value. */
function anyField(
  field: DescField,
  wanted: (field: DescField) => boolean,
  depth: number,
): fc.Arbitrary<(message: Message) => void> {
  const value: fc.Arbitrary<unknown> =
    field.message !== undefined
      ? anyMessage(field.message, wanted, depth)
      : field.enum !== undefined
        ? anyNumberOf(field.enum)
        : anyScalar(field.scalar);
  const toReflect = (item: unknown) =>
    field.message === undefined ? item : reflect(field.message, item as Message, false);
  switch (field.fieldKind) {
    case "list":
      return fc.array(value, { minLength: 1, maxLength: 4 }).map((items) => (message) => {
        const list = reflect(field.parent, message, false).get(field);
        for (const item of items) {
          list.add(toReflect(item));
        }
      });
    case "map":
      // A map is a plain object, which cannot have this key.
      return fc
        .array(fc.tuple(anyScalar(field.mapKey), value), { minLength: 1, maxLength: 4 })
        .map((entries) => entries.filter(([key]) => key !== "__proto__"))
        .map((entries) => (message) => {
          const map = reflect(field.parent, message, false).get(field);
          for (const [key, item] of entries) {
            map.set(key as string, toReflect(item));
          }
        });
    default:
      return value.map((item) => (message) => {
        reflect(field.parent, message, false).set(field, toReflect(item));
      });
  }
}

/** A value of an enum; of an open enum, sometimes a number without a name. */
function anyNumberOf(desc: DescEnum): fc.Arbitrary<number> {
  const named = fc.constantFrom(...desc.values.map(({ number }) => number));
  const isOpen = desc.open && desc.typeName !== "google.protobuf.NullValue";
  return isOpen
    ? fc.oneof({ weight: 5, arbitrary: named }, fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }))
    : named;
}

function anyScalar(type: ScalarType): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.DOUBLE:
      return fc.double();
    case ScalarType.FLOAT:
      return fc.float();
    case ScalarType.STRING:
      return anyText;
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 12 });
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return fc.integer({ min: 0, max: 2 ** 32 - 1 });
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  }
}

const nanos = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 999 }).map((ms) => ms * 1_000_000),
  fc.nat(999_999_999),
);

const anyTimestamp = fc
  .record({ seconds: fc.bigInt({ min: -62_135_596_800n, max: 253_402_300_799n }), nanos })
  .map((init) => create(TimestampSchema, init));

const anyDuration = fc
  .record({ seconds: fc.bigInt({ min: 0n, max: 315_575_999_999n }), fraction: nanos, negative: fc.boolean() })
  .map(({ seconds, fraction, negative }) =>
    // -0 would be another number.
    create(
      DurationSchema,
      negative ? { seconds: -seconds, nanos: 0 - fraction } : { seconds, nanos: fraction },
    ),
  );

/** Paths that survive the conversion to lower camel case. */
const anyFieldMask = fc
  .array(fc.stringMatching(/^[a-z]{1,4}(_[a-z]{1,4}){0,2}(\.[a-z]{1,4}(_[a-z]{1,4}){0,2}){0,2}$/), {
    maxLength: 3,
  })
  .map((paths) => create(FieldMaskSchema, { paths }));

const anyJson = fc
  .jsonValue({ maxDepth: 3, stringUnit: "grapheme" })
  .filter((value) => !JSON.stringify(value).includes('"__proto__"')) as fc.Arbitrary<JsonValue>;

const anyAny: fc.Arbitrary<Any> = fc
  .record({ name: anyText, cityName: anyText })
  .map((init) => anyPack(PublisherSchema, create(PublisherSchema, init)));

/** Types whose values are not generated field by field. */
const SPECIAL: ReadonlyMap<string, fc.Arbitrary<Message>> = new Map<string, fc.Arbitrary<Message>>([
  ["google.protobuf.Timestamp", anyTimestamp],
  ["google.protobuf.Duration", anyDuration],
  ["google.protobuf.FieldMask", anyFieldMask],
  [
    "google.protobuf.Struct",
    fc
      .dictionary(
        anyText.filter((key) => key !== "__proto__"),
        anyJson,
        { maxKeys: 3 },
      )
      .map(toStruct),
  ],
  ["google.protobuf.Value", anyJson.map(toValue)],
  ["google.protobuf.ListValue", fc.array(anyJson, { maxLength: 3 }).map(toListValue)],
  ["google.protobuf.Any", anyAny],
]);

function toStruct(json: Record<string, JsonValue>): Struct {
  return create(StructSchema, {
    fields: Object.fromEntries(Object.entries(json).map(([name, value]) => [name, toValue(value)])),
  });
}

function toListValue(json: readonly JsonValue[]): ListValue {
  return create(ListValueSchema, { values: json.map(toValue) });
}

function toValue(json: JsonValue): Value {
  if (json === null) {
    return create(ValueSchema, { kind: { case: "nullValue", value: 0 } });
  }
  switch (typeof json) {
    case "string":
      return create(ValueSchema, { kind: { case: "stringValue", value: json } });
    case "number":
      return create(ValueSchema, { kind: { case: "numberValue", value: json } });
    case "boolean":
      return create(ValueSchema, { kind: { case: "boolValue", value: json } });
    default:
      return create(
        ValueSchema,
        Array.isArray(json)
          ? { kind: { case: "listValue", value: toListValue(json) } }
          : { kind: { case: "structValue", value: toStruct(json) } },
      );
  }
}
