import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import type { FieldDocs } from "../../../gen/connecttranscoding/v1/options_pb.js";
import type { JsonForm } from "../../codec/json/form.js";
import { NULL_VALUE } from "../../codec/value-parser.js";
import { fieldDocsOf } from "../../proto-options.js";
import { enumForms, isDeprecated, jsonOf, SPECIAL_NUMBERS } from "../documentation.js";
import type { Schema } from "../open-api.js";
import { type Direction, isRequired } from "./google-annotations.js";

/** The documented limits, default and example of a field. */
export function limitsOf(field: DescField, direction: Direction, json: JsonForm): Schema {
  const docs = fieldDocsOf(field);
  const { maxLength, minimum, maximum, allowedValues, defaultValue, formats, pattern, example } = docs;
  const minLength = minLengthOf(field, docs, direction);
  const allowed = allowedValues.map((text) => jsonOf(field, text, json));
  const [format, ...otherFormats] = formats;
  return {
    ...(minLength > 0 ? { minLength } : {}),
    ...(maxLength > 0 ? { maxLength } : {}),
    ...(minimum === undefined ? {} : { minimum: checkedLimit(field, minimum) }),
    ...(maximum === undefined ? {} : { maximum: checkedLimit(field, maximum) }),
    ...(pattern === "" ? {} : { pattern: checkedPattern(field, pattern) }),
    ...(allowed.length > 0 ? { enum: allowed } : {}),
    // Each alternative has the type, because many generators read only the alternatives.
    ...(otherFormats.length > 0 ? { anyOf: formats.map((each) => ({ type: "string", format: each })) } : {}),
    ...(format !== undefined && otherFormats.length === 0 ? { format } : {}),
    ...(defaultValue === "" || direction === "response"
      ? {}
      : { default: jsonOf(field, defaultValue, json) }),
    ...(example === "" ? {} : { examples: [jsonOf(field, example, json)] }),
  };
}

/** The minimum length of a text. A required text is not empty in requests; for a list, its elements may be. */
function minLengthOf(
  field: DescField,
  { minLength, required, allowedValues }: FieldDocs,
  direction: Direction,
): number {
  const isText = field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
  const mayBeEmpty = !required || direction === "response" || allowedValues.length > 0;
  return minLength === 0 && isText && !mayBeEmpty ? 1 : minLength;
}

/** Returns a limit unchanged. Throws an Error with the name of the field if its values are not numbers in JSON. */
function checkedLimit(field: DescField, limit: number): number {
  if (typeof jsonOf(field, String(limit)) !== "number") {
    throw new Error(
      `${field.parent.typeName}.${field.name}: ${limit} limits values that are not numbers in JSON`,
    );
  }
  return limit;
}

/** Returns a regular expression unchanged. Throws an Error with the name of the field if ECMA-262 does not allow it. */
function checkedPattern(field: DescField, pattern: string): string {
  try {
    // JSON Schema recommends the flag (2020-12, section 6.4).
    new RegExp(pattern, "u");
  } catch (cause) {
    throw new Error(`${field.parent.typeName}.${field.name}: '${pattern}' is not a regular expression`, {
      cause,
    });
  }
  return pattern;
}

/** The number of elements of a list; a required one has at least one. */
export function itemLimitsOf(field: DescField, direction: Direction): Schema {
  const { maxItems } = fieldDocsOf(field);
  return {
    ...(direction === "request" && isRequired(field, direction, {}) ? { minItems: 1 } : {}),
    ...(maxItems > 0 ? { maxItems } : {}),
  };
}

/**
 * The schema of a scalar in ProtoJSON. Without `onlyFinite`, a `float` or `double` can be one of three texts as well. Where 64-bit
 * integers are numbers, those that a number does not hold exactly are texts.
 * https://protobuf.dev/programming-guides/json/
 */
function scalarSchema(scalar: ScalarType, { longs }: JsonForm, onlyFinite = false): Schema {
  const long = longs === "numbers" ? ["integer", "string"] : "string";
  switch (scalar) {
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.DOUBLE:
      return floatingSchema("double", onlyFinite);
    case ScalarType.FLOAT:
      return floatingSchema("float", onlyFinite);
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
      return { type: long, format: "int64", pattern: "^-?[0-9]+$" };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return {
        type: long,
        format: "uint64",
        pattern: "^[0-9]+$",
        ...(longs === "numbers" ? { minimum: 0 } : {}),
      };
  }
}

function floatingSchema(format: string, onlyFinite: boolean): Schema {
  const number: Schema = { type: "number", format };
  return onlyFinite ? number : { anyOf: [number, { type: "string", enum: SPECIAL_NUMBERS }] };
}

/** The schema of the values of a field that is a scalar. One with documented limits or values is finite. */
export function scalarFieldSchema(
  field: DescField & { readonly scalar: ScalarType },
  json: JsonForm,
  finite = false,
): Schema {
  const { minimum, maximum, allowedValues } = fieldDocsOf(field);
  const onlyFinite = finite || minimum !== undefined || maximum !== undefined || allowedValues.length > 0;
  return scalarSchema(field.scalar, json, onlyFinite);
}

/** The schema of an enum: the names of its values, or their numbers. `allows` excludes some. */
export function enumSchema(
  desc: DescEnum,
  direction: Direction,
  json: JsonForm,
  allows: (number: number) => boolean = () => true,
): Schema {
  if (desc.typeName === NULL_VALUE) {
    return { type: "null" };
  }
  return {
    type: json.enums === "numbers" ? "integer" : "string",
    enum: [...enumForms(desc, direction, json)].flatMap(([form, { number }]) =>
      allows(number) ? [form] : [],
    ),
    ...(isDeprecated(desc) ? { deprecated: true } : {}),
  };
}

/** The schema of a well-known type with a ProtoJSON form of its own; undefined for any other message type. */
export function wellKnownSchema(desc: DescMessage, json: JsonForm): Schema | undefined {
  if (isWrapperDesc(desc)) {
    return nullable(scalarSchema(desc.fields[0].scalar, json));
  }
  return WELL_KNOWN.get(desc.typeName);
}

/** A schema that also allows null. */
export function nullable(schema: Schema): Schema {
  const { type, anyOf } = schema;
  if (Array.isArray(type)) {
    return type.includes("null") ? schema : { ...schema, type: [...type, "null"] };
  }
  if (type === "null" || Object.keys(schema).length === 0) {
    return schema;
  }
  if (typeof type === "string" && anyOf === undefined && schema.enum === undefined) {
    return { ...schema, type: [type, "null"] };
  }
  return type === undefined && anyOf !== undefined
    ? { ...schema, anyOf: [...anyOf, { type: "null" }] }
    : { anyOf: [schema, { type: "null" }] };
}

const WELL_KNOWN: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ["google.protobuf.Timestamp", { type: "string", format: "date-time" }],
  ["google.protobuf.Duration", { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" }],
  ["google.protobuf.FieldMask", { type: "string" }],
  ["google.protobuf.Struct", { type: "object" }],
  ["google.protobuf.ListValue", { type: "array", items: {} }],
  ["google.protobuf.Value", {}],
  // An empty one has no type.
  ["google.protobuf.Any", { type: "object", properties: { "@type": { type: "string" } } }],
]);
