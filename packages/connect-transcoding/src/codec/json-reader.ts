import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
} from "@bufbuild/protobuf";
import type { FieldViolation } from "../errors/errors.js";
import { abbreviate, addViolation } from "../errors/http-error.js";
import { isJsonObject } from "./json-parser.js";
import { fieldWriter, MAX_DEPTH, rivalOf } from "./message-field.js";
import { enumParser, invalid, scalarParser, type ValueParser, wellKnownTypeParser } from "./value-parser.js";

/** The state of reading one value. */
export interface JsonReading {
  /** What to do with members that are not fields. */
  readonly unknownMembers: "reject" | "ignore";
  /**
   * All violations so far, in the order of the text. The `field` of a violation is relative to the value being read; the
   * reader of the enclosing value prepends its own part ({@link prefixViolations}).
   */
  readonly violations: FieldViolation[];
  /** The number of messages around the value being read. */
  depth: number;
}

/** Reads the JSON value of a field and sets the field in a message. Reports invalid values and leaves them out. */
export type JsonFieldReader = (target: Message, value: JsonValue, reading: JsonReading) => void;

/** Reads one value. Returns undefined for an invalid one, which is reported, and for one to ignore. */
type ValueReader = (value: JsonValue, reading: JsonReading) => unknown;

/** Readers, created once per field and on demand, because messages can contain themselves. */
export interface JsonReaders {
  ofField(field: DescField): JsonFieldReader;
  /** The reader of whole messages. */
  ofMessage(desc: DescMessage): ValueReader;
}

/**
 * Creates readers of ProtoJSON that report all violations, each with its path (`book.author_names[1]`) and without the
 * value. `fromJson` of protobuf-es stops at the first one and quotes the value.
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
    const write = fieldWriter(field);
    switch (field.fieldKind) {
      case "list":
        return (target, value, reading) => {
          if (!Array.isArray(value)) {
            report(reading, "INVALID_TYPE", "must be an array");
            return;
          }
          for (const [index, element] of value.entries()) {
            const before = reading.violations.length;
            const item = readElement(field, read, element, reading);
            if (reading.violations.length > before) {
              prefixViolations(reading.violations, before, `[${index}]`);
            }
            if (item !== undefined) {
              write(target, item);
            }
          }
        };
      case "map": {
        const parseKey = scalarParser(field.mapKey);
        return (target, value, reading) => {
          if (!isJsonObject(value)) {
            report(reading, "INVALID_TYPE", "must be an object");
            return;
          }
          for (const [name, element] of Object.entries(value)) {
            const before = reading.violations.length;
            // In an object, this name is the prototype, not a key.
            const key = name === "__proto__" ? invalid("INVALID_VALUE", "cannot be a key") : parseKey(name);
            if (!key.ok) {
              report(reading, key.failure.reason, key.failure.description);
            } else {
              const item = readElement(field, read, element, reading);
              if (item !== undefined) {
                write(target, item, key.value);
              }
            }
            if (reading.violations.length > before) {
              prefixViolations(reading.violations, before, `[${abbreviate(name)}]`);
            }
          }
        };
      }
      default:
        return (target, value, reading) => {
          const item = read(value, reading);
          if (item !== undefined) {
            write(target, item);
          }
        };
    }
  }

  function valueReader(field: DescField): ValueReader {
    if (field.message !== undefined) {
      return ofMessage(field.message);
    }
    return field.enum !== undefined ? enumReader(field.enum) : parsing(scalarParser(field.scalar));
  }

  const ofMessage = (desc: DescMessage): ValueReader => {
    const reader = messageReaders.get(desc) ?? makeMessageReader(desc);
    messageReaders.set(desc, reader);
    return reader;
  };

  function makeMessageReader(desc: DescMessage): ValueReader {
    const parse = wellKnownTypeParser(desc, "json", registry);
    if (parse !== undefined) {
      const lenient = wellKnownTypeParser(desc, "json", registry, true) ?? parse;
      const [strictly, leniently] = [parsing(parse), parsing(lenient)];
      return (value, reading) => (reading.unknownMembers === "ignore" ? leniently : strictly)(value, reading);
    }
    const members = membersByName(desc);
    return (value, reading) => {
      if (!isJsonObject(value)) {
        report(reading, "INVALID_TYPE", "must be an object");
        return undefined;
      }
      if (reading.depth >= MAX_DEPTH) {
        report(reading, "INVALID_VALUE", `is nested too deeply; allowed: ${MAX_DEPTH} messages`);
        return undefined;
      }
      reading.depth += 1;
      const target = create(desc);
      for (const name of Object.keys(value)) {
        const before = reading.violations.length;
        const member = members.get(name);
        if (member !== undefined) {
          readMember(target, value, name, member, reading);
        } else if (reading.unknownMembers === "reject") {
          report(reading, "UNKNOWN_PARAMETER", `is no field of ${desc.typeName}`);
        }
        if (reading.violations.length > before) {
          prefixViolations(reading.violations, before, `.${abbreviate(name)}`);
        }
      }
      reading.depth -= 1;
      return target;
    };
  }

  function readMember(
    target: Message,
    object: JsonObject,
    name: string,
    member: Member,
    reading: JsonReading,
  ): void {
    const value = object[name];
    if (value === undefined || !hasValue(member, value)) {
      return;
    }
    if (isDuplicate(object, name, member)) {
      report(reading, "CONFLICTING_VALUES", "is given under both of its names");
      return;
    }
    const rival = rivalOf(target, member.field);
    if (rival !== undefined) {
      report(reading, "CONFLICTING_VALUES", conflictsWith(rival));
      return;
    }
    ofField(member.field)(target, value, reading);
  }

  return { ofField, ofMessage };
}

/** The description of a violation: another field of the oneof is set. */
export function conflictsWith(rival: DescField): string {
  return `cannot be given together with ${rival.jsonName}`;
}

function parsing(parse: ValueParser): ValueReader {
  return (value, reading) => {
    const parsed = parse(value);
    if (parsed.ok) {
      return parsed.value;
    }
    report(reading, parsed.failure.reason, parsed.failure.description);
    return undefined;
  };
}

/** Reads an enum. Unknown names are ignored where unknown members are, as in ProtoJSON. */
function enumReader(desc: DescEnum): ValueReader {
  const parse = enumParser(desc);
  const read = parsing(parse);
  return (value, reading) =>
    reading.unknownMembers === "ignore" && typeof value === "string" && !parse(value).ok
      ? undefined
      : read(value, reading);
}

/** Reads a list element or a map value, which must not be null in ProtoJSON. */
function readElement(field: DescField, read: ValueReader, value: JsonValue, reading: JsonReading): unknown {
  if (value === null && !isValueField(field)) {
    report(reading, "INVALID_TYPE", "must not be null");
    return undefined;
  }
  return read(value, reading);
}

/** Prepends `prefix` to the field of each violation from index `start` on. */
export function prefixViolations(violations: FieldViolation[], start: number, prefix: string): void {
  for (const [index, violation] of violations.slice(start).entries()) {
    violations[start + index] = { ...violation, field: `${prefix}${violation.field}` };
  }
}

/** Adds a violation of the value being read. */
function report(reading: JsonReading, reason: Uppercase<string>, description: string): void {
  addViolation(reading.violations, { field: "", reason, description });
}

/** The field that a member of a JSON object sets. */
interface Member {
  readonly field: DescField;
  /** The other name of the field; undefined where proto name and JSON name are the same. */
  readonly alias: string | undefined;
  readonly takesNull: boolean;
}

/** The members of the JSON object of a message, by name. */
function membersByName(desc: DescMessage): ReadonlyMap<string, Member> {
  const fields = fieldsByName(desc);
  return new Map(
    [...fields].map(([name, field]) => {
      const alias = [field.name, field.jsonName].find((each) => each !== name && fields.get(each) === field);
      return [name, { field, alias, takesNull: takesNull(field) }];
    }),
  );
}

/** Whether a member has a value: in ProtoJSON, null means an absent field. */
function hasValue(member: Member, value: JsonValue): boolean {
  return value !== null || member.takesNull;
}

/** Whether an earlier member of an object sets the same field under its other name. */
function isDuplicate(object: JsonObject, name: string, member: Member): boolean {
  const { alias } = member;
  if (alias === undefined || !Object.hasOwn(object, alias)) {
    return false;
  }
  const names = Object.keys(object);
  return names.indexOf(alias) < names.indexOf(name) && hasValue(member, object[alias] ?? null);
}

/** The fields of a message by proto name and by JSON name. */
export function fieldsByName(desc: DescMessage): ReadonlyMap<string, DescField> {
  return new Map(
    desc.fields.flatMap((field) => [field.jsonName, field.name].map((name) => [name, field] as const)),
  );
}

/** Whether null is a value of the field; for other fields it means that the field is absent. */
export function takesNull(field: DescField): boolean {
  return field.fieldKind === "message" && isValueField(field);
}

/** Whether the elements of a field can be null. */
function isValueField({ message }: DescField): boolean {
  return message?.typeName === "google.protobuf.Value";
}
