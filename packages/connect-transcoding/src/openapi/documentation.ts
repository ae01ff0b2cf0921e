import {
  type DescEnum,
  type DescEnumValue,
  type DescField,
  type DescMessage,
  type DescMethod,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import type { JsonForm } from "../codec/json/form.js";
import { enumValueName } from "../proto-options.js";
import type { Direction } from "./schemas/google-annotations.js";

/**
 * The values of an enum by their names over REST: the `http_value`, or else the name in the proto file. Requests of an enum with
 * an `http_value` have only values with one.
 */
export function enumNames(desc: DescEnum, direction: Direction): Map<string, DescEnumValue> {
  const named = desc.values.filter((value) => enumValueName(value) !== undefined);
  const values = direction === "request" && named.length > 0 ? named : desc.values;
  return new Map(values.map((value) => [enumValueName(value) ?? value.name, value]));
}

/** The values of an enum by their JSON in a form. Of several names of a number, the first counts where enums are numbers. */
export function enumForms(
  desc: DescEnum,
  direction: Direction,
  json: JsonForm,
): Map<string | number, DescEnumValue> {
  switch (json.enums) {
    case "numbers":
      return new Map(
        desc.values
          .filter(({ number }, index, all) => all.findIndex((each) => each.number === number) === index)
          .map((value) => [value.number, value]),
      );
    case "names":
      return new Map(desc.values.map((value) => [value.name, value]));
    default:
      return enumNames(desc, direction);
  }
}

function enumForm(value: DescEnumValue, { enums }: JsonForm): string | number {
  return enums === "numbers"
    ? value.number
    : ((enums === "names" ? undefined : enumValueName(value)) ?? value.name);
}

/** The name of a field in a form of JSON. */
export function fieldNameIn(field: DescField, { fieldNames }: JsonForm): string {
  return fieldNames === "proto" ? field.name : field.jsonName;
}

/** Whether a declaration is deprecated: itself, its service or its file. */
export function isDeprecated(desc: DescEnum | DescMessage | DescMethod): boolean {
  const parent = desc.kind === "rpc" ? desc.parent : desc;
  return desc.deprecated || parent.deprecated || parent.file.deprecated;
}

/** Parses the text of a field value to its JSON in a form. Throws an Error that names the field for an invalid text. */
export function jsonOf(field: DescField, text: string, json: JsonForm = {}): JsonValue {
  const { scalar, message } = field;
  if (field.enum !== undefined) {
    const value = field.enum.values.find((each) => enumValueName(each) === text || each.name === text);
    return value === undefined ? text : enumForm(value, json);
  }
  if (json.longs === "numbers" && isLong(field) && Number.isSafeInteger(Number(text)) && text !== "") {
    return Number(text);
  }
  const isText =
    message === undefined
      ? scalar === undefined || TEXT_SCALARS.has(scalar)
      : TEXT_MESSAGES.has(message.typeName);
  if (isText || (isFloating(scalar) && SPECIAL_NUMBERS.includes(text))) {
    return text;
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${field.parent.typeName}.${field.name}: '${text}' is not a value of this field`, {
      cause,
    });
  }
}

/** The values of `float` and `double` that are texts in ProtoJSON. */
export const SPECIAL_NUMBERS = ["NaN", "Infinity", "-Infinity"];

function isFloating(scalar: ScalarType | undefined): boolean {
  return scalar === ScalarType.DOUBLE || scalar === ScalarType.FLOAT;
}

const LONG_SCALARS = [
  ScalarType.INT64,
  ScalarType.SINT64,
  ScalarType.SFIXED64,
  ScalarType.UINT64,
  ScalarType.FIXED64,
];

const LONG_MESSAGES: readonly string[] = ["Int64Value", "UInt64Value"].map(
  (name) => `google.protobuf.${name}`,
);

/** Whether the values of a field are 64-bit integers. */
function isLong({ scalar, message }: DescField): boolean {
  return (
    (scalar !== undefined && LONG_SCALARS.includes(scalar)) ||
    (message !== undefined && LONG_MESSAGES.includes(message.typeName))
  );
}

/** The scalars that are strings in ProtoJSON. */
const TEXT_SCALARS: ReadonlySet<ScalarType> = new Set([ScalarType.STRING, ScalarType.BYTES, ...LONG_SCALARS]);

const TEXT_MESSAGES: ReadonlySet<string> = new Set(
  ["Timestamp", "Duration", "FieldMask", "StringValue", "BytesValue", "Int64Value", "UInt64Value"].map(
    (name) => `google.protobuf.${name}`,
  ),
);

/** The JSON of the value of an absent scalar. */
export function zeroOf(scalar: ScalarType | undefined, { longs }: JsonForm): JsonValue {
  if (scalar === ScalarType.STRING || scalar === ScalarType.BYTES) {
    return "";
  }
  if (scalar === ScalarType.BOOL) {
    return false;
  }
  return scalar !== undefined && LONG_SCALARS.includes(scalar) && longs !== "numbers" ? "0" : 0;
}
