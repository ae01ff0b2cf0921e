import type { DescEnum, DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { fieldLabel, valueLabel } from "../../text/labels.js";
import { type Column, isObject, selectValues } from "./columns.js";

/** The units of fields whose label does not name them. */
const UNITS: Readonly<Record<string, string>> = { period: "s" };

/**
 * Replaces names by labels, and enum values and booleans by words. The fields of nested messages are fields of the whole. Fields
 * without a value are left out.
 *
 * @param desc the message type of the object, or of the elements of an array
 */
export function labelled(value: JsonValue, desc: DescMessage | undefined): JsonValue {
  if (Array.isArray(value) && desc !== undefined) {
    return value.map((each) => labelled(each, desc));
  }
  return desc !== undefined && isObject(value) ? labelledObject(value, desc) : value;
}

function labelledObject(value: JsonObject, desc: DescMessage): JsonObject {
  const shown: JsonObject = {};
  for (const field of desc.fields) {
    const member = value[field.jsonName];
    if (member === undefined || isEmpty(member)) {
      continue;
    }
    const isNested = field.fieldKind === "message" && isObject(member);
    const texts = isNested
      ? labelledObject(member, field.message)
      : { [fieldLabel(field)]: labelledValue(field, member) };
    for (const [label, text] of Object.entries(texts)) {
      if (shown[label] === undefined || shown[label] === text) {
        shown[label] = text;
      } else if (isNested) {
        shown[`${fieldLabel(field)}: ${label}`] = text;
      }
    }
  }
  return shown;
}

/** The labels and values of columns, in their order. An unknown value is empty. */
export function labelledColumns(
  value: JsonValue,
  columns: readonly Column[],
  desc: DescMessage | undefined,
): JsonValue {
  if (Array.isArray(value)) {
    return value.map((each) => labelledColumns(each, columns, desc));
  }
  const shown = columns.map((column): [string, JsonValue] => {
    const member = labelled(selectValues(value, [column]), desc);
    const [known = ""] = isObject(member) ? Object.values(member) : [];
    return [column.label, known];
  });
  return Object.fromEntries(shown);
}

function isEmpty(value: JsonValue): boolean {
  return value === "" || value === null || (Array.isArray(value) && value.length === 0);
}

function labelledValue(field: DescField, value: JsonValue): JsonValue {
  if (field.fieldKind === "list" && field.message !== undefined) {
    return labelled(value, field.message);
  }
  if (typeof value === "boolean") {
    return value ? "Yes" : "No";
  }
  if (field.enum !== undefined) {
    return enumWords(value, field.enum);
  }
  const unit = UNITS[field.name];
  return unit === undefined || typeof value !== "number" ? value : `${value.toLocaleString("en")} ${unit}`;
}

/** Replaces the values of enums by words, and nothing else. */
export function inWords(value: JsonValue, desc: DescMessage | undefined): JsonValue {
  if (Array.isArray(value)) {
    return value.map((each) => inWords(each, desc));
  }
  if (desc === undefined || !isObject(value)) {
    return value;
  }
  const changed: JsonObject = { ...value };
  for (const field of desc.fields) {
    const member = value[field.jsonName];
    if (member !== undefined && field.fieldKind !== "map") {
      changed[field.jsonName] =
        field.enum === undefined ? inWords(member, field.message) : enumWords(member, field.enum);
    }
  }
  return changed;
}

/** The words for an enum value, or for a list of them: `Subdivision name` for `KIND_SUBDIVISION_NAME`. */
function enumWords(value: JsonValue, desc: DescEnum): JsonValue {
  if (Array.isArray(value)) {
    return value.map((each) => enumWords(each, desc));
  }
  const known = desc.values.find(({ name }) => name === value);
  return known === undefined ? value : valueLabel(known);
}
