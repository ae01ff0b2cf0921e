import {
  create,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
} from "@bufbuild/protobuf";
import type { FieldViolation } from "../errors/errors.js";
import { abbreviate, addViolation } from "../errors/http-error.js";
import { fail } from "../result.js";
import { MAX_DEPTH } from "../rules/field-path.js";
import {
  isGiven,
  isGivenBefore,
  isJsonObject,
  isValueField,
  type Member,
  membersByName,
} from "./json-object.js";
import { fieldWriter, rivalOf } from "./message-field.js";
import { enumParser, type ScalarParser, scalarParser } from "./scalar-value.js";
import { wellKnownTypeParser } from "./well-known-types.js";

/** What reading goes by, and where it puts what is wrong. */
export interface JsonReading {
  /** What to do with members of objects that are no fields. */
  readonly unknownMembers: "reject" | "ignore";
  /**
   * Everything that is wrong, in the order of the text. Whoever reads a part says where it is once something was wrong in
   * it ({@link locateViolations}); until then, a violation's field is the way down from there.
   */
  readonly violations: FieldViolation[];
  /** How many messages what is read now is inside of. */
  depth: number;
}

/**
 * Reads the JSON value of a field and sets the field in a message. What is wrong goes to `reading.violations`, and is left
 * out of the message.
 */
export type JsonFieldReader = (target: Message, value: JsonValue, reading: JsonReading) => void;

/** Reads one value; undefined when something is wrong with it. */
type ValueReader = (value: JsonValue, reading: JsonReading) => unknown;

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
              locateViolations(reading.violations, before, `[${index}]`);
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
            // Maps are objects, in which this is no key but the prototype.
            const key = name === "__proto__" ? fail("INVALID_VALUE", "cannot be a key") : parseKey(name);
            if (!key.ok) {
              report(reading, key.failure.reason, key.failure.description);
            } else {
              const item = readElement(field, read, element, reading);
              if (item !== undefined) {
                write(target, item, key.value);
              }
            }
            if (reading.violations.length > before) {
              locateViolations(reading.violations, before, `[${abbreviate(name)}]`);
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
      return parsing(parse);
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
          locateViolations(reading.violations, before, `.${abbreviate(name)}`);
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
    if (value === undefined || !isGiven(member, value)) {
      return;
    }
    if (isGivenBefore(object, name, member)) {
      report(reading, "CONFLICTING_VALUES", "is given under both of its names");
      return;
    }
    const rival = rivalOf(target, member.field);
    if (rival !== undefined) {
      report(reading, "CONFLICTING_VALUES", notTogetherWith(rival));
      return;
    }
    ofField(member.field)(target, value, reading);
  }

  return { ofField };
}

/** What is wrong with a field whose oneof has another. */
export function notTogetherWith(rival: DescField): string {
  return `cannot be given together with ${rival.jsonName}`;
}

function parsing(parse: ScalarParser): ValueReader {
  return (value, reading) => {
    const parsed = parse(value);
    if (parsed.ok) {
      return parsed.value;
    }
    report(reading, parsed.failure.reason, parsed.failure.description);
    return undefined;
  };
}

/** Reads an element of a list or an entry of a map, which ProtoJSON does not allow to be null. */
function readElement(field: DescField, read: ValueReader, value: JsonValue, reading: JsonReading): unknown {
  if (value === null && !isValueField(field)) {
    report(reading, "INVALID_TYPE", "must not be null");
    return undefined;
  }
  return read(value, reading);
}

/** Puts the way to a part before the fields of the violations, from `start` on, that were found in it. */
export function locateViolations(violations: FieldViolation[], start: number, way: string): void {
  for (const [index, violation] of violations.slice(start).entries()) {
    violations[start + index] = { ...violation, field: `${way}${violation.field}` };
  }
}

/** Tells of something that is wrong with what is read now. */
function report(reading: JsonReading, reason: Uppercase<string>, description: string): void {
  addViolation(reading.violations, { field: "", reason, description });
}
