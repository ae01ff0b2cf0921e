import { type DescEnum, getOption, hasOption, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { http_value as httpValueOption } from "../../gen/connecttranscoding/v1/options_pb.js";
import { allowedValues } from "../errors/http-error.js";
import { type Failure, fail, ok, type Result } from "../result.js";

/** Why a value cannot be one of a field. */
export type FieldValueReason = "INVALID_TYPE" | "INVALID_VALUE" | "OUT_OF_RANGE";

/** The value of a field as protobuf-es holds it, or why there is none. */
export type FieldValue = Result<unknown, Failure<FieldValueReason>>;

/**
 * Reads one scalar or enum value. `value` is what a path, a query or a form has as text, or what a JSON body has;
 * both follow ProtoJSON, with text standing for numbers and booleans as well. What comes out wrong is never
 * repeated in the failure, for it may be a secret.
 * https://protobuf.dev/programming-guides/json/
 */
export type ScalarParser = (value: JsonValue) => FieldValue;

/** Makes the parser of a scalar type. */
export function scalarParser(type: ScalarType): ScalarParser {
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

// Either alphabet of RFC 4648; padding is complete or not there (section 3.2), and one symbol alone is no octet.
const BASE64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

function parseBytes(value: JsonValue): FieldValue {
  if (typeof value !== "string") {
    return fail("INVALID_TYPE", "must be a string in base64");
  }
  return BASE64.test(value) ? ok(base64Decode(value)) : fail("INVALID_VALUE", "is not base64");
}

function floatingParser(max: number, represent: (value: number) => number): ScalarParser {
  return (value) => {
    const special = typeof value === "string" ? SPECIAL_NUMBERS.get(value) : undefined;
    if (special !== undefined) {
      return ok(special);
    }
    const isNumber = typeof value === "number" || (typeof value === "string" && DECIMAL.test(value));
    if (!isNumber) {
      return fail("INVALID_TYPE", "must be a number");
    }
    const number = represent(Number(value));
    return Number.isFinite(number)
      ? ok(number)
      : fail("OUT_OF_RANGE", `is out of range; allowed: -${max} to ${max}`);
  };
}

const SPECIAL_NUMBERS: ReadonlyMap<string, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);

/** A JSON number, which may also stand in quotes: sign, whole part, fraction and exponent. */
const DECIMAL = /^(-?)(\d{1,400})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,9}))?$/;

/** Few digits, of an integer that a number holds exactly. */
const SMALL_INTEGER = /^\d{1,15}$/;

function integerParser(
  min: bigint,
  max: bigint,
  represent: (value: bigint | number) => unknown,
): ScalarParser {
  const [low, high] = [Number(min), Number(max)];
  const outOfRange = fail("OUT_OF_RANGE", `is out of range; allowed: ${min} to ${max}`);
  return (value) => {
    const small = typeof value === "string" && SMALL_INTEGER.test(value) ? Number(value) : value;
    if (Number.isSafeInteger(small) && low <= Number(small) && Number(small) <= high) {
      // Zero has no sign.
      return ok(represent(Number(small) + 0));
    }
    const isNumber = typeof value === "number";
    const integer = isNumber || typeof value === "string" ? integerOf(String(value)) : undefined;
    if (integer === undefined) {
      return fail("INVALID_TYPE", "must be an integer");
    }
    if (integer < min || max < integer) {
      return outOfRange;
    }
    return isNumber && !Number.isSafeInteger(value)
      ? fail("OUT_OF_RANGE", "is beyond 2^53, where JSON numbers lose digits; write it as a string")
      : ok(represent(integer));
  };
}

/** Digits of an integer that is certainly beyond every type. */
const MANY_DIGITS = 400;

/** The integer that a decimal number is, exactly; undefined where it is none. */
function integerOf(text: string): bigint | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  // Digits and the place of the point behind them, without zeros at the end.
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

/** Makes the parser of an enum: its values by name, by number, and by what stands for them over HTTP. */
export function enumParser(desc: DescEnum): ScalarParser {
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
  const parseNumber = integerParser(-(2n ** 31n), 2n ** 31n - 1n, Number);
  return (value) => {
    const number =
      typeof value === "string" || typeof value === "number" ? numbers.get(String(value)) : undefined;
    if (number === undefined && desc.open) {
      // An open enum has numbers without a name.
      const parsed = parseNumber(value);
      if (parsed.ok) {
        return parsed;
      }
    }
    return number === undefined
      ? fail("INVALID_VALUE", `has an unknown value${allowedValues(allowed)}`)
      : ok(number);
  };
}
