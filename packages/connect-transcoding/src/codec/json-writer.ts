import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  isMessage,
  type JsonObject,
  type JsonWriteOptions,
  protoInt64,
  type Registry,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { scalarZeroValue } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence, isWrapperDesc, StructSchema } from "@bufbuild/protobuf/wkt";
import { type FieldPlace, type MessageInit, placeOf, readField } from "./message-field.js";
import { hasOwnForm } from "./value-parser.js";

/** Writes a message, or a plain object that `create` accepts, as JSON text. */
export type JsonMessageWriter = (message: MessageInit) => string;

/** Writers, created once per message type and on demand, because messages can contain themselves. */
export interface JsonWriters {
  /** The writer of whole messages. */
  ofMessage(desc: DescMessage): JsonMessageWriter;
  /** Writes one field of a message without its name; returns undefined where the field is absent. */
  ofField(field: DescField): (message: MessageInit) => string | undefined;
}

/** A field, compiled. */
interface FieldWriter {
  readonly place: FieldPlace;
  /** The name and colon of the field, as the first member of an object and as a later one. */
  readonly opening: string;
  readonly following: string;
  readonly write: JsonValueWriter;
  /** The text of an absent field; undefined to omit it. */
  readonly absent: string | undefined;
  /** Required, as in proto2. */
  readonly isRequired: boolean;
}

/**
 * Creates writers of ProtoJSON, with fields at their default value. Their output equals
 * `JSON.stringify(toJson(desc, create(desc, message), { alwaysEmitImplicit: true, registry }))` byte for byte, in a
 * fraction of the time: they create neither a message nor a JSON value. Rare cases are left to protobuf-es: well-known
 * types with a form of their own, and unknown fields or extensions.
 */
export function createJsonWriters(registry: Registry): JsonWriters {
  const options: Partial<JsonWriteOptions> = { alwaysEmitImplicit: true, registry };
  const messageWriters = new Map<DescMessage, JsonMessageWriter>();

  /** Writes a message with protobuf-es. */
  const byLibrary = (desc: DescMessage, message: MessageInit): string =>
    JSON.stringify(toJson(desc, create(desc, message), options));

  const ofMessage = (desc: DescMessage): JsonMessageWriter => {
    const writer = messageWriters.get(desc) ?? makeMessageWriter(desc);
    messageWriters.set(desc, writer);
    return writer;
  };

  function makeMessageWriter(desc: DescMessage): JsonMessageWriter {
    if (hasOwnForm(desc)) {
      return (message) => byLibrary(desc, message);
    }
    let fields: readonly FieldWriter[] | undefined;
    return (message) => {
      // Compiled with the first message, because a field can have this very type.
      fields ??= inOrderOfJson(desc.fields).map(makeFieldWriter);
      if (hasUnknownFields(desc, message)) {
        return byLibrary(desc, message);
      }
      let text = "";
      for (const field of fields) {
        const value = readField(field.place, message);
        const written = value === undefined ? field.absent : field.write(value);
        if (written !== undefined) {
          text += (text.length === 0 ? field.opening : field.following) + written;
        } else if (field.isRequired) {
          // Throws an error that names the missing field.
          return byLibrary(desc, message);
        }
      }
      return text.length === 0 ? "{}" : `${text}}`;
    };
  }

  function makeFieldWriter(field: DescField): FieldWriter {
    const name = `${jsonString(field.jsonName)}:`;
    const write = makeValueWriter(field);
    return {
      place: placeOf(field),
      opening: `{${name}`,
      following: `,${name}`,
      write,
      absent: field.presence === FeatureSet_FieldPresence.IMPLICIT ? textOfDefault(field, write) : undefined,
      isRequired: field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED,
    };
  }

  function makeValueWriter(field: DescField): JsonValueWriter {
    const write = makeItemWriter(field);
    switch (field.fieldKind) {
      case "list":
        return (value) => {
          let text = "";
          for (const item of value as Iterable<unknown>) {
            text += text.length === 0 ? write(item) : `,${write(item)}`;
          }
          return `[${text}]`;
        };
      case "map": {
        const nameOf = mapKeyNamer(field.mapKey);
        return (value) => {
          // The properties of an object have the same order as in the output of protobuf-es.
          const written: Record<string, string> = {};
          for (const key of Object.keys(value as object)) {
            written[nameOf(key)] = write((value as Record<string, unknown>)[key]);
          }
          let text = "";
          for (const [name, item] of Object.entries(written)) {
            text += `${text.length === 0 ? "" : ","}${jsonString(name)}:${item}`;
          }
          return `{${text}}`;
        };
      }
      default:
        return write;
    }
  }

  /** The writer of a single value, a list element or a map value. */
  function makeItemWriter(field: DescField): JsonValueWriter {
    if (field.enum !== undefined) {
      return enumWriter(field.enum);
    }
    if (field.message === undefined) {
      return scalarWriter(field.scalar, field.fieldKind !== "map" && field.longAsString);
    }
    const { message } = field;
    if (isWrapperDesc(message) && field.fieldKind === "message" && field.oneof === undefined) {
      // Held as the wrapped value.
      return scalarWriter(message.fields[0].scalar);
    }
    if (message.typeName === StructSchema.typeName) {
      // A field holds it as a JSON object.
      return (value) => byLibrary(StructSchema, fromJson(StructSchema, value as JsonObject));
    }
    const write = ofMessage(message);
    return (value) => {
      if (typeof value !== "object") {
        throw new Error(`cannot write a ${typeof value} as ${message.typeName}`);
      }
      return write(value as MessageInit);
    };
  }

  return {
    ofMessage,
    ofField: (field) => {
      const { place, write, absent } = makeFieldWriter(field);
      return (message) => {
        const value = readField(place, message);
        return value === undefined ? absent : write(value);
      };
    },
  };
}

/** The text of an absent field without presence. */
function textOfDefault(field: DescField, write: JsonValueWriter): string | undefined {
  switch (field.fieldKind) {
    case "list":
      return "[]";
    case "map":
      return "{}";
    case "message":
      return undefined;
    case "enum":
      return write(field.enum.values[0]?.number ?? 0);
    case "scalar":
      return write(scalarZeroValue(field.scalar, false));
  }
}

/** Whether a message has unknown fields, which can be extensions. */
function hasUnknownFields(desc: DescMessage, message: MessageInit): boolean {
  return message.$unknown !== undefined && isMessage(message, desc) && (message.$unknown?.length ?? 0) > 0;
}

/** Fields by number, but those whose names are array indices first, as in the objects of JavaScript. */
function inOrderOfJson(fields: readonly DescField[]): DescField[] {
  const sorted = fields.toSorted((a, b) => a.number - b.number);
  const names = Object.keys(Object.fromEntries(sorted.map(({ jsonName }) => [jsonName, true])));
  return sorted.toSorted((a, b) => names.indexOf(a.jsonName) - names.indexOf(b.jsonName));
}

/**
 * Returns the writer of a response in JSON: the whole message, or one field of it, which is `null` where it is absent.
 * Accepts plain objects in place of messages, and writes fields at their default value.
 */
export function createJsonResponseWriter(
  desc: DescMessage,
  field: DescField | undefined,
  registry: Registry,
): JsonMessageWriter {
  const writers = createJsonWriters(registry);
  if (field === undefined) {
    return writers.ofMessage(desc);
  }
  const write = writers.ofField(field);
  return (message) => write(message) ?? "null";
}

/** Returns the writer of a message in JSON, as {@link createJsonResponseWriter} without a field. */
export function createJsonMessageWriter(desc: DescMessage, registry: Registry): JsonMessageWriter {
  return createJsonWriters(registry).ofMessage(desc);
}

/** Writes one value as JSON text. Throws an Error for a value of another type, without repeating the value. */
type JsonValueWriter = (value: unknown) => string;

/**
 * Returns the writer of a scalar type in ProtoJSON, where 64-bit integers and bytes are strings. `longAsString`: 64-bit
 * integers are strings in the message as well (`jstype = JS_STRING`).
 * https://protobuf.dev/programming-guides/json/
 */
function scalarWriter(type: ScalarType, longAsString = false): JsonValueWriter {
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

/** Returns the writer of an enum: the name of a value, or its number where it has no name. `NullValue` is null. */
function enumWriter(desc: DescEnum): JsonValueWriter {
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

/** Returns a function that normalizes the key of a map, a property name, as protobuf-es does: `01` becomes 1. */
function mapKeyNamer(type: ScalarType): (key: string) => string {
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

// Characters to escape: quotes, backslashes, control characters and, as in JSON.stringify, surrogates.
const TO_ESCAPE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** Up to this many code units, a loop is faster than a regular expression. */
const MAX_LOOPED = 32;

/** Equals JSON.stringify, but is faster for a string without characters to escape. */
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

/** As in JSON.stringify, NaN and the infinities, which no integer field can have, are null. */
function jsonNumber(value: number): string {
  return Number.isFinite(value) ? `${value}` : "null";
}

function writeBytes(bytes: Uint8Array): string {
  return `"${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64")}"`;
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
