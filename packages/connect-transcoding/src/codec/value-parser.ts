import {
  create,
  type DescEnum,
  type DescMessage,
  fromJson,
  isMessage,
  type JsonValue,
  type Message,
  type Registry,
  ScalarType,
} from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { DurationSchema, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { allowedValues } from "../errors/http-error.js";
import { enumValueName } from "../rules/method-options.js";

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
 * Parses one value: the text in a path, a query or a form, or the value in a JSON body. Both follow ProtoJSON, except
 * that text is accepted for numbers and booleans as well.
 * https://protobuf.dev/programming-guides/json/
 */
export type ValueParser<T = unknown> = (value: JsonValue) => ParsedValue<T>;

function ok<T>(value: T): ParsedValue<T> {
  return { ok: true, value };
}

/** An invalid value. */
export function invalid(reason: InvalidValue["reason"], description: string) {
  return { ok: false, failure: { reason, description } } as const;
}

/** Returns the parser of a scalar type. */
export function scalarParser(type: ScalarType): ValueParser {
  switch (type) {
    case ScalarType.STRING:
      return parseString;
    case ScalarType.BOOL:
      return parseBool;
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

function parseString(value: JsonValue): ParsedValue {
  if (typeof value !== "string") {
    return invalid("INVALID_TYPE", "must be a string");
  }
  // JSON can escape half of a surrogate pair, which protobuf's UTF-8 cannot hold.
  return /\p{Surrogate}/u.test(value)
    ? invalid("INVALID_VALUE", "contains half of a surrogate pair")
    : ok(value);
}

function parseBool(value: JsonValue): ParsedValue {
  if (value === true || value === "true") {
    return ok(true);
  }
  return value === false || value === "false" ? ok(false) : invalid("INVALID_TYPE", "must be true or false");
}

// Either alphabet of RFC 4648; padding is complete or absent (section 3.2); one symbol alone is no byte.
const BASE64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

function parseBytes(value: JsonValue): ParsedValue {
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
    const isNumber = typeof value === "number" || (typeof value === "string" && DECIMAL.test(value));
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

/** A JSON number, possibly in quotes: sign, whole part, fraction and exponent. */
const DECIMAL = /^(-?)(\d{1,400})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,9}))?$/;

/** An integer short enough for a number to hold it exactly. */
const SMALL_INTEGER = /^\d{1,15}$/;

function integerParser(
  min: bigint,
  max: bigint,
  represent: (value: bigint | number) => unknown,
): ValueParser {
  const [low, high] = [Number(min), Number(max)];
  const outOfRange = invalid("OUT_OF_RANGE", `is out of range; allowed: ${min} to ${max}`);
  return (value) => {
    const small = typeof value === "string" && SMALL_INTEGER.test(value) ? Number(value) : value;
    if (Number.isSafeInteger(small) && low <= Number(small) && Number(small) <= high) {
      // Zero has no sign.
      return ok(represent(Number(small) + 0));
    }
    const isNumber = typeof value === "number";
    const integer = isNumber || typeof value === "string" ? integerOf(String(value)) : undefined;
    if (integer === undefined) {
      return invalid("INVALID_TYPE", "must be an integer");
    }
    if (integer < min || max < integer) {
      return outOfRange;
    }
    return isNumber && !Number.isSafeInteger(value)
      ? invalid("OUT_OF_RANGE", "is beyond 2^53, where JSON numbers lose digits; write it as a string")
      : ok(represent(integer));
  };
}

/** The number of digits of an integer beyond the range of every type. */
const MANY_DIGITS = 400;

/** The exact integer of a decimal number; undefined for a fraction. */
function integerOf(text: string): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  // The digits without trailing zeros, and the position of the decimal point.
  const digits = `${whole}${fraction}`.replace(/0+$/, "");
  if (/^0*$/.test(digits)) {
    return 0n;
  }
  const places = whole.length + Number(exponent);
  if (digits.length > places) {
    return undefined;
  }
  return BigInt(`${sign}${digits.padEnd(Math.min(places, MANY_DIGITS), "0")}`);
}

/** Returns the parser of an enum, which accepts the name, the number and the `http_value` of each value. */
export function enumParser(desc: DescEnum): ValueParser {
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
  const parseNumber = integerParser(-(2n ** 31n), 2n ** 31n - 1n, Number);
  return (value) => {
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

/** The other well-known types with a ProtoJSON form of their own. */
const WRITTEN_AS_JSON = new Set(["Any", "ListValue", "Struct", "Value"].map(wellKnownName));

/**
 * Returns the parser of a well-known type with a ProtoJSON form of its own; undefined for any other message type.
 * With `form: "text"`, only for types whose form is a string. `ignoreUnknownFields` applies to the message in an `Any`.
 * https://protobuf.dev/programming-guides/json/
 */
export function wellKnownTypeParser(
  desc: DescMessage,
  form: "text" | "json",
  registry: Registry,
  ignoreUnknownFields = false,
): ValueParser<Message> | undefined {
  if (isWrapperDesc(desc)) {
    const parse = scalarParser(desc.fields[0].scalar);
    return (value) => {
      const parsed = parse(value);
      return parsed.ok ? ok(create(desc, { value: parsed.value })) : parsed;
    };
  }
  if (!WRITTEN_AS_TEXT.has(desc.typeName) && !(form === "json" && WRITTEN_AS_JSON.has(desc.typeName))) {
    return undefined;
  }
  const notItsForm = invalid("INVALID_VALUE", `is not the ProtoJSON form of ${desc.typeName}`);
  return (value) => {
    if (desc.typeName === TIMESTAMP && !isCalendarDay(value)) {
      return notItsForm;
    }
    try {
      return ok(withoutNegativeZero(fromJson(desc, value, { registry, ignoreUnknownFields })));
    } catch {
      // The message of the library can repeat the value.
      return notItsForm;
    }
  };
}

/** Whether a message type has a text form, for paths, queries and forms. */
export function isWrittenAsText(desc: DescMessage): boolean {
  return isWrapperDesc(desc) || WRITTEN_AS_TEXT.has(desc.typeName);
}

/** Whether a message type has a ProtoJSON form of its own, so that its fields are not members or parameters. */
export function hasOwnForm(desc: DescMessage): boolean {
  return isWrittenAsText(desc) || WRITTEN_AS_JSON.has(desc.typeName);
}

const TIMESTAMP = "google.protobuf.Timestamp";

/** Whether a timestamp has a valid date: protobuf-es reads 30 February as 2 March. */
function isCalendarDay(value: JsonValue): boolean {
  const match = typeof value === "string" ? /^(\d{4})-(\d{2})-(\d{2})/.exec(value) : null;
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
