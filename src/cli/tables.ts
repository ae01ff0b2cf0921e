import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { hasOwnForm } from "connect-transcoding/codec";
import { fieldDocsOf } from "connect-transcoding/openapi";
import { cutToWidth, displayText, displayWidth, padToWidth, type Style } from "./terminal.js";

/** A column of a table whose rows are messages of one type: a field, or a field of a nested message. */
export interface Column {
  /** JSON names, the outermost first. */
  readonly path: readonly string[];
  readonly name: string;
  /** Whether it is in a nested message that responses may lack. */
  readonly isOptional: boolean;
}

/** The depth to which nested fields are columns of their own. */
const MAX_DEPTH = 4;

/** The columns of a message type, in the order of its fields. A list or map is one column. */
export function columnsOf(desc: DescMessage, path: readonly string[] = [], isOptional = false): Column[] {
  return desc.fields.flatMap((field) => {
    const own = [...path, field.jsonName];
    return field.fieldKind === "message" && !hasOwnForm(field.message) && own.length < MAX_DEPTH
      ? columnsOf(field.message, own, isOptional || !fieldDocsOf(field).required)
      : [{ path: own, name: field.jsonName, isOptional }];
  });
}

/** Whether a row has the message that contains the field of a column. */
export function hasColumn(row: JsonValue, { path }: Column): boolean {
  return isObject(valueAt(row, path.slice(0, -1)));
}

/** The text of a cell, on one line; empty without a value. */
export function cellOf(row: JsonValue | undefined, { path }: Column): string {
  return textOf(valueAt(row, path));
}

function valueAt(row: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (value, name) => (isObject(value) ? value[name] : undefined),
    row,
  );
}

/** A JSON value as text on one line: lists of plain values are joined by commas, other nested values are JSON. */
function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) {
    return "";
  }
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) {
    return displayText(value.join(", "));
  }
  return displayText(typeof value === "object" ? JSON.stringify(value) : String(value));
}

/** The layout of a table. */
export interface TableLayout {
  /** The visible columns, as indexes of a row. */
  readonly shown: readonly number[];
  /** The width of each visible column, in columns of the terminal. */
  readonly widths: readonly number[];
}

const GAP = 2;
/** The width to which a wide column is narrowed at most to make room for others. */
const NARROWEST = 16;

/**
 * Lays out a table for a terminal. If it is too wide, the widest columns are narrowed to a minimum each; if that is not enough,
 * columns on the right are left out. A column that repeats an earlier one in every row is left out as well.
 */
export function layOut(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): TableLayout {
  const shown = header.flatMap((_, index) => (isRepeated(rows, index) ? [] : [index]));
  const wanted = shown.map((index) =>
    [header, ...rows].reduce((most, row) => Math.max(most, displayWidth(row[index] ?? "")), 0),
  );
  const least = wanted.map((each) => Math.min(each, NARROWEST));
  while (least.length > 1 && totalOf(least) > width) {
    least.pop();
  }
  const widths = wanted.slice(0, least.length);
  for (let excess = totalOf(widths) - width; excess > 0; excess--) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return { widths: widths.map((each) => Math.max(1, each)), shown: shown.slice(0, widths.length) };
}

function isRepeated(rows: readonly (readonly string[])[], column: number): boolean {
  const earlier = Array.from({ length: column }, (_, index) => index);
  return rows.length > 0 && earlier.some((other) => rows.every((row) => row[other] === row[column]));
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, 0) + GAP * Math.max(0, widths.length - 1);
}

/** Formats one row, without trailing spaces. */
export function tableRow({ widths, shown }: TableLayout, cells: readonly string[]): string {
  return shown
    .map((index, position) => {
      const width = widths[position] ?? 0;
      return padToWidth(cutToWidth(cells[index] ?? "", width), width);
    })
    .join(" ".repeat(GAP))
    .trimEnd();
}

/** Formats a table with its header, one line per row. */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
  style: Style,
): string[] {
  const layout = layOut(header, rows, width);
  return [style.bold(tableRow(layout, header)), ...rows.map((row) => tableRow(layout, row))];
}

/** Formats a response for people: one line per field, nested fields indented, lists of objects as tables. */
export function fieldList(response: JsonValue, width: number, style: Style): string[] {
  if (isObjectList(response)) {
    return objectTable(response, width, style);
  }
  if (!isObject(response)) {
    return [textOf(response)];
  }
  const entries = Object.entries(response);
  const longest = Math.max(0, ...entries.map(([name]) => displayWidth(name)));
  return entries.flatMap(([name, value]) => {
    if (isObject(value) || isObjectList(value)) {
      const lines = fieldList(value, width - 2, style).map((line) => `  ${line}`);
      return [style.dim(displayText(name)), ...lines];
    }
    return [`${style.dim(padToWidth(displayText(name), longest))}  ${textOf(value)}`.trimEnd()];
  });
}

/** Formats a response for programs: one line per plain value, with its path and a tab before it. */
export function pathList(response: JsonValue, path: readonly (string | number)[] = []): string[] {
  if (Array.isArray(response)) {
    return response.flatMap((each, index) => pathList(each, [...path, index]));
  }
  if (isObject(response)) {
    return Object.entries(response).flatMap(([name, each]) => pathList(each, [...path, displayText(name)]));
  }
  return [`${path.join(".")}\t${textOf(response)}`];
}

function objectTable(rows: readonly JsonObject[], width: number, style: Style): string[] {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => header.map((name) => textOf(row[name])));
  return table(header.map(displayText), cells, width, style);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isObjectList(value: JsonValue): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}
