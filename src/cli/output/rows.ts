import type { MessageInit } from "connect-transcoding/codec";
import { formatCsvRow, uniqueNames } from "../../text/csv.js";
import type { CsvHeader } from "../input/items.js";
import { createCellReader } from "./cells.js";
import { type Column, cellOf } from "./columns.js";
import { inWords } from "./labels.js";
import { type BatchFormat, eachResult, type ItemResult, joinLines, type RenderOptions } from "./results.js";
import { hiddenColumns, layOut, type TableLayout, tableRow } from "./tables.js";
import { displayText } from "./terminal.js";
import { shownResponse } from "./unknown.js";

/** Returns a function that reads the rows of a result, without the input: one per element if the response is an array. */
function rowReader(
  { formats, format, hasErrorColumn }: RenderOptions,
  columns: readonly Column[],
): (result: ItemResult) => readonly (readonly string[])[] {
  const readCells = formats.isWhole ? createCellReader(columns) : undefined;
  const cellsOf = (message: MessageInit): string[][] => {
    if (readCells !== undefined) {
      return [readCells(message)];
    }
    const shown = shownResponse(formats, message);
    // Programs read CSV, so that it has the values of the API.
    const response = format === "csv" ? shown : inWords(shown, formats.element ?? formats.desc);
    return [response].flat().map((row) => columns.map((column) => cellOf(row, column)));
  };
  return (result) => {
    const rows = result.kind === "response" ? cellsOf(result.message) : [columns.map(() => "")];
    const error = result.kind === "failure" ? result.failure.message : "";
    return hasErrorColumn ? rows.map((cells) => [...cells, error]) : rows;
  };
}

/** Whether the inputs are a column of the output. Secrets are not. */
function showsInput({ inputs, subjectOf }: RenderOptions): boolean {
  return inputs === "many" && subjectOf("").kind === "input";
}

/** Rows for programs, separated by tabs, without a header. */
export function tabFormat(options: RenderOptions, columns: readonly Column[]): BatchFormat {
  const rowsOf = rowReader(options, columns);
  const hasInput = showsInput(options);
  return eachResult((result, { text, line }) => {
    // Tabs separate the values of a line, too.
    const input = line === undefined ? displayText(text) : line.split("\t").map(displayText).join("\t");
    let out = "";
    for (const cells of rowsOf(result)) {
      let row = hasInput ? input : undefined;
      for (const cell of cells) {
        row = row === undefined ? displayText(cell) : `${row}\t${displayText(cell)}`;
      }
      out += `${row ?? ""}\n`;
    }
    return out;
  });
}

/** CSV with a header. Rows begin with the record of the input if that is CSV, and with the input otherwise. */
export function csvFormat(options: RenderOptions, columns: readonly Column[]): BatchFormat {
  const rowsOf = rowReader(options, columns);
  const hasInput = showsInput(options);
  const headings = [...columns.map(({ name }) => name), ...(options.hasErrorColumn ? ["error"] : [])];
  let isBegun = false;
  let [lineBreak, delimiter] = ["\n", ","];
  const rowOf = (cells: readonly string[], inputs: readonly string[], record?: string): string => {
    const own = formatCsvRow(record === undefined ? [...inputs, ...cells] : cells, delimiter);
    const isAfter = record !== undefined && cells.length > 0;
    return (isAfter ? record + delimiter + own : (record ?? own)) + lineBreak;
  };
  function begin(header?: CsvHeader): string {
    isBegun = true;
    ({ lineBreak, delimiter = "," } = header ?? { lineBreak });
    const names = header?.names ?? (hasInput ? ["input"] : []);
    return rowOf(uniqueNames(headings, names), names, header?.text);
  }
  const rows = eachResult((result, { text, record }) => {
    const inputs = hasInput ? [text] : [];
    return rowsOf(result)
      .map((cells) => rowOf(cells, inputs, record))
      .join("");
  });
  return {
    format: (batch, results) => (isBegun ? "" : begin(batch.header)) + rows.format(batch, results),
    end: () => (isBegun ? "" : begin()),
  };
}

/** A table, whose layout depends on the rows of the first batch. */
export function tableFormat(options: RenderOptions, columns: readonly Column[], width: number): BatchFormat {
  const { inputs, style, hasErrorColumn } = options;
  const rowsOf = rowReader(options, columns);
  const hasInput = showsInput(options);
  const header = [
    ...(hasInput ? ["Input"] : []),
    ...columns.map(({ label }) => label),
    ...(hasErrorColumn ? ["Error"] : []),
  ];
  let layout: TableLayout | undefined;
  return {
    format({ items }, results) {
      const rows = results.flatMap((result, index) => {
        const before = hasInput ? [items[index]?.text ?? ""] : [];
        return rowsOf(result).map((cells) => [...before, ...cells].map(displayText));
      });
      // The layout waits for rows of later inputs.
      if (rows.length === 0 && inputs === "many") {
        return "";
      }
      const known = layout ?? layOut(header, rows, width);
      const head = layout === undefined ? tableRow(known, header).map(style.bold) : [];
      layout = known;
      return joinLines([...head, ...rows.flatMap((row) => tableRow(known, row))]);
    },
    end: () => (layout === undefined ? "" : joinLines(hiddenColumns(layout, style))),
  };
}
