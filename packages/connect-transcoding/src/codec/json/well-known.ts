import { create, type DescMessage, type Message, type Registry } from "@bufbuild/protobuf";
import { type Any, AnySchema, anyPack } from "@bufbuild/protobuf/wkt";
import { MAX_DEPTH } from "../message-field.js";
import { invalidIn, nestsDeeper, toListValue, toStruct, toValue } from "../struct-form.js";
import { hasOwnForm, notFormOf, typeNameOf, wellKnownTypeParser } from "../value-parser.js";
import { isJsonObject, type JsonData } from "./data.js";
import {
  type JsonReading,
  parsing,
  prefixViolations,
  reportInvalid,
  reportMissing,
  TOO_DEEP,
  type ValueReader,
} from "./reading.js";

/**
 * Returns the reader of a well-known type with a ProtoJSON form of its own; undefined for any other message type.
 * `readerOf` returns the reader of the message in an Any.
 * https://protobuf.dev/programming-guides/json/
 */
export function wellKnownTypeReader(
  desc: DescMessage,
  registry: Registry,
  readerOf: (desc: DescMessage) => ValueReader<Message>,
): ValueReader<Message> | undefined {
  switch (desc.typeName) {
    case "google.protobuf.Any":
      return anyReader(registry, readerOf);
    case "google.protobuf.Struct":
      return structReader(desc, (value) => (isJsonObject(value) ? toStruct(value) : undefined));
    case "google.protobuf.ListValue":
      return structReader(desc, (value) => (Array.isArray(value) ? toListValue(value) : undefined));
    case "google.protobuf.Value":
      return structReader(desc, toValue);
  }
  const parse = wellKnownTypeParser(desc, "json");
  return parse && parsing(parse);
}

/** Returns the reader of a type that represents any JSON; `make` returns undefined for a value of another kind. */
function structReader(
  desc: DescMessage,
  make: (value: JsonData) => Message | undefined,
): ValueReader<Message> {
  const { failure } = notFormOf(desc);
  return (value, reading) => {
    const problem = nestsDeeper(value, MAX_DEPTH - reading.depth) ? TOO_DEEP : invalidIn(value);
    return problem === undefined
      ? (make(value) ?? reportInvalid(reading, failure))
      : reportInvalid(reading, problem);
  };
}

/**
 * Returns the reader of an Any. Besides `@type`, its members are those of the message, or `value` for a message with a
 * ProtoJSON form of its own.
 */
function anyReader(
  registry: Registry,
  readerOf: (desc: DescMessage) => ValueReader<Message>,
): ValueReader<Message> {
  const { failure } = notFormOf(AnySchema);

  return (value, reading) => {
    if (reading.depth >= MAX_DEPTH) {
      return reportInvalid(reading, TOO_DEEP);
    }
    if (!isJsonObject(value)) {
      return reportInvalid(reading, failure);
    }
    const { "@type": typeUrl, ...members } = value;
    if (typeUrl === undefined && Object.keys(members).length === 0) {
      return create(AnySchema);
    }
    const desc = typeof typeUrl === "string" ? registry.getMessage(typeNameOf(typeUrl)) : undefined;
    // What precedes the name of the type can be any text.
    if (typeof typeUrl !== "string" || desc === undefined || invalidIn(typeUrl) !== undefined) {
      return reportInvalid(reading, failure);
    }
    const message = readContent(desc, members, reading);
    return message && pack(typeUrl, desc, message, reading);
  };

  function readContent(
    desc: DescMessage,
    members: Record<string, JsonData>,
    reading: JsonReading,
  ): Message | undefined {
    // Go writes an Empty as such a value, C++, Java and Python do not.
    const canBeWrapped = hasOwnForm(desc) || desc.typeName === "google.protobuf.Empty";
    const isWrapped = canBeWrapped && members.value !== undefined;
    const before = reading.violations.length;
    reading.depth += 1;
    const message = readerOf(desc)(isWrapped ? (members.value ?? null) : members, reading);
    reading.depth -= 1;
    if (isWrapped) {
      prefixViolations(reading.violations, before, ".value");
    }
    return reading.violations.length > before ? undefined : message;
  }

  function pack(typeUrl: string, desc: DescMessage, message: Message, reading: JsonReading) {
    const any: Any = create(AnySchema);
    try {
      anyPack(desc, message, any);
    } catch {
      return reportMissing(reading, desc, message);
    }
    any.typeUrl = typeUrl;
    return any;
  }
}
