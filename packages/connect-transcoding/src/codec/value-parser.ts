import {
  create,
  type DescEnum,
  type DescMessage,
  fromJson,
  isMessage,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { DurationSchema, FieldMaskSchema, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { allowedValues } from "../errors/http-error.js";
import { enumValueName } from "../proto-options.js";
import { integerOf, isDecimal } from "./exact-integers.js";
import type { JsonData } from "./json/data.js";

/** Why a value is invalid for a field. The description never repeats the value, which can be a secret. */
export interface InvalidValue {
  readonly reason: "INVALID_TYPE" | "INVALID_VALUE" | "OUT_OF_RANGE";
  readonly description: string;
}

/** The value of a field as protobuf-es holds it, or the reason why there is none. */
export type ParsedValue<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: InvalidValue };

/**
 * Parses one value, by the rules of ProtoJSON: the text in a path, a query, a form or the key of a map, or a value in a
 * JSON body.
 * https://protobuf.dev/programming-guides/json/
 */
export type ValueParser<T = unknown> = (value: JsonData) => ParsedValue<T>;

/** Where a value is. In text, booleans are strings. */
export type ValueFormat = "text" | "json";

function ok<T>(value: T): ParsedValue<T> {
  return { ok: true, value };
}

/** An invalid value. */
export function invalid(reason: InvalidValue["reason"], description: string) {
  return { ok: false, failure: { reason, description } } as const;
}

/** Returns the parser of a scalar type. */
export function scalarParser(type: ScalarType, format: ValueFormat): ValueParser {
  switch (type) {
    case ScalarType.STRING:
      return parseString;
    case ScalarType.BOOL:
      return format === "text" ? parseBoolText : parseBool;
    case ScalarType.BYTES:
      return parseBytes;
    case ScalarType.DOUBLE:
      return floatingParser(Number.MAX_VALUE, (value) => value);
    case ScalarType.FLOAT:
      return floatingParser(MAX_FLOAT, Math.fround);
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return integerParser(-(2n ** 31n), 2n ** 31n - 1n, Number);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return integerParser(0n, 2n ** 32n - 1n, Number);
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return integerParser(-(2n ** 63n), 2n ** 63n - 1n, BigInt);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return integerParser(0n, 2n ** 64n - 1n, BigInt);
  }
}

/** The largest finite float, (2 − 2⁻²³) × 2¹²⁷ (IEEE 754). */
const MAX_FLOAT = (2 - 2 ** -23) * 2 ** 127;

function parseString(value: JsonData): ParsedValue {
  if (typeof value !== "string") {
    return invalid("INVALID_TYPE", "must be a string");
  }
  // JSON can escape half of a surrogate pair, which protobuf's UTF-8 cannot hold.
  return /\p{Surrogate}/u.test(value)
    ? invalid("INVALID_VALUE", "contains half of a surrogate pair")
    : ok(value);
}

function parseBool(value: JsonData): ParsedValue {
  return typeof value === "boolean" ? ok(value) : invalid("INVALID_TYPE", "must be true or false");
}

function parseBoolText(value: JsonData): ParsedValue {
  return parseBool(value === "true" || (value === "false" ? false : value));
}

// Either alphabet of RFC 4648; padding is complete or absent (section 3.2); one symbol alone is not a byte.
const BASE64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

function parseBytes(value: JsonData): ParsedValue {
  if (typeof value !== "string") {
    return invalid("INVALID_TYPE", "must be a string in base64");
  }
  return BASE64.test(value) ? ok(base64Decode(value)) : invalid("INVALID_VALUE", "is not base64");
}

function floatingParser(max: number, represent: (value: number) => number): ValueParser {
  return (value) => {
    const special = typeof value === "string" ? SPECIAL_NUMBERS.get(value) : undefined;
    if (special !== undefined) {
      return ok(special);
    }
    const isNumber = typeof value === "string" ? isDecimal(value) : isNumeric(value);
    if (!isNumber) {
      return invalid("INVALID_TYPE", "must be a number");
    }
    const number = represent(Number(value));
    return Number.isFinite(number)
      ? ok(number)
      : invalid("OUT_OF_RANGE", `is out of range; allowed: -${max} to ${max}`);
  };
}

const SPECIAL_NUMBERS: ReadonlyMap<string, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

/** An integer short enough for a number to hold it exactly. */
const SMALL_INTEGER = /^\d{1,15}$/;

function integerParser<T>(
  min: bigint,
  max: bigint,
  represent: (value: bigint | number) => T,
): ValueParser<T> {
  const [low, high] = [Number(min), Number(max)];
  const outOfRange = invalid("OUT_OF_RANGE", `is out of range; allowed: ${min} to ${max}`);
  return (value) => {
    const small = typeof value === "string" && SMALL_INTEGER.test(value) ? Number(value) : value;
    if (Number.isSafeInteger(small) && low <= Number(small) && Number(small) <= high) {
      // Zero has no sign.
      return ok(represent(Number(small) + 0));
    }
    // The text of a number has all of its digits: JSON numbers that would lose some are bigints.
    const integer = typeof value === "string" || isNumeric(value) ? integerOf(String(value)) : undefined;
    if (integer === undefined) {
      return invalid("INVALID_TYPE", "must be an integer");
    }
    return integer < min || max < integer ? outOfRange : ok(represent(integer));
  };
}

function isNumeric(value: JsonData): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** The full name of the enum whose value is null in JSON. */
export const NULL_VALUE = "google.protobuf.NullValue";

/**
 * Returns the parser of an enum, which accepts the name, the number and the `http_value` of each value, and null for
 * `google.protobuf.NullValue`.
 */
export function enumParser(desc: DescEnum): ValueParser<number> {
  const numbers = new Map<string, number>();
  const names: string[] = [];
  for (const value of desc.values) {
    const name = enumValueName(value);
    numbers.set(value.name, value.number).set(String(value.number), value.number);
    if (name !== undefined) {
      numbers.set(name, value.number);
      names.push(name);
    }
  }
  const allowed = names.length > 0 ? names : desc.values.map(({ name }) => name);
  const isNull = desc.typeName === NULL_VALUE;
  const parseNumber = integerParser(-(2n ** 31n), 2n ** 31n - 1n, Number);
  return (value) => {
    if (value === null && isNull) {
      return ok(0);
    }
    const number =
      typeof value === "string" || typeof value === "number" ? numbers.get(String(value)) : undefined;
    if (number === undefined && desc.open) {
      // An open enum accepts numbers without a name.
      const parsed = parseNumber(value);
      if (parsed.ok) {
        return parsed;
      }
    }
    return number === undefined
      ? invalid("INVALID_VALUE", `has an unknown value${allowedValues(allowed)}`)
      : ok(number);
  };
}

/** Well-known types whose ProtoJSON form is a string, which a query can contain. */
const WRITTEN_AS_TEXT = new Set(["Timestamp", "Duration", "FieldMask"].map(wellKnownName));

/** Paths of a field mask with the names of proto files, as AIP-161 writes them. ProtoJSON has those of JSON alone. */
const PROTO_PATHS = /^(?=.*_)[a-z][a-z\d_.]*(,[a-z][a-z\d_.]*)*$/;

/** The other well-known types with a ProtoJSON form of their own. */
const WRITTEN_AS_JSON = new Set(["Any", "ListValue", "Struct", "Value"].map(wellKnownName));

/**
 * Returns the parser of a well-known type whose ProtoJSON form is a scalar; undefined for any other message type.
 * https://protobuf.dev/programming-guides/json/
 */
export function wellKnownTypeParser(
  desc: DescMessage,
  format: ValueFormat,
): ValueParser<Message> | undefined {
  if (isWrapperDesc(desc)) {
    const parse = scalarParser(desc.fields[0].scalar, format);
    return (value) => {
      const parsed = parse(value);
      return parsed.ok ? ok(create(desc, { value: parsed.value })) : parsed;
    };
  }
  if (!WRITTEN_AS_TEXT.has(desc.typeName)) {
    return undefined;
  }
  const notItsForm = notFormOf(desc);
  return (value) => {
    if (typeof value !== "string" || !hasSyntaxOf(desc, value)) {
      return notItsForm;
    }
    if (format === "text" && desc.typeName === FieldMaskSchema.typeName && PROTO_PATHS.test(value)) {
      return ok(create(FieldMaskSchema, { paths: value.split(",") }));
    }
    try {
      return ok(withoutNegativeZero(fromJson(desc, value)));
    } catch {
      // The message of the library can repeat the value.
      return notItsForm;
    }
  };
}

/** A value is not in the form of a well-known type. */
export function notFormOf({ typeName }: DescMessage) {
  return invalid("INVALID_VALUE", `is not the ProtoJSON form of ${typeName}`);
}

/** Whether a message type has a text form, for paths, queries and forms. */
export function isWrittenAsText(desc: DescMessage): boolean {
  return isWrapperDesc(desc) || WRITTEN_AS_TEXT.has(desc.typeName);
}

/** Whether a message type has a ProtoJSON form of its own, so that its fields are not members or parameters. */
export function hasOwnForm(desc: DescMessage): boolean {
  return isWrittenAsText(desc) || WRITTEN_AS_JSON.has(desc.typeName);
}

/** The name of the message type at a type URL, which is its last segment. */
export function typeNameOf(typeUrl: string): string {
  return typeUrl.slice(typeUrl.lastIndexOf("/") + 1);
}

/** Checks a part of the syntax that protobuf-es does not check. */
function hasSyntaxOf({ typeName }: DescMessage, value: string): boolean {
  switch (typeName) {
    case "google.protobuf.Timestamp":
      return isCalendarDay(value) && !END_OF_DAY.test(value);
    case "google.protobuf.Duration":
      // protobuf-es ignores text after the unit.
      return value.endsWith("s") && value.indexOf("s") === value.length - 1;
    default:
      return parseString(value).ok;
  }
}

/** The hour 24, which RFC 3339 does not have: protobuf-es reads it as midnight of the next day. */
const END_OF_DAY = /T24/;

/** Whether a timestamp has a valid date: protobuf-es reads 30 February as 2 March. */
function isCalendarDay(value: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})/.exec(value);
  const [year = 0, month = 0, day = 0] = match?.slice(1).map(Number) ?? [];
  const lastDay = new Date(0);
  // Date.UTC maps years below 100 to the twentieth century.
  lastDay.setUTCFullYear(year, month, 0);
  return match !== null && day <= lastDay.getUTCDate();
}

/** protobuf-es reads `-1.0s` with -0 nanoseconds; -0 and 0 do not always compare equal. */
function withoutNegativeZero(message: Message): Message {
  if (isMessage(message, DurationSchema)) {
    message.nanos += 0;
  }
  return message;
}

function wellKnownName(name: string): string {
  return `google.protobuf.${name}`;
}
