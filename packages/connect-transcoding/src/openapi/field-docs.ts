import {
  create,
  type DescEnum,
  type DescField,
  getOption,
  hasOption,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import {
  type FieldDocs,
  FieldDocsSchema,
  http_field as fieldDocsOption,
  http_value as httpValueOption,
} from "../../gen/connecttranscoding/v1/options_pb.js";

/** Which way a message goes: its JSON is not the same in requests, where more is accepted, and in answers. */
export type Direction = "request" | "answer";

/** What is said of a field beyond its type. */
export function fieldDocs(field: DescField): FieldDocs {
  return hasOption(field, fieldDocsOption) ? getOption(field, fieldDocsOption) : create(FieldDocsSchema);
}

/** The names of an enum's values, with the values: in requests those that are made for HTTP, if there are any. */
export function enumNames(desc: DescEnum, direction: Direction): Map<string, DescEnum["values"][number]> {
  const named = desc.values.flatMap((value) =>
    hasOption(value, httpValueOption) ? [[getOption(value, httpValueOption), value] as const] : [],
  );
  return direction === "request" && named.length > 0
    ? new Map(named)
    : new Map(desc.values.map((value) => [value.name, value]));
}

/**
 * A value of a field, given as text, as its JSON. Throws an Error that names the field for a text that is no JSON where
 * its type needs that.
 */
export function jsonOf(field: DescField, text: string): JsonValue {
  if (field.enum !== undefined || isWrittenAsText(field)) {
    return text;
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${field.parent.typeName}.${field.name}: '${text}' is no value of this field`, { cause });
  }
}

const TEXT_SCALARS: ReadonlySet<ScalarType> = new Set([
  ScalarType.STRING,
  ScalarType.BYTES,
  // ProtoJSON: integers of 64 bits are strings, for JSON's numbers lose digits.
  ScalarType.INT64,
  ScalarType.SINT64,
  ScalarType.SFIXED64,
  ScalarType.UINT64,
  ScalarType.FIXED64,
]);

const TEXT_MESSAGES: ReadonlySet<string> = new Set(
  ["Timestamp", "Duration", "FieldMask", "StringValue", "BytesValue", "Int64Value", "UInt64Value"].map(
    (name) => `google.protobuf.${name}`,
  ),
);

function isWrittenAsText({ scalar, message }: DescField): boolean {
  return message === undefined
    ? scalar !== undefined && TEXT_SCALARS.has(scalar)
    : TEXT_MESSAGES.has(message.typeName);
}
