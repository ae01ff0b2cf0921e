import type { JsonValue } from "@bufbuild/protobuf";
import { formatCsvRow, uniqueNames } from "../../text/csv.js";
import type { CsvHeader, InputBatch, InputItem } from "../input/items.js";
import { type BatchFormat, type ItemResult, joinLines, type RenderOptions } from "./batch-format.js";
import { type Column, cellOf, createCellReader } from "./columns.js";
import { inWords } from "./labels.js";
import { hiddenColumns, layOut, type TableLayout, tableRow } from "./tables.js";
import { displayText } from "./terminal.js";

/** Calls a function with each row of a result, without the input: one per element if the response is an array. */
type RowReader = (result: ItemResult, use: (cells: readonly string[]) => void) => void;

function rowReader(
  { formats, format, hasErrorColumn }: RenderOptions,
  columns: readonly Column[],
): RowReader {
  const readCells = formats.isWhole ? createCellReader(columns) : undefined;
  const empty = columns.map(() => "");
  const withError = (cells: readonly string[], message: string): readonly string[] =>
    hasErrorColumn ? [...cells, message] : cells;
  return (result, use) => {
    if (result.kind === "failure") {
      use(withError(empty, result.failure.message));
      return;
    }
    if (readCells !== undefined) {
      const cells = readCells(result.message);
      if (hasErrorColumn) {
        cells.push("");
      }
      use(cells);
      return;
    }
    const json: JsonValue = JSON.parse(formats.json(result.message));
    // Programs read CSV, so that it has the values of the API.
    const response = format === "csv" ? json : inWords(json, formats.element ?? formats.desc);
    for (const row of [response].flat()) {
      use(
        withError(
          columns.map((column) => cellOf(row, column)),
          "",
        ),
      );
    }
  };
}

/** Calls a function with each row of a batch, and its input. */
function eachRow(
  { items }: InputBatch,
  results: readonly ItemResult[],
  rowsOf: RowReader,
  use: (item: InputItem, cells: readonly string[]) => void,
): void {
  let index = 0;
  for (const result of results) {
    const item = items[index++];
    if (item !== undefined) {
      rowsOf(result, (cells) => use(item, cells));
    }
  }
}

/** Whether the inputs are a column of the output. Secrets are not. */
function showsInput({ inputs, subjectOf }: RenderOptions): boolean {
  return inputs === "many" && subjectOf("").kind === "input";
}

function headerOf(options: RenderOptions, columns: readonly Column[]): string[] {
  return [...columns.map(({ name }) => name), ...(options.hasErrorColumn ? ["error"] : [])];
}

/** Rows for programs, separated by tabs, without a header. */
export function tabFormat(options: RenderOptions, columns: readonly Column[]): BatchFormat {
  const rowsOf = rowReader(options, columns);
  const hasInput = showsInput(options);
  return {
    format(batch, results) {
      let out = "";
      eachRow(batch, results, rowsOf, ({ text, line }, cells) => {
        let isFirst = !hasInput;
        out += hasInput ? (line === undefined ? displayText(text) : displayLine(line)) : "";
        for (const cell of cells) {
          out += isFirst ? displayText(cell) : `\t${displayText(cell)}`;
          isFirst = false;
        }
        out += "\n";
      });
      return out;
    },
    end: () => "",
  };
}

/** A line of the input. Tabs separate its values, too. */
function displayLine(line: string): string {
  const shown = displayText(line);
  return shown !== line && line.includes("\t") ? line.split("\t").map(displayText).join("\t") : shown;
}

/** CSV with a header. Rows begin with the record of the input if that is CSV, and with the input otherwise. */
export function csvFormat(options: RenderOptions, columns: readonly Column[]): BatchFormat {
  const rowsOf = rowReader(options, columns);
  const hasInput = showsInput(options);
  let lineBreak: string | undefined;
  let delimiter = ",";
  const join = (before: string | undefined, cells: readonly string[]): string =>
    before === undefined
      ? formatCsvRow(cells, delimiter)
      : cells.length === 0
        ? before
        : before + delimiter + formatCsvRow(cells, delimiter);
  function begin(header: CsvHeader | undefined): string {
    lineBreak = header?.lineBreak ?? "\n";
    delimiter = header?.delimiter ?? ",";
    const before = header?.names ?? (hasInput ? ["input"] : []);
    const names = uniqueNames(headerOf(options, columns), before);
    return (
      join(header?.text ?? (before.length > 0 ? formatCsvRow(before, delimiter) : undefined), names) +
      lineBreak
    );
  }
  return {
    format(batch, results) {
      let out = lineBreak === undefined ? begin(batch.header) : "";
      eachRow(batch, results, rowsOf, ({ text, record }, cells) => {
        out += join(record ?? (hasInput ? formatCsvRow([text], delimiter) : undefined), cells) + lineBreak;
      });
      return out;
    },
    end: () => (lineBreak === undefined ? begin(undefined) : ""),
  };
}

/** A table, whose layout depends on the rows of the first batch. */
export function tableFormat(options: RenderOptions, columns: readonly Column[], width: number): BatchFormat {
  const { inputs, style } = options;
  const rowsOf = rowReader(options, columns);
  const hasInput = showsInput(options);
  const labels = [...columns.map(({ label }) => label), ...(options.hasErrorColumn ? ["Error"] : [])];
  const header = hasInput ? ["Input", ...labels] : labels;
  let layout: TableLayout | undefined;
  return {
    format(batch, results) {
      const rows: string[][] = [];
      eachRow(batch, results, rowsOf, ({ text }, cells) => {
        rows.push((hasInput ? [text, ...cells] : cells).map(displayText));
      });
      // The layout waits for rows of later inputs.
      if (rows.length === 0 && inputs === "many") {
        return "";
      }
      const isFirst = layout === undefined;
      const known = layout ?? layOut(header, rows, width);
      layout = known;
      const lines = rows.flatMap((row) => tableRow(known, row));
      return joinLines(isFirst ? [...tableRow(known, header).map(style.bold), ...lines] : lines);
    },
    end: () => (layout === undefined ? "" : joinLines(hiddenColumns(layout, style))),
  };
}
