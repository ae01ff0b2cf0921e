import type { DescMessage, JsonValue } from "@bufbuild/protobuf";
import { hasOwnForm } from "connect-transcoding/codec";
import { displayText } from "./display-text.js";

/** A column of a table whose rows are messages of one type: a field, or a field of a field. */
export interface Column {
  /** JSON names from the message down. */
  readonly path: readonly string[];
  readonly name: string;
}

/** How deep fields of fields become columns of their own. */
const MAX_DEPTH = 4;

/** The columns of a message type, in the order of its fields; lists and maps are one column each. */
export function columnsOf(desc: DescMessage, path: readonly string[] = []): Column[] {
  return desc.fields.flatMap((field) => {
    const own = [...path, field.jsonName];
    return field.fieldKind === "message" && !hasOwnForm(field.message) && own.length < MAX_DEPTH
      ? columnsOf(field.message, own)
      : [{ path: own, name: field.jsonName }];
  });
}

/** What a row has in a column, as text on one line; empty where it has nothing. */
export function cellOf(row: JsonValue | undefined, { path }: Column): string {
  let value: JsonValue | undefined = row;
  for (const name of path) {
    value = typeof value === "object" && value !== null && !Array.isArray(value) ? value[name] : undefined;
  }
  return textOf(value);
}

/** A JSON value as text on one line: lists of plain values joined by commas, what is nested as JSON. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) {
    return "";
  }
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) {
    return displayText(value.join(", "));
  }
  return displayText(typeof value === "object" ? JSON.stringify(value) : String(value));
}
