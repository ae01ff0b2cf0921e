import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject, plainValue } from "./columns.js";
import { displayText, displayWidth, padToWidth, type Style, wrapToWidth } from "./terminal.js";

/** The layout of a table. */
export interface TableLayout {
  /** The width of each visible column, in columns of the terminal. They are the first ones of a row. */
  readonly widths: readonly number[];
  /** The names of the columns on the right that do not fit. A column that is empty in all rows is not one of them. */
  readonly hidden: readonly string[];
}

const GAP = 2;
/** The width to which a wide column is narrowed at most to make room for others. */
const NARROWEST = 16;

/**
 * Lays out a table for a terminal. If it is too wide, the widest columns are narrowed to a minimum each, and their texts wrapped; if
 * that is not enough, columns on the right are left out. The first column names the row and is narrowed to half of the width at most.
 */
export function layOut(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): TableLayout {
  const wanted = header.map((name, index) =>
    rows.reduce((most, row) => Math.max(most, displayWidth(row[index] ?? "")), displayWidth(name)),
  );
  const least = wanted.map((each, index) =>
    Math.min(each, index === 0 ? Math.max(NARROWEST, Math.floor(width / 2)) : NARROWEST),
  );
  while (least.length > 1 && totalOf(least) > width) {
    least.pop();
  }
  const widths = wanted.slice(0, least.length);
  for (let excess = totalOf(widths) - width; excess > 0; excess--) {
    const spare = widths.map((each, index) => (each > (least[index] ?? 0) ? each : 0));
    const widest = spare.indexOf(Math.max(...spare));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  const hidden = header.filter(
    (_, index) => index >= widths.length && rows.some((row) => (row[index] ?? "") !== ""),
  );
  return { widths: widths.map((each) => Math.max(1, each)), hidden };
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, 0) + GAP * Math.max(0, widths.length - 1);
}

/** Formats one row, without trailing spaces. A text that is too wide for its column is wrapped onto more lines. */
export function tableRow({ widths }: TableLayout, cells: readonly string[]): string[] {
  const wrapped = widths.map((width, index) => wrapToWidth(cells[index] ?? "", width));
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    widths
      .map((width, index) => padToWidth(wrapped[index]?.[line] ?? "", width))
      .join(" ".repeat(GAP))
      .trimEnd(),
  );
}

/** Names the columns that do not fit. Returns no line if all of them do. */
export function hiddenColumns({ hidden }: TableLayout, style: Style): string[] {
  return hidden.length === 0
    ? []
    : [
        style.dim(
          `Columns that do not fit: ${hidden.join(", ")} (see --fields, --json, or a wider terminal)`,
        ),
      ];
}

/** Formats a table with its header. A last line names the columns that do not fit. */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
  style: Style,
): string[] {
  const layout = layOut(header, rows, width);
  return [
    ...tableRow(layout, header).map(style.bold),
    ...rows.flatMap((row) => tableRow(layout, row)),
    ...hiddenColumns(layout, style),
  ];
}

/**
 * Formats a response for people: one line per field, nested fields indented, and lists of objects as tables if they fit.
 *
 * @param styleOf returns the style of the value of a field, by its place
 */
export function fieldList(
  response: JsonValue,
  width: number,
  style: Style,
  styleOf: (index: number) => (text: string) => string = () => String,
): string[] {
  if (isObjectList(response)) {
    return objectTable(response, width, style);
  }
  if (!isObject(response)) {
    return [lineOf(response)];
  }
  const entries = Object.entries(response);
  const longest = Math.max(0, ...entries.map(([name]) => displayWidth(name)));
  return entries.flatMap(([name, value], index) => {
    const styled = styleOf(index);
    if (isObject(value) || isObjectList(value)) {
      const lines = fieldList(value, width - 2, style).map((line) => `  ${line}`);
      return [style.dim(displayText(name)), ...lines];
    }
    const [first = "", ...more] = wrapWords(lineOf(value), width - longest - GAP);
    return [
      `${style.dim(padToWidth(displayText(name), longest))}  ${styled(first)}`.trimEnd(),
      ...more.map((line) => " ".repeat(longest + GAP) + styled(line)),
    ];
  });
}

/** Wraps a text between words. A text with a longer word, such as a URL, stays on one line, so that it can be copied. */
function wrapWords(text: string, width: number): string[] {
  const longest = Math.max(0, ...text.split(" ").map(displayWidth));
  return longest > width ? [text] : wrapToWidth(text, width);
}

/** Formats a response for programs: one line per plain value, with its path and a tab before it. */
export function pathList(response: JsonValue, path: readonly (string | number)[] = []): string[] {
  if (Array.isArray(response)) {
    return response.flatMap((each, index) => pathList(each, [...path, index]));
  }
  if (isObject(response)) {
    return Object.entries(response).flatMap(([name, each]) => pathList(each, [...path, displayText(name)]));
  }
  return [`${path.join(".")}\t${lineOf(response)}`];
}

/** Formats objects as a table if all columns fit, and otherwise as lists of their fields. */
function objectTable(rows: readonly JsonObject[], width: number, style: Style): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const header = names.map(displayText);
  const cells = rows.map((row) => names.map((name) => lineOf(row[name])));
  return layOut(header, cells, width).hidden.length === 0
    ? table(header, cells, width, style)
    : rows.flatMap((row) =>
        fieldList(row, width - 2, style).map((line, index) => `${index === 0 ? "-" : " "} ${line}`),
      );
}

function lineOf(value: JsonValue | undefined): string {
  return displayText(plainValue(value));
}

function isObjectList(value: JsonValue): value is JsonObject[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}
