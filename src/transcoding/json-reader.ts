import {
  create,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { fail } from "../result.js";
import type { FieldViolation } from "../rpc/rpc-error.js";
import { abbreviate, addViolation } from "./error-text.js";
import { MAX_DEPTH } from "./field-path.js";
import { enumParser, type ScalarParser, scalarParser } from "./scalar-value.js";
import { wellKnownTypeParser } from "./well-known-types.js";

/** What reading goes by, and where it puts what is wrong. */
export interface JsonReading {
  /** What to do with members of objects that are no fields. */
  readonly unknownMembers: "reject" | "ignore";
  /** Everything that is wrong, in the order of the text. */
  readonly violations: FieldViolation[];
  /** How many messages what is read now is inside of. */
  depth: number;
}

/**
 * Reads the JSON value of a field and sets the field in a message. `path` is how the caller spelled the field, from
 * the request down. What is wrong goes to `reading.violations`, and is left out of the message.
 */
export type JsonFieldReader = (
  target: ReflectMessage,
  value: JsonValue,
  path: string,
  reading: JsonReading,
) => void;

/** Reads one value; undefined when something is wrong with it. */
type ValueReader = (value: JsonValue, path: string, reading: JsonReading) => unknown;

/** Makes readers, each once; messages can contain themselves, so that they are made as they are asked for. */
export interface JsonReaders {
  /** The reader of a field. */
  ofField(field: DescField): JsonFieldReader;
}

/**
 * Reads ProtoJSON with exact errors: every violation at once, each with its path (`book.author_names[1]`), none with
 * the value. protobuf-es's own `fromJson` stops at the first and quotes it.
 * https://protobuf.dev/programming-guides/json/
 */
export function createJsonReaders(registry: Registry): JsonReaders {
  const fieldReaders = new Map<DescField, JsonFieldReader>();
  const messageReaders = new Map<DescMessage, ValueReader>();

  const ofField = (field: DescField): JsonFieldReader => {
    const reader = fieldReaders.get(field) ?? makeFieldReader(field);
    fieldReaders.set(field, reader);
    return reader;
  };

  function makeFieldReader(field: DescField): JsonFieldReader {
    const read = valueReader(field);
    switch (field.fieldKind) {
      case "list":
        return (target, value, path, reading) => {
          if (!Array.isArray(value)) {
            report(reading, path, "INVALID_TYPE", "must be an array");
            return;
          }
          const list = target.get(field);
          for (const [index, element] of value.entries()) {
            const item = readElement(field, read, element, `${path}[${index}]`, reading);
            if (item !== undefined) {
              list.add(item);
            }
          }
        };
      case "map": {
        const parseKey = scalarParser(field.mapKey);
        return (target, value, path, reading) => {
          if (!isJsonObject(value)) {
            report(reading, path, "INVALID_TYPE", "must be an object");
            return;
          }
          const map = target.get(field);
          for (const [name, element] of Object.entries(value)) {
            // Maps are objects, in which this is no key but the prototype.
            const key = name === "__proto__" ? fail("INVALID_VALUE", "cannot be a key") : parseKey(name);
            const entryPath = `${path}[${abbreviate(name)}]`;
            if (!key.ok) {
              report(reading, entryPath, key.failure.reason, key.failure.description);
              continue;
            }
            const item = readElement(field, read, element, entryPath, reading);
            if (item !== undefined) {
              map.set(key.value, item);
            }
          }
        };
      }
      default:
        return (target, value, path, reading) => {
          const item = read(value, path, reading);
          if (item !== undefined) {
            target.set(field, item);
          }
        };
    }
  }

  function valueReader(field: DescField): ValueReader {
    if (field.message !== undefined) {
      const { message } = field;
      return (value, path, reading) => ofMessage(message)(value, path, reading);
    }
    return parsing(field.enum !== undefined ? enumParser(field.enum) : scalarParser(field.scalar));
  }

  const ofMessage = (desc: DescMessage): ValueReader => {
    const reader = messageReaders.get(desc) ?? makeMessageReader(desc);
    messageReaders.set(desc, reader);
    return reader;
  };

  function makeMessageReader(desc: DescMessage): ValueReader {
    const parse = wellKnownTypeParser(desc, "json", registry);
    if (parse !== undefined) {
      const read = parsing(parse);
      return (value, path, reading) => {
        const message = read(value, path, reading);
        return message === undefined ? undefined : reflect(desc, message as Message, false);
      };
    }
    const fields = fieldsByName(desc);
    return (value, path, reading) => {
      if (!isJsonObject(value)) {
        report(reading, path, "INVALID_TYPE", "must be an object");
        return undefined;
      }
      if (reading.depth >= MAX_DEPTH) {
        report(reading, path, "INVALID_VALUE", `is nested too deeply; allowed: ${MAX_DEPTH} messages`);
        return undefined;
      }
      reading.depth += 1;
      const target = reflect(desc, create(desc), false);
      const given = new Set<DescField>();
      for (const [name, member] of Object.entries(value)) {
        const memberPath = `${path}.${abbreviate(name)}`;
        const field = fields.get(name);
        if (field === undefined) {
          if (reading.unknownMembers === "reject") {
            report(reading, memberPath, "UNKNOWN_PARAMETER", `is no field of ${desc.typeName}`);
          }
        } else if (member !== null || takesNull(field)) {
          const conflict = conflictOf(target, field, given);
          given.add(field);
          if (conflict !== undefined) {
            report(reading, memberPath, "CONFLICTING_VALUES", conflict);
          } else {
            ofField(field)(target, member, memberPath, reading);
          }
        }
      }
      reading.depth -= 1;
      return target;
    };
  }

  return { ofField };
}

/** The fields of a message by their proto names and their JSON names. */
export function fieldsByName(desc: DescMessage): ReadonlyMap<string, DescField> {
  return new Map(
    desc.fields.flatMap((field) => [field.jsonName, field.name].map((name) => [name, field] as const)),
  );
}

/** What forbids to give a field: that it was given under its other name, or another field of its oneof. */
function conflictOf(
  target: ReflectMessage,
  field: DescField,
  given: ReadonlySet<DescField>,
): string | undefined {
  if (given.has(field)) {
    return "is given under both of its names";
  }
  const rival = rivalOf(target, field);
  return rival === undefined ? undefined : notTogetherWith(rival);
}

/** The other field of a field's oneof that a message has; undefined where it has none. */
export function rivalOf(target: ReflectMessage, field: DescField): DescField | undefined {
  const chosen = field.oneof && target.oneofCase(field.oneof);
  return chosen === field ? undefined : chosen;
}

/** What is wrong with a field whose oneof has another. */
export function notTogetherWith(rival: DescField): string {
  return `cannot be given together with ${rival.jsonName}`;
}

function parsing(parse: ScalarParser): ValueReader {
  return (value, path, reading) => {
    const parsed = parse(value);
    if (parsed.ok) {
      return parsed.value;
    }
    report(reading, path, parsed.failure.reason, parsed.failure.description);
    return undefined;
  };
}

/** Reads an element of a list or an entry of a map, which ProtoJSON does not allow to be null. */
function readElement(
  field: DescField,
  read: ValueReader,
  value: JsonValue,
  path: string,
  reading: JsonReading,
): unknown {
  if (value === null && !isValueField(field)) {
    report(reading, path, "INVALID_TYPE", "must not be null");
    return undefined;
  }
  return read(value, path, reading);
}

/** Whether null is a value of the field: elsewhere it stands for a field that is not there. */
export function takesNull(field: DescField): boolean {
  return field.fieldKind === "message" && isValueField(field);
}

function isValueField({ message }: DescField): boolean {
  return message?.typeName === "google.protobuf.Value";
}

/** Whether a JSON value is an object. */
export function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function report(reading: JsonReading, field: string, reason: Uppercase<string>, description: string): void {
  addViolation(reading.violations, { field, reason, description });
}
