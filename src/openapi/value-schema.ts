import { type DescEnum, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { type Direction, enumNames } from "./field-surface.js";
import type { Schema } from "./open-api.js";

/** The schema of a scalar's ProtoJSON. https://protobuf.dev/programming-guides/json/ */
export function scalarSchema(scalar: ScalarType): Schema {
  switch (scalar) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.DOUBLE:
      return { type: "number", format: "double" };
    case ScalarType.FLOAT:
      return { type: "number", format: "float" };
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return { type: "integer", format: "int32" };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: "integer", minimum: 0, maximum: 2 ** 32 - 1 };
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return { type: "string", format: "int64", pattern: "^-?[0-9]+$" };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { type: "string", format: "uint64", pattern: "^[0-9]+$" };
  }
}

/** The schema of an enum: the names of its values. */
export function enumSchema(desc: DescEnum, direction: Direction): Schema {
  if (desc.typeName === "google.protobuf.NullValue") {
    return { type: "null" };
  }
  return { type: "string", enum: [...enumNames(desc, direction).keys()] };
}

/** The schema of a message type with a ProtoJSON form of its own; undefined for one that is an ordinary object. */
export function wellKnownSchema(desc: DescMessage): Schema | undefined {
  if (isWrapperDesc(desc)) {
    const { type, ...rest } = scalarSchema(desc.fields[0].scalar);
    return { type: typeof type === "string" ? [type, "null"] : "null", ...rest };
  }
  return WELL_KNOWN.get(desc.typeName);
}

const WELL_KNOWN: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ["google.protobuf.Timestamp", { type: "string", format: "date-time" }],
  ["google.protobuf.Duration", { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" }],
  ["google.protobuf.FieldMask", { type: "string" }],
  ["google.protobuf.Empty", { type: "object" }],
  ["google.protobuf.Struct", { type: "object" }],
  ["google.protobuf.ListValue", { type: "array" }],
  ["google.protobuf.Value", {}],
  [
    "google.protobuf.Any",
    { type: "object", properties: { "@type": { type: "string" } }, required: ["@type"] },
  ],
]);

/** A description, where there is one. */
export function describedBy(description: string): { readonly description?: string } {
  return description === "" ? {} : { description };
}
