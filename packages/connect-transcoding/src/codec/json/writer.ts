import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  getExtension,
  isMessage,
  type Message,
  type Registry,
  type ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { scalarZeroValue } from "@bufbuild/protobuf/reflect";
import { FeatureSet_FieldPresence, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import {
  extensionsOf,
  type FieldPlace,
  isJsonStruct,
  type MessageInit,
  placeOf,
  readField,
} from "../message-field.js";
import { writeJson, writeListValue, writeStruct, writeValue } from "../struct-form.js";
import { hasOwnForm, typeNameOf } from "../value-parser.js";
import { jsonString, jsonTextOf } from "./data.js";
import { defaultTest, textOfDefault } from "./defaults.js";
import { type JsonForm, readJsonForm } from "./form.js";
import {
  type Add,
  addArray,
  addName,
  addObject,
  addPrepared,
  addSeparator,
  addString,
  addText,
  type JsonOutput,
  jsonBody,
  jsonText,
  type PreparedText,
  prepareText,
} from "./output.js";
import { adderOf, enumWriter, mapKeyNamer, scalarAdder, scalarWriter } from "./scalars.js";

/** Writes a message, or a plain object that `create` accepts, as JSON text. */
export type JsonMessageWriter = (message: MessageInit) => string;

/** Writers, created once per message type and on demand, because messages can contain themselves. */
export interface JsonWriters {
  /** The writer of whole messages. */
  ofMessage(desc: DescMessage): JsonMessageWriter;
  /** The same for bodies of responses: returns a long text as bytes. */
  ofBody(desc: DescMessage): (message: MessageInit) => string | Uint8Array;
  /** Writes one field of a message without its name; returns undefined where the field is absent. */
  ofField(field: DescField): (message: MessageInit) => string | undefined;
}

/** Adds one value. Throws an Error for a value of another type, without repeating the value. */
type ValueAdder = Add<unknown>;

/** Adds a message, or its members. */
type MessageAdder = Add<MessageInit>;

/** A field, compiled. */
interface FieldWriter {
  readonly place: FieldPlace;
  /** The name and colon of the field, and the same after a comma. */
  readonly name: PreparedText;
  readonly nextName: PreparedText;
  readonly add: ValueAdder;
  /** The text of an absent field; undefined to omit it. */
  readonly absent: string | undefined;
  /** Whether a value is omitted; undefined if none is. */
  readonly isOmitted: ((value: unknown) => boolean) | undefined;
  /** Required, as in proto2. */
  readonly isRequired: boolean;
}

/**
 * Creates writers of ProtoJSON, with fields at their default value. Their output equals
 * `JSON.stringify(toJson(desc, create(desc, message), { alwaysEmitImplicit: true, registry }))`, except that a `float` has
 * the shortest text that reads as the same float, and that the key `__proto__` is not lost. They take a fraction of the
 * time, because they create no message and no JSON value. Protobuf-es writes Timestamp, Duration and FieldMask. `form` changes
 * names, enums, defaults and 64-bit integers.
 */
export function createJsonWriters(registry: Registry, given?: JsonForm): JsonWriters {
  const form = readJsonForm(given);
  const messageAdders = new Map<DescMessage, MessageAdder>();
  const membersAdders = new Map<DescMessage, MessageAdder>();
  const extensionAdders = new Map<DescField, ValueAdder>();
  const nameOf = (field: DescField) => (form.fieldNames === "proto" ? field.name : field.jsonName);

  const messageAdder = (desc: DescMessage): MessageAdder => {
    const adder = messageAdders.get(desc) ?? wellKnownTypeAdder(desc) ?? makeMessageAdder(desc);
    messageAdders.set(desc, adder);
    return adder;
  };

  function makeMessageAdder(desc: DescMessage): MessageAdder {
    const addMembers = membersOf(desc);
    return (out, message) => addObject(out, message, addMembers);
  }

  /** Adds the members of a message, without braces. */
  const membersOf = (desc: DescMessage): MessageAdder => {
    const adder = membersAdders.get(desc) ?? makeMembersAdder(desc);
    membersAdders.set(desc, adder);
    return adder;
  };

  function makeMembersAdder(desc: DescMessage): MessageAdder {
    let fields: readonly FieldWriter[] | undefined;
    return (out, message) => {
      // Compiled with the first message, because a field can have this very type.
      fields ??= inOrderOfJson(desc.fields, nameOf).map((field) => makeFieldWriter(field, form));
      const start = out.position;
      for (const field of fields) {
        const held = readField(field.place, message);
        const value = field.isOmitted?.(held) === true ? undefined : held;
        if (value === undefined && field.absent === undefined) {
          if (field.isRequired) {
            // Throws an error that names the missing field.
            byLibrary(desc, message);
          }
          continue;
        }
        addPrepared(out, out.position > start ? field.nextName : field.name);
        if (value === undefined) {
          addText(out, field.absent ?? "");
        } else {
          field.add(out, value);
        }
      }
      if (message.$unknown !== undefined && isMessage(message, desc)) {
        addExtensions(out, desc, message, start);
      }
    };
  }

  function wellKnownTypeAdder(desc: DescMessage): MessageAdder | undefined {
    if (isWrapperDesc(desc)) {
      const [{ scalar }] = desc.fields;
      const write = scalarWriter(scalar, false, form.longs);
      const zero = scalarZeroValue(scalar, false);
      return (out, { value }) => addText(out, write(value ?? zero));
    }
    switch (desc.typeName) {
      case "google.protobuf.Any":
        return addAny;
      case "google.protobuf.Struct":
        return (out, message) => addText(out, writeStruct(message));
      case "google.protobuf.ListValue":
        return (out, message) => addText(out, writeListValue(message));
      case "google.protobuf.Value":
        return (out, message) => addText(out, writeValue(message));
      default:
        return hasOwnForm(desc) ? (out, message) => addText(out, byLibrary(desc, message)) : undefined;
    }
  }

  function addAny(out: JsonOutput, { typeUrl, value = [] }: MessageInit): void {
    if (typeUrl === undefined || typeUrl === "") {
      addText(out, "{}");
      return;
    }
    const desc = registry.getMessage(typeNameOf(String(typeUrl)));
    if (desc === undefined) {
      throw new Error(`cannot write google.protobuf.Any: "${typeUrl}" is not in the registry`);
    }
    // A copy of the bytes, or of the text of nested ones, would take quadratic time.
    const bytes = value instanceof Uint8Array ? value : new Uint8Array(value as ArrayLike<number>);
    addObject(out, fromBinary(desc, bytes), (_, message) => {
      const start = out.position;
      if (hasOwnForm(desc)) {
        addText(out, '"value":');
        messageAdder(desc)(out, message);
      } else {
        membersOf(desc)(out, message);
      }
      addSeparator(out, start);
      addText(out, '"@type":');
      addString(out, String(typeUrl));
    });
  }

  /** Adds the extensions of a message. `start` is where its members start. */
  function addExtensions(out: JsonOutput, desc: DescMessage, message: Message, start: number): void {
    for (const field of extensionsOf(registry, desc, message)) {
      const add = extensionAdders.get(field) ?? makeValueAdder(field);
      extensionAdders.set(field, add);
      addSeparator(out, start);
      addName(out, field.jsonName);
      add(out, getExtension(message, field.extension));
    }
  }

  function makeFieldWriter(field: DescField, { defaults }: JsonForm): FieldWriter {
    const isImplicit = field.presence === FeatureSet_FieldPresence.IMPLICIT;
    const name = `${jsonString(nameOf(field))}:`;
    return {
      place: placeOf(field),
      name: prepareText(name),
      nextName: prepareText(`,${name}`),
      add: makeValueAdder(field),
      absent: isImplicit && defaults !== "omit" ? textOfDefault(field, form) : undefined,
      isOmitted: isImplicit && defaults === "omit" ? defaultTest(field) : undefined,
      isRequired: field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED,
    };
  }

  function makeValueAdder(field: DescField): ValueAdder {
    const add = makeItemAdder(field);
    switch (field.fieldKind) {
      case "list":
        return (out, value) => addArray(out, value as Iterable<unknown>, add);
      case "map":
        return mapAdder(field.mapKey, add);
      default:
        return add;
    }
  }

  /** Adds a single value, a list element or a map value. */
  function makeItemAdder(field: DescField): ValueAdder {
    if (field.enum !== undefined) {
      return adderOf(enumWriter(field.enum, form.enums));
    }
    if (field.message === undefined) {
      return scalarAdder(field.scalar, field.fieldKind !== "map" && field.longAsString, form.longs);
    }
    const { message } = field;
    if (isWrapperDesc(message) && field.fieldKind === "message" && field.oneof === undefined) {
      // Held as the wrapped value.
      return adderOf(scalarWriter(message.fields[0].scalar, false, form.longs));
    }
    if (isJsonStruct(field)) {
      return adderOf(writeJson);
    }
    const add = messageAdder(message);
    return (out, value) => {
      if (typeof value !== "object") {
        throw new Error(`cannot write a ${typeof value} as ${message.typeName}`);
      }
      add(out, value as MessageInit);
    };
  }

  return {
    ofMessage: (desc) => {
      const add = messageAdder(desc);
      return (message) => jsonText(add, message);
    },
    ofBody: (desc) => {
      const add = messageAdder(desc);
      return (message) => jsonBody(add, message);
    },
    ofField: (field) => {
      // A whole body has its default.
      const { place, add, absent } = makeFieldWriter(field, {});
      return (message) => {
        const value = readField(place, message);
        return value === undefined ? absent : jsonText(add, value);
      };
    },
  };
}

/** Adds the entries of a map, whose values `add` adds. */
function mapAdder(key: ScalarType, add: ValueAdder): ValueAdder {
  const nameOf = mapKeyNamer(key);
  const addEntries: Add<readonly [string, unknown][]> = (out, entries) => {
    const start = out.position;
    for (const [name, item] of entries) {
      addSeparator(out, start);
      addName(out, name);
      add(out, item);
    }
  };
  return (out, value) => {
    const entries = Object.entries(value as object);
    // The properties of an object have the same order as in the output of protobuf-es.
    const named =
      nameOf === undefined
        ? entries
        : Object.entries(Object.fromEntries(entries.map(([name, item]) => [nameOf(name), item])));
    addObject(out, named, addEntries);
  };
}

/** Writes a message with protobuf-es. */
function byLibrary(desc: DescMessage, message: MessageInit): string {
  return jsonTextOf(toJson(desc, create(desc, message)));
}

/** Fields by number, except that names that are array indices come first, as in JavaScript objects. */
function inOrderOfJson(fields: readonly DescField[], nameOf: (field: DescField) => string): DescField[] {
  const sorted = fields.toSorted((a, b) => a.number - b.number);
  const names = Object.keys(Object.fromEntries(sorted.map((field) => [nameOf(field), true])));
  return sorted.toSorted((a, b) => names.indexOf(nameOf(a)) - names.indexOf(nameOf(b)));
}

/**
 * Returns the writer of a response over REST: the whole message, or one field of it, which is `null` where it is absent.
 * Accepts plain objects instead of messages, and writes fields at their default value.
 */
export function createJsonResponseWriter(
  desc: DescMessage,
  field: DescField | undefined,
  registry: Registry,
  form?: JsonForm,
): JsonMessageWriter {
  const writers = createJsonWriters(registry, restForm(form));
  if (field === undefined) {
    return writers.ofMessage(desc);
  }
  const write = writers.ofField(field);
  return (message) => write(message) ?? "null";
}

/** The form of a response over REST: enum values have their `http_value`, unless the form says something else. */
export function restForm(form: JsonForm = {}): JsonForm {
  return { ...form, enums: form.enums ?? "http" };
}

/** Returns the writer of a message in ProtoJSON, as in Connect and gRPC: enum values have their names in the proto file. */
export function createJsonMessageWriter(desc: DescMessage, registry: Registry): JsonMessageWriter {
  return createJsonWriters(registry).ofMessage(desc);
}
