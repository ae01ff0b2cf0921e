import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  getOption,
  hasOption,
  type JsonValue,
  type Registry,
  ScalarType,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { http_value as httpValueOption } from "../../gen/utilitytools/transcoding/v1/transcoding_pb.js";
import { type Failure, fail, ok, type Result } from "../result.js";
import { allowedValues } from "./error-text.js";

/** Why a value cannot be one of a field. */
export type FieldValueReason = "INVALID_TYPE" | "INVALID_VALUE" | "OUT_OF_RANGE";

/** The value of a field as protobuf-es's reflection takes it, or why there is none. */
export type FieldValue = Result<unknown, Failure<FieldValueReason>>;

/**
 * Reads the value of one field. `value` is what a path, a query or a form has as text, or what a JSON body has;
 * both follow ProtoJSON, with text standing for numbers and booleans as well.
 * https://protobuf.dev/programming-guides/json/
 */
export type FieldValueParser = (value: JsonValue) => FieldValue;

/** Makes the parser of a field's single values: those of its elements where it is repeated. */
export function fieldValueParser(field: DescField, registry: Registry): FieldValueParser {
  if (field.fieldKind === "map") {
    return () => fail("INVALID_TYPE", "is a map, which cannot be a parameter");
  }
  if (field.message !== undefined) {
    return messageParser(field.message, registry);
  }
  return field.enum !== undefined ? enumParser(field.enum) : scalarParser(field.scalar);
}

function messageParser(message: DescMessage, registry: Registry): FieldValueParser {
  return (value) => {
    try {
      return ok(reflect(message, fromJson(message, value, { registry }), false));
    } catch {
      // The library's own words may repeat the value, which can be a secret.
      return fail("INVALID_VALUE", `is not the ProtoJSON form of ${message.typeName}`);
    }
  };
}

function scalarParser(type: ScalarType): FieldValueParser {
  switch (type) {
    case ScalarType.STRING:
      return parseString;
    case ScalarType.BOOL:
      return parseBool;
    case ScalarType.BYTES:
      return parseBytes;
    case ScalarType.DOUBLE:
      return (value) => parseFloating(value, Number.MAX_VALUE);
    case ScalarType.FLOAT:
      return (value) => parseFloating(value, MAX_FLOAT);
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
      return integerParser(-(2n ** 63n), 2n ** 63n - 1n, (value) => value);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return integerParser(0n, 2n ** 64n - 1n, (value) => value);
  }
}

/** The largest finite float, (2 − 2⁻²³) × 2¹²⁷ (IEEE 754). */
const MAX_FLOAT = (2 - 2 ** -23) * 2 ** 127;

function parseString(value: JsonValue): FieldValue {
  if (typeof value !== "string") {
    return fail("INVALID_TYPE", "must be a string");
  }
  // JSON can escape half of a surrogate pair, which protobuf's UTF-8 cannot hold.
  return /\p{Surrogate}/u.test(value)
    ? fail("INVALID_VALUE", "contains half of a surrogate pair")
    : ok(value);
}

function parseBool(value: JsonValue): FieldValue {
  if (value === true || value === "true") {
    return ok(true);
  }
  return value === false || value === "false" ? ok(false) : fail("INVALID_TYPE", "must be true or false");
}

function parseBytes(value: JsonValue): FieldValue {
  if (typeof value !== "string") {
    return fail("INVALID_TYPE", "must be a string in base64");
  }
  try {
    return ok(base64Decode(value));
  } catch {
    return fail("INVALID_VALUE", "is not base64");
  }
}

function parseFloating(value: JsonValue, max: number): FieldValue {
  const special = typeof value === "string" ? SPECIAL_NUMBERS.get(value) : undefined;
  if (special !== undefined) {
    return ok(special);
  }
  const isNumber =
    typeof value === "number" || (typeof value === "string" && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value));
  if (!isNumber) {
    return fail("INVALID_TYPE", "must be a number");
  }
  const number = Number(value);
  return Math.abs(number) <= max
    ? ok(number)
    : fail("OUT_OF_RANGE", `is out of range; allowed: -${max} to ${max}`);
}

const SPECIAL_NUMBERS: ReadonlyMap<string, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

function integerParser(min: bigint, max: bigint, represent: (value: bigint) => unknown): FieldValueParser {
  return (value) => {
    const isNumber = typeof value === "number" && Number.isInteger(value);
    const isText = typeof value === "string" && /^-?\d{1,64}$/.test(value);
    if (!isNumber && !isText) {
      return fail("INVALID_TYPE", "must be an integer");
    }
    const integer = BigInt(value);
    return min <= integer && integer <= max
      ? ok(represent(integer))
      : fail("OUT_OF_RANGE", `is out of range; allowed: ${min} to ${max}`);
  };
}

function enumParser(desc: DescEnum): FieldValueParser {
  const numbers = new Map<string, number>();
  const names: string[] = [];
  for (const value of desc.values) {
    const name = hasOption(value, httpValueOption) ? getOption(value, httpValueOption) : undefined;
    numbers.set(value.name, value.number).set(String(value.number), value.number);
    if (name !== undefined) {
      numbers.set(name, value.number);
      names.push(name);
    }
  }
  const allowed = names.length > 0 ? names : desc.values.map(({ name }) => name);
  return (value) => {
    const number =
      typeof value === "string" || typeof value === "number" ? numbers.get(String(value)) : undefined;
    return number === undefined
      ? fail("INVALID_VALUE", `has an unknown value${allowedValues(allowed)}`)
      : ok(number);
  };
}
