import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  getExtension,
  isMessage,
  type Message,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { scalarZeroValue } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { jsonString } from "./json-data.js";
import { enumWriter, type JsonValueWriter, mapKeyNamer, scalarWriter } from "./json-scalars.js";
import {
  extensionsOf,
  type FieldPlace,
  isJsonStruct,
  type MessageInit,
  placeOf,
  readField,
} from "./message-field.js";
import { writeJson, writeListValue, writeStruct, writeValue } from "./struct-form.js";
import { hasOwnForm, typeNameOf } from "./value-parser.js";

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
 * `JSON.stringify(toJson(desc, create(desc, message), { alwaysEmitImplicit: true, registry }))`, except that a `float` has
 * the shortest text that reads as the same float, and that the key `__proto__` is not lost. They take a fraction of the
 * time, because they create no message and no JSON value. Protobuf-es writes Timestamp, Duration and FieldMask.
 */
export function createJsonWriters(registry: Registry): JsonWriters {
  const messageWriters = new Map<DescMessage, JsonMessageWriter>();
  const membersWriters = new Map<DescMessage, JsonMessageWriter>();
  const extensionWriters = new Map<DescField, JsonValueWriter>();

  const ofMessage = (desc: DescMessage): JsonMessageWriter => {
    const writer = messageWriters.get(desc) ?? makeMessageWriter(desc);
    messageWriters.set(desc, writer);
    return writer;
  };

  function makeMessageWriter(desc: DescMessage): JsonMessageWriter {
    const write = wellKnownTypeWriter(desc);
    if (write !== undefined) {
      return write;
    }
    const writeMembers = membersOf(desc);
    return (message) => {
      const members = writeMembers(message);
      return members.length === 0 ? "{}" : `${members}}`;
    };
  }

  /** The writer of the members of a message, with the opening brace; of an empty text without members. */
  const membersOf = (desc: DescMessage): JsonMessageWriter => {
    const writer = membersWriters.get(desc) ?? makeMembersWriter(desc);
    membersWriters.set(desc, writer);
    return writer;
  };

  function makeMembersWriter(desc: DescMessage): JsonMessageWriter {
    let fields: readonly FieldWriter[] | undefined;
    return (message) => {
      // Compiled with the first message, because a field can have this very type.
      fields ??= inOrderOfJson(desc.fields).map(makeFieldWriter);
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
      if (message.$unknown !== undefined && isMessage(message, desc)) {
        for (const [name, written] of extensionMembers(desc, message)) {
          text += `${text.length === 0 ? "{" : ","}${jsonString(name)}:${written}`;
        }
      }
      return text;
    };
  }

  function wellKnownTypeWriter(desc: DescMessage): JsonMessageWriter | undefined {
    if (isWrapperDesc(desc)) {
      const [{ scalar }] = desc.fields;
      const write = scalarWriter(scalar);
      const zero = scalarZeroValue(scalar, false);
      return ({ value }) => write(value ?? zero);
    }
    switch (desc.typeName) {
      case "google.protobuf.Any":
        return writeAny;
      case "google.protobuf.Struct":
        return writeStruct;
      case "google.protobuf.ListValue":
        return writeListValue;
      case "google.protobuf.Value":
        return writeValue;
      default:
        return hasOwnForm(desc) ? (message) => byLibrary(desc, message) : undefined;
    }
  }

  function writeAny({ typeUrl, value = [] }: MessageInit): string {
    if (typeUrl === undefined || typeUrl === "") {
      return "{}";
    }
    const desc = registry.getMessage(typeNameOf(String(typeUrl)));
    if (desc === undefined) {
      throw new Error(`cannot write google.protobuf.Any: "${typeUrl}" is not in the registry`);
    }
    // A copy of the bytes, or of the text of nested ones, would take quadratic time.
    const bytes = value instanceof Uint8Array ? value : new Uint8Array(value as ArrayLike<number>);
    const message = fromBinary(desc, bytes);
    const members = hasOwnForm(desc) ? `{"value":${ofMessage(desc)(message)}` : membersOf(desc)(message);
    return `${members}${members.length === 0 ? "{" : ","}"@type":${jsonString(String(typeUrl))}}`;
  }

  /** The names and texts of the extensions of a message. */
  function extensionMembers(desc: DescMessage, message: Message): (readonly [string, string])[] {
    return extensionsOf(registry, desc, message).map((field) => {
      const write = extensionWriters.get(field) ?? makeValueWriter(field);
      extensionWriters.set(field, write);
      return [field.jsonName, write(getExtension(message, field.extension))];
    });
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
        if (nameOf === undefined) {
          return (value) => {
            let text = "";
            for (const name of Object.keys(value as object)) {
              const item = write((value as Record<string, unknown>)[name]);
              text += `${text.length === 0 ? "" : ","}${jsonString(name)}:${item}`;
            }
            return `{${text}}`;
          };
        }
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
    if (isJsonStruct(field)) {
      return writeJson;
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

/** Writes a message with protobuf-es. */
function byLibrary(desc: DescMessage, message: MessageInit): string {
  return JSON.stringify(toJson(desc, create(desc, message)));
}

/** Fields by number, except that names that are array indices come first, as in JavaScript objects. */
function inOrderOfJson(fields: readonly DescField[]): DescField[] {
  const sorted = fields.toSorted((a, b) => a.number - b.number);
  const names = Object.keys(Object.fromEntries(sorted.map(({ jsonName }) => [jsonName, true])));
  return sorted.toSorted((a, b) => names.indexOf(a.jsonName) - names.indexOf(b.jsonName));
}

/**
 * Returns the writer of a response in JSON: the whole message, or one field of it, which is `null` where it is absent.
 * Accepts plain objects instead of messages, and writes fields at their default value.
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
