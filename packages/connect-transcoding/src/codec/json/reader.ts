import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  type Message,
  type Registry,
  setExtension,
} from "@bufbuild/protobuf";
import { knownOptions, type OptionNames } from "@utility-tools/http-server/portable";
import { type FieldViolation, invalidArgument } from "../../errors/errors.js";
import { abbreviate, MAX_GATHERED, malformed } from "../../errors/http-error.js";
import {
  type ExtensionField,
  type ExtensionHolder,
  fieldWriter,
  findExtension,
  MAX_DEPTH,
  rivalOf,
} from "../message-field.js";
import { enumParser, hasOwnForm, scalarParser } from "../value-parser.js";
import { isJsonObject, type JsonData, type JsonDataObject } from "./data.js";
import { hasValue, isDuplicate, isValueField, type Member, membersByName, takesNull } from "./members.js";
import { parseJson } from "./parser.js";
import {
  type JsonReading,
  parsing,
  prefixViolations,
  report,
  reportInvalid,
  reportMissing,
  TOO_DEEP,
  type ValueReader,
} from "./reading.js";
import { wellKnownTypeReader } from "./well-known.js";

/** Reads the JSON value of a field and sets the field in a message. Reports invalid values and leaves them out. */
export type JsonFieldReader = (target: Message, value: JsonData, reading: JsonReading) => void;

/** Readers, created once per field and on demand, because messages can contain themselves. */
export interface JsonReaders {
  /** The reader of a field, or of an extension that {@link findExtension} has found. */
  ofField(field: DescField | ExtensionField): JsonFieldReader;
  /** The reader of whole messages. */
  ofMessage(desc: DescMessage): ValueReader<Message>;
}

/**
 * Creates readers of ProtoJSON that report all violations, each with its path (`book.author_names[1]`) and without the
 * value. `fromJson` of protobuf-es stops at the first one and quotes the value.
 * https://protobuf.dev/programming-guides/json/
 */
export function createJsonReaders(registry: Registry): JsonReaders {
  const fieldReaders = new Map<DescField, JsonFieldReader>();
  const messageReaders = new Map<DescMessage, ValueReader<Message>>();

  const ofField = (field: DescField | ExtensionField): JsonFieldReader => {
    const reader =
      fieldReaders.get(field) ?? ("extension" in field ? makeExtensionReader(field) : makeFieldReader(field));
    fieldReaders.set(field, reader);
    return reader;
  };

  function makeExtensionReader(field: ExtensionField): JsonFieldReader {
    const read = makeFieldReader(field);
    return (target, value, reading) => {
      const holder: ExtensionHolder = {
        $typeName: target.$typeName,
        value: field.fieldKind === "list" ? [] : undefined,
      };
      read(holder, value, reading);
      if (holder.value === undefined) {
        return;
      }
      try {
        setExtension(target, field.extension, holder.value);
      } catch {
        for (const message of [holder.value].flat() as Message[]) {
          reportMissing(reading, field.message ?? field.parent, message);
        }
      }
    };
  }

  function makeFieldReader(field: DescField): JsonFieldReader {
    const read = valueReader(field);
    const write = fieldWriter(field);
    switch (field.fieldKind) {
      case "list":
        return listReader(field, read, write);
      case "map":
        return mapReader(field, read, write);
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
    return field.enum !== undefined ? enumReader(field.enum) : parsing(scalarParser(field.scalar, "json"));
  }

  const ofMessage = (desc: DescMessage): ValueReader<Message> => {
    const reader = messageReaders.get(desc) ?? makeMessageReader(desc);
    messageReaders.set(desc, reader);
    return reader;
  };

  function makeMessageReader(desc: DescMessage): ValueReader<Message> {
    const read = wellKnownTypeReader(desc, registry, ofMessage);
    if (read !== undefined) {
      return read;
    }
    const members = membersByName(desc);
    return (value, reading) => {
      if (!isJsonObject(value)) {
        report(reading, "INVALID_TYPE", "must be an object");
        return undefined;
      }
      if (reading.depth >= MAX_DEPTH) {
        return reportInvalid(reading, TOO_DEEP);
      }
      reading.depth += 1;
      const target = create(desc);
      for (const name of Object.keys(value)) {
        const before = reading.violations.length;
        if (before >= MAX_GATHERED) {
          break;
        }
        const member = members.get(name) ?? extensionMember(desc, name);
        if (member !== undefined) {
          readMember(target, value, name, member, reading);
        } else if (reading.unknownMembers === "reject") {
          report(reading, "UNKNOWN_PARAMETER", `is not a field of ${desc.typeName}`);
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
    object: JsonDataObject,
    name: string,
    member: Member,
    reading: JsonReading,
  ): void {
    const value = object[name];
    if (value === undefined || !hasValue(member, value)) {
      return;
    }
    if (isDuplicate(object, name, member)) {
      report(reading, "CONFLICTING_VALUES", "is given under both names");
      return;
    }
    const rival = rivalOf(target, member.field);
    if (rival !== undefined) {
      report(reading, "CONFLICTING_VALUES", conflictsWith(rival));
      return;
    }
    ofField(member.field)(target, value, reading);
  }

  function extensionMember(desc: DescMessage, name: string): Member | undefined {
    const field = findExtension(registry, desc, name);
    return field && { field, alias: undefined, takesNull: takesNull(field) };
  }

  return { ofField, ofMessage };
}

type MapField = Extract<DescField, { readonly fieldKind: "map" }>;

/** Sets one value of a field; `key` is that of a map entry. */
type FieldWriter = ReturnType<typeof fieldWriter>;

function listReader(field: DescField, read: ValueReader, write: FieldWriter): JsonFieldReader {
  return (target, value, reading) => {
    if (!Array.isArray(value)) {
      report(reading, "INVALID_TYPE", "must be an array");
      return;
    }
    for (const [index, element] of value.entries()) {
      const before = reading.violations.length;
      if (before >= MAX_GATHERED) {
        break;
      }
      const item = readElement(field, read, element, reading);
      if (reading.violations.length > before) {
        prefixViolations(reading.violations, before, `[${index}]`);
      }
      if (item !== undefined) {
        write(target, item);
      }
    }
  };
}

function mapReader(field: MapField, read: ValueReader, write: FieldWriter): JsonFieldReader {
  const parseKey = scalarParser(field.mapKey, "text");
  return (target, value, reading) => {
    if (!isJsonObject(value)) {
      report(reading, "INVALID_TYPE", "must be an object");
      return;
    }
    // Two texts can be one key: `1` and `01`.
    const keys = new Set<unknown>();
    for (const [name, element] of Object.entries(value)) {
      const before = reading.violations.length;
      const key = parseKey(name);
      if (!key.ok) {
        reportInvalid(reading, key.failure);
      } else if (keys.has(key.value)) {
        report(reading, "CONFLICTING_VALUES", "is a key that is given twice");
      } else {
        keys.add(key.value);
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

/** Returns the reader of an enum. Unknown names are ignored if unknown members are. */
function enumReader(desc: DescEnum): ValueReader {
  const parse = enumParser(desc);
  const read = parsing(parse);
  return (value, reading) =>
    reading.unknownMembers === "ignore" && typeof value === "string" && !parse(value).ok
      ? undefined
      : read(value, reading);
}

/** The description of a violation: another field of the oneof is set. */
export function conflictsWith(rival: DescField): string {
  return `cannot be given together with ${rival.jsonName}`;
}

/** Reads a list element or a map value, which must not be null in ProtoJSON. */
function readElement(field: DescField, read: ValueReader, value: JsonData, reading: JsonReading): unknown {
  if (value === null && !isValueField(field)) {
    report(reading, "INVALID_TYPE", "must not be null");
    return undefined;
  }
  return read(value, reading);
}

/** Options for reading JSON. */
export interface JsonReadingOptions {
  /** How to treat unknown members of objects, and unknown names of enum values. */
  readonly unknownParameters: "reject" | "ignore";
  /** Resolves extensions, and the types in `google.protobuf.Any`. */
  readonly registry: Registry;
}

/** The names of {@link JsonReadingOptions}. */
export const READING_OPTIONS: OptionNames<JsonReadingOptions> = { unknownParameters: true, registry: true };

/**
 * Returns a function that reads a message from JSON in UTF-8. It throws a ConnectError with all violations: by path, and
 * without repeating a value. An empty body is not JSON.
 */
export function createJsonMessageReader(
  desc: DescMessage,
  options: JsonReadingOptions,
): (json: Uint8Array) => Message {
  const { registry, unknownParameters } = knownOptions("createJsonMessageReader", options, READING_OPTIONS);
  const read = createJsonReaders(registry).ofMessage(desc);
  return (json) => {
    const value = parseJson(json);
    if (!isJsonObject(value) && !hasOwnForm(desc)) {
      throw malformed("MALFORMED_BODY", "the body must be a JSON object");
    }
    const violations: FieldViolation[] = [];
    const message = read(value, { unknownMembers: unknownParameters, violations, depth: 0 });
    if (message === undefined || violations.length > 0) {
      throw invalidArgument(violations.toSorted(unknownFirst).map(withoutDot));
    }
    return message;
  };
}

/** Sorts unknown members of the whole message before other violations, as over REST. */
function unknownFirst(a: FieldViolation, b: FieldViolation): number {
  return Number(isUnknownMember(b)) - Number(isUnknownMember(a));
}

function isUnknownMember({ reason, field }: FieldViolation): boolean {
  return reason === "UNKNOWN_PARAMETER" && field.lastIndexOf(".") === 0;
}

/** The path of a member begins with a dot, which the path from the whole message does not have. */
function withoutDot(violation: FieldViolation): FieldViolation {
  return { ...violation, field: violation.field.replace(/^\./, "") };
}
