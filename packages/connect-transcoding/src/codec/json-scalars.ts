import { type DescEnum, protoInt64, ScalarType } from "@bufbuild/protobuf";

/** Writes one value as JSON text. Throws an Error for a value that is not of the type, without repeating it. */
export type JsonValueWriter = (value: unknown) => string;

/**
 * Makes the writer of a scalar type in ProtoJSON: integers of 64 bits and octets are strings.
 * `longAsString`: 64-bit integers are strings in the message too (`jstype = JS_STRING`).
 * https://protobuf.dev/programming-guides/json/
 */
export function scalarWriter(type: ScalarType, longAsString = false): JsonValueWriter {
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
    case ScalarType.FLOAT:
      return (value) => {
        if (typeof value !== "number") {
          return failType(type, value);
        }
        return Number.isFinite(value) ? `${value}` : `"${value}"`;
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
      return longWriter(type, longAsString ? protoInt64.parse : undefined);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return longWriter(type, longAsString ? protoInt64.uParse : undefined);
  }
}

/** Makes the writer of an enum: a value's name, or its number where it has none. `NullValue` is null. */
export function enumWriter(desc: DescEnum): JsonValueWriter {
  const isNull = desc.typeName === "google.protobuf.NullValue";
  const texts = new Map<unknown, string>(
    desc.values.map(({ number, name }) => [
      number,
      isNull ? "null" : `"${desc.value[number]?.name ?? name}"`,
    ]),
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

/**
 * Makes what a key of a map is called in JSON. Maps are objects, so that their keys are text; protobuf-es takes them for
 * what they say before it writes them, so that `01` is 1.
 */
export function mapKeyNamer(type: ScalarType): (key: string) => string {
  switch (type) {
    case ScalarType.STRING:
    case ScalarType.BOOL:
      return (key) => key;
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

// All but what has to be escaped: quotes, backslashes, control characters; JSON.stringify escapes half a surrogate pair too.
const TO_ESCAPE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** Up to this many code units a loop is quicker than a regular expression, which is a call. */
const MAX_LOOPED = 32;

/** A string as JSON text, as JSON.stringify writes it; a look is quicker than the call for what needs no escapes. */
export function jsonString(value: string): string {
  return needsEscapes(value) ? JSON.stringify(value) : `"${value}"`;
}

function needsEscapes(value: string): boolean {
  if (value.length > MAX_LOOPED) {
    return TO_ESCAPE.test(value);
  }
  for (let index = 0; index < value.length; index++) {
    const unit = value.charCodeAt(index);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit & 0xf800) === 0xd800) {
      return true;
    }
  }
  return false;
}

/** As JSON.stringify does it: a number that JSON cannot say, which is none of an integer field, is null. */
function jsonNumber(value: number): string {
  return Number.isFinite(value) ? `${value}` : "null";
}

function writeBytes(octets: Uint8Array): string {
  return `"${Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString("base64")}"`;
}

function longWriter(type: ScalarType, normalize?: (value: string) => bigint | string): JsonValueWriter {
  return (value) => {
    if (typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value))) {
      return `"${value}"`;
    }
    if (typeof value !== "string") {
      return failType(type, value);
    }
    return jsonString(normalize === undefined ? value : String(normalize(value)));
  };
}

function failType(type: ScalarType, value: unknown): never {
  throw new Error(`cannot write a ${typeof value} as ${ScalarType[type]}`);
}
