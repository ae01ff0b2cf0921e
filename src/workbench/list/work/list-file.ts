import { formatCsvRow, uniqueNames, withoutFormula } from "../../../text/csv.js";
import { type AnsweredList, cellAt, type Value } from "./answers.js";

/** The formats of downloads that have one record per row. */
export type RecordFormat = "csv" | "json";

/** The formats of downloads: HTML is a page to print, which only some tools have. */
export type ListFormat = RecordFormat | "html";

const TYPES = { csv: "text/csv;charset=utf-8", json: "application/json" } as const;

/** How many rows are one text. A text of the whole file would be twice in memory. */
const ROWS_PER_PART = 2_000;

/**
 * Writes rows of a list to a file: the columns of the list, those of the answers, and the error.
 *
 * CSV (RFC 4180) starts with a byte order mark, without which spreadsheets misread accents, and contains no formulas
 * ({@link withoutFormula}). JSON is an array of objects with unchanged values.
 *
 * @param rows the indexes of the rows in order
 * @param delimiter the delimiter of CSV
 */
export function writeListFile(
  list: AnsweredList,
  rows: readonly number[],
  format: RecordFormat,
  delimiter: string,
): Blob {
  const names = columnNames(list);
  const parts: string[] = [format === "csv" ? `\uFEFF${csvRow(names, delimiter)}` : "[\n"];
  for (let at = 0; at < rows.length; at += ROWS_PER_PART) {
    const part = rows.slice(at, at + ROWS_PER_PART).map((row) => names.map((_, at) => cellAt(list, row, at)));
    parts.push(
      format === "csv"
        ? part.map((values) => csvRow(values, delimiter)).join("")
        : (at === 0 ? "" : ",\n") + part.map((values) => jsonRow(names, values)).join(",\n"),
    );
  }
  parts.push(format === "csv" ? "" : "\n]\n");
  return new Blob(parts, { type: TYPES[format] });
}

function csvRow(values: readonly Value[], delimiter: string): string {
  const fields = values.map((value) => (typeof value === "string" ? withoutFormula(value) : String(value)));
  return `${formatCsvRow(fields, delimiter)}\r\n`;
}

function jsonRow(names: readonly string[], values: readonly Value[]): string {
  return JSON.stringify(Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""])));
}

/** Returns a unique name for each column. */
export function columnNames({ header, columns }: Pick<AnsweredList, "header" | "columns">): string[] {
  const names = [...header, ...columns, "error"];
  return uniqueNames(names.map((name, index) => name.trim() || `column_${index + 1}`));
}
