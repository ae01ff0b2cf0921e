import { type DescEnum, protoInt64, ScalarType } from "@bufbuild/protobuf";
import { enumValueName } from "../../proto-options.js";
import { NULL_VALUE } from "../value-parser.js";
import { jsonString } from "./data.js";
import type { JsonForm } from "./form.js";
import { type Add, addNumber, addString, addText } from "./output.js";

/** Writes one value as JSON text. Throws an Error for a value of another type, without repeating the value. */
export type JsonValueWriter = (value: unknown) => string;

/**
 * Returns the writer of a scalar type in ProtoJSON, where 64-bit integers and bytes are strings. `longAsString`: 64-bit
 * integers are strings in the message as well (`jstype = JS_STRING`). `longs`: how they are written.
 * https://protobuf.dev/programming-guides/json/
 */
export function scalarWriter(
  type: ScalarType,
  longAsString = false,
  longs: JsonForm["longs"] = "strings",
): JsonValueWriter {
  switch (type) {
    case ScalarType.STRING:
      return (value) => (typeof value === "string" ? jsonString(value) : failType(type, value));
    case ScalarType.BOOL:
      return (value) => {
        if (typeof value !== "boolean") {
          return failType(type, value);
        }
        return value ? "true" : "false";
      };
    case ScalarType.BYTES:
      return (value) => {
        if (Array.isArray(value)) {
          return writeBytes(new Uint8Array(value));
        }
        return value instanceof Uint8Array ? writeBytes(value) : failType(type, value);
      };
    case ScalarType.DOUBLE:
      return (value) => {
        if (typeof value !== "number") {
          return failType(type, value);
        }
        return Number.isFinite(value) ? `${value}` : `"${value}"`;
      };
    case ScalarType.FLOAT:
      return (value) => {
        if (typeof value !== "number") {
          return failType(type, value);
        }
        return Number.isFinite(value) ? writeFloat(value) : `"${value}"`;
      };
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return (value) => (typeof value === "number" ? jsonNumber(value) : failType(type, value));
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return longWriter(type, longs, longAsString ? protoInt64.parse : undefined);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return longWriter(type, longs, longAsString ? protoInt64.uParse : undefined);
  }
}

/** Returns the function that adds a scalar. The common types are added without a text of their own. */
export function scalarAdder(
  type: ScalarType,
  longAsString: boolean,
  longs?: JsonForm["longs"],
): Add<unknown> {
  const write = scalarWriter(type, longAsString, longs);
  switch (type) {
    case ScalarType.STRING:
      return (out, value) => (typeof value === "string" ? addString(out, value) : addText(out, write(value)));
    case ScalarType.DOUBLE:
    case ScalarType.INT32:
    case ScalarType.UINT32:
      return (out, value) =>
        Number.isFinite(value) ? addNumber(out, value as number) : addText(out, write(value));
    default:
      return adderOf(write);
  }
}

/** Returns the function that adds what a writer writes. */
export function adderOf(write: JsonValueWriter): Add<unknown> {
  return (out, value) => addText(out, write(value));
}

/**
 * Returns the writer of an enum: the name of a value, its `http_value` if it has one and `enums` says so, or its number where it has no
 * name or `enums` says so. `NullValue` is null.
 */
export function enumWriter(desc: DescEnum, enums: JsonForm["enums"] = "names"): JsonValueWriter {
  const isNull = desc.typeName === NULL_VALUE;
  const texts = new Map<unknown, string>(
    desc.values.map((each) => {
      // The first of several values with one number.
      const value = desc.value[each.number] ?? each;
      const name = enums === "http" ? (enumValueName(value) ?? value.name) : value.name;
      return [value.number, isNull ? "null" : enums === "numbers" ? `${value.number}` : jsonString(name)];
    }),
  );
  return (value) => {
    const text = texts.get(value);
    if (text !== undefined) {
      return text;
    }
    if (typeof value !== "number") {
      throw new Error(`cannot write a ${typeof value} as ${desc.typeName}`);
    }
    return isNull ? "null" : jsonNumber(value);
  };
}

/** The decimal digits that suffice for every float, and those that every normal float keeps (IEEE 754: 9 and 6). */
const MAX_FLOAT_DIGITS = 9;
const KEPT_FLOAT_DIGITS = 6;

/** The smallest normal float; smaller ones keep fewer digits. */
const MIN_NORMAL_FLOAT = 2 ** -126;

/** Floats in this range are shortened by arithmetic, which is faster than text. */
const MIN_SCALED = 1e-6;
const MAX_SCALED = 2 ** 24;

/** Below this, no two numbers with four decimal places are the same float. */
const MAX_WITH_FOUR_PLACES = 1000;

/** The shortest decimal number that is rounded to the same float. */
function writeFloat(value: number): string {
  const float = Math.fround(value);
  const size = Math.abs(float);
  if (size >= MIN_SCALED && size < MAX_SCALED) {
    const shortened = shortenByScaling(size);
    return float < 0 ? `-${shortened}` : `${shortened}`;
  }
  for (let digits = size < MIN_NORMAL_FLOAT ? 1 : KEPT_FLOAT_DIGITS; digits < MAX_FLOAT_DIGITS; digits++) {
    const shortened = Number(float.toPrecision(digits));
    if (Math.fround(shortened) === float) {
      return `${shortened}`;
    }
  }
  return `${Number.isFinite(float) ? Number(float.toPrecision(MAX_FLOAT_DIGITS)) : value}`;
}

/** The number with the fewest decimal places that is rounded to the same float, from {@link MIN_SCALED} on. */
function shortenByScaling(float: number): number {
  let scale = float < MAX_WITH_FOUR_PLACES ? 1e4 : 1;
  let shortened = Math.round(float * scale) / scale;
  // Ends after nine digits at the latest. The quotient is exact to a double, because powers of ten are up to 10^22.
  while (Math.fround(shortened) !== float) {
    scale *= 10;
    shortened = Math.round(float * scale) / scale;
  }
  return shortened;
}

/**
 * Returns a function that normalizes the key of a map, a property name, as protobuf-es does: `01` becomes 1. Undefined if
 * keys stay as they are.
 */
export function mapKeyNamer(type: ScalarType): ((key: string) => string) | undefined {
  switch (type) {
    case ScalarType.STRING:
    case ScalarType.BOOL:
      return undefined;
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return (key) => orItself(key, protoInt64.parse);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return (key) => orItself(key, protoInt64.uParse);
    default:
      return (key) => {
        const number = Number.parseInt(key, 10);
        return Number.isFinite(number) ? String(number) : key;
      };
  }
}

function orItself(key: string, parse: (key: string) => bigint | string): string {
  try {
    return String(parse(key));
  } catch {
    return key;
  }
}

/** As in JSON.stringify, NaN and the infinities, which no integer field can have, are null. */
function jsonNumber(value: number): string {
  return Number.isFinite(value) ? `${value}` : "null";
}

function writeBytes(bytes: Uint8Array): string {
  return `"${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64")}"`;
}

function longWriter(
  type: ScalarType,
  longs: JsonForm["longs"],
  normalize?: (value: string) => bigint | string,
): JsonValueWriter {
  const write = (value: bigint | number | string): string =>
    longs === "numbers" && Number.isSafeInteger(Number(value))
      ? `${BigInt(value)}`
      : jsonString(String(value));
  return (value) => {
    if (typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value))) {
      return longs === "numbers" ? write(value) : `"${value}"`;
    }
    if (typeof value !== "string") {
      return failType(type, value);
    }
    return write(normalize === undefined ? value : normalize(value));
  };
}

function failType(type: ScalarType, value: unknown): never {
  throw new Error(`cannot write a ${typeof value} as ${ScalarType[type]}`);
}
