import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { fieldDocsOf } from "../rules/method-options.js";
import { type Direction, enumNames, jsonOf } from "./documentation.js";
import type { Schema } from "./open-api.js";

/** The documented limits, default and example of a field. */
export function limitsOf(field: DescField, direction: Direction): Schema {
  const { minLength, maxLength, minimum, maximum, pattern, formats, ...values } = fieldDocsOf(field);
  const { allowedValues, defaultValue, example } = values;
  const allowed = allowedValues.map((text) => jsonOf(field, text));
  const [format, ...otherFormats] = formats;
  return {
    ...(minLength > 0 ? { minLength } : {}),
    ...(maxLength > 0 ? { maxLength } : {}),
    ...(minimum === "" ? {} : { minimum: numberOf(field, minimum) }),
    ...(maximum === "" ? {} : { maximum: numberOf(field, maximum) }),
    ...(pattern === "" ? {} : { pattern: checkedPattern(field, pattern) }),
    ...(allowed.length > 0 ? { enum: allowed } : {}),
    // Each alternative has the type, because many generators read only the alternatives.
    ...(otherFormats.length > 0 ? { anyOf: formats.map((each) => ({ type: "string", format: each })) } : {}),
    ...(format !== undefined && otherFormats.length === 0 ? { format } : {}),
    ...(defaultValue === "" || direction === "response" ? {} : { default: jsonOf(field, defaultValue) }),
    ...(example === "" ? {} : { examples: [jsonOf(field, example)] }),
  };
}

/** Returns the number that a text stands for. Throws an Error that names the field if its values are no numbers in JSON. */
function numberOf(field: DescField, text: string): number {
  const value = jsonOf(field, text);
  if (typeof value !== "number") {
    throw new Error(
      `${field.parent.typeName}.${field.name}: '${text}' limits values that are no numbers in JSON`,
    );
  }
  return value;
}

/** Returns a regular expression as it is. Throws an Error that names the field if ECMA-262 does not allow it. */
function checkedPattern(field: DescField, pattern: string): string {
  try {
    // JSON Schema recommends the flag (2020-12, section 6.4).
    new RegExp(pattern, "u");
  } catch (cause) {
    throw new Error(`${field.parent.typeName}.${field.name}: '${pattern}' is no regular expression`, {
      cause,
    });
  }
  return pattern;
}

/** The number of elements of a list; a required one has at least one. */
export function itemLimitsOf(field: DescField, direction: Direction): Schema {
  const { required, maxItems } = fieldDocsOf(field);
  return {
    ...(required && direction === "request" ? { minItems: 1 } : {}),
    ...(maxItems > 0 ? { maxItems } : {}),
  };
}

/** The schema of a scalar in ProtoJSON. https://protobuf.dev/programming-guides/json/ */
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

/** The schema of a well-known type with a ProtoJSON form of its own; undefined for any other message type. */
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
  ["google.protobuf.Struct", { type: "object" }],
  ["google.protobuf.ListValue", { type: "array" }],
  ["google.protobuf.Value", {}],
  [
    "google.protobuf.Any",
    { type: "object", properties: { "@type": { type: "string" } }, required: ["@type"] },
  ],
]);
