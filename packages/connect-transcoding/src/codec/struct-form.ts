import {
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type MessageInitShape,
  ScalarType,
} from "@bufbuild/protobuf";
import type { ListValue, Struct, Value } from "@bufbuild/protobuf/wkt";
import { isJsonObject, type JsonData, type JsonDataObject, jsonString, setMember } from "./json/data.js";
import { type InvalidValue, scalarParser } from "./value-parser.js";

/** A message of any type, which may lack fields. */
type Init = MessageInitShape<DescMessage>;

// `google.protobuf.Struct`, `Value` and `ListValue` represent any JSON.
// https://protobuf.dev/reference/protobuf/google.protobuf/#struct

/** Whether a JSON value has more than `limit` objects and arrays within one another. */
export function nestsDeeper(value: JsonData, limit: number): boolean {
  if (typeof value !== "object" || value === null) {
    return false;
  }
  return limit === 0 || Object.values(value).some((each) => nestsDeeper(each, limit - 1));
}

const parseText = scalarParser(ScalarType.STRING, "json");
const parseNumber = scalarParser(ScalarType.DOUBLE, "json");

/**
 * Why a JSON value cannot be a `google.protobuf.Value`: it contains a number that is no double, or text that is not Unicode. Undefined if
 * it can be one. It recurses: check the depth of the value first.
 */
export function invalidIn(value: JsonData): InvalidValue | undefined {
  switch (typeof value) {
    case "string":
    case "number": {
      const parsed = (typeof value === "string" ? parseText : parseNumber)(value);
      return parsed.ok ? undefined : parsed.failure;
    }
    case "object":
      break;
    default:
      return undefined;
  }
  for (const [name, each] of Object.entries(value ?? {})) {
    const failure = invalidIn(name) ?? invalidIn(each);
    if (failure !== undefined) {
      return failure;
    }
  }
  return undefined;
}

/** The Struct of a JSON object. It recurses: check the depth of the object first. */
export function toStruct(json: JsonDataObject): Struct {
  const fields: Record<string, Value> = {};
  for (const name of Object.keys(json)) {
    setMember(fields, name, toValue(json[name] ?? null));
  }
  return { $typeName: "google.protobuf.Struct", fields };
}

/** The ListValue of a JSON array. */
export function toListValue(json: readonly JsonData[]): ListValue {
  return { $typeName: "google.protobuf.ListValue", values: json.map(toValue) };
}

/** The Value of a JSON value. Integers beyond 2^53 are rounded, because its numbers are doubles. */
export function toValue(json: JsonData): Value {
  return { $typeName: "google.protobuf.Value", kind: kindOf(json) };
}

function kindOf(json: JsonData): Value["kind"] {
  switch (typeof json) {
    case "string":
      return { case: "stringValue", value: json };
    case "number":
    case "bigint":
      return { case: "numberValue", value: Number(json) };
    case "boolean":
      return { case: "boolValue", value: json };
  }
  if (isJsonObject(json)) {
    return { case: "structValue", value: toStruct(json) };
  }
  return json === null ? { case: "nullValue", value: 0 } : { case: "listValue", value: toListValue(json) };
}

/** The JSON object of a Struct, as protobuf-es holds it in fields. */
export function jsonOfStruct({ fields }: Struct): JsonObject {
  const json: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(fields)) {
    setMember(json, name, jsonOfValue(value));
  }
  return json;
}

function jsonOfValue({ kind }: Value): JsonValue {
  switch (kind.case) {
    case "structValue":
      return jsonOfStruct(kind.value);
    case "listValue":
      return kind.value.values.map(jsonOfValue);
    case "nullValue":
    case undefined:
      return null;
    default:
      return kind.value;
  }
}

/** Writes a JSON object as a Struct. Throws an Error for a value that is not JSON. */
export function writeJson(json: unknown): string {
  switch (typeof json) {
    case "string":
      return jsonString(json);
    case "number":
      return finiteNumber(json);
    case "boolean":
      return String(json);
    case "object":
      if (json === null) {
        return "null";
      }
      return Array.isArray(json) ? listText(json, writeJson) : objectText(json, writeJson);
    default:
      throw new Error(`cannot write a ${typeof json} as google.protobuf.Value`);
  }
}

/** Writes a Struct, a ListValue or a Value, or a plain object in its place. */
export function writeStruct({ fields = {} }: Init): string {
  return objectText(fields as object, (value) => writeValue(value as Init));
}

/** See {@link writeStruct}. */
export function writeListValue({ values = [] }: Init): string {
  return listText(values as readonly unknown[], (value) => writeValue(value as Init));
}

/** See {@link writeStruct}. */
export function writeValue({ kind }: Init): string {
  const { case: chosen, value } = (kind ?? {}) as { readonly case?: string; readonly value?: unknown };
  switch (chosen) {
    case "nullValue":
      return "null";
    case "structValue":
      return writeStruct(value as Init);
    case "listValue":
      return writeListValue(value as Init);
    case undefined:
      throw new Error("google.protobuf.Value must have a value");
    default:
      return writeJson(value);
  }
}

function finiteNumber(value: number): string {
  if (!Number.isFinite(value)) {
    throw new Error("google.protobuf.Value cannot be NaN or Infinity");
  }
  return `${value}`;
}

function listText(items: readonly unknown[], write: (item: unknown) => string): string {
  return `[${items.map(write).join(",")}]`;
}

function objectText(object: object, write: (item: unknown) => string): string {
  const members = Object.entries(object).map(([name, item]) => `${jsonString(name)}:${write(item)}`);
  return `{${members.join(",")}}`;
}
