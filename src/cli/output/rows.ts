import type { DescMessage, JsonValue } from "@bufbuild/protobuf";
import { jsonString, type MessageInit } from "connect-transcoding/codec";
import { formatCsvRow, uniqueNames } from "../../text/csv.js";
import { fullViewOf } from "../commands.js";
import { type CallFailure, type ErrorSubject, errorJson, errorLine } from "../failures.js";
import type { CsvHeader, InputBatch, InputItem } from "../input/items.js";
import { type Column, cellOf, columnsOf, createCellReader, pathOf, selectValues } from "./columns.js";
import type { ResponseFormats } from "./formats.js";
import { joinLines, type RenderOptions } from "./render.js";
import { fieldList, hiddenColumns, layOut, type TableLayout, tableRow } from "./tables.js";
import { displayText, type Style } from "./terminal.js";

/** The result of one input: a response or a failure. */
export type ItemResult =
  | { readonly kind: "response"; readonly message: MessageInit }
  | { readonly kind: "failure"; readonly failure: CallFailure };

/** The output for a batch of inputs. */
export interface Rendered {
  readonly out: string;
  readonly err: string;
  /** The number of inputs that failed. */
  readonly failed: number;
}

export interface RenderManyOptions extends RenderOptions {
  readonly formats: ResponseFormats;
  readonly errStyle: Style;
  readonly subjectOf: (input: string) => ErrorSubject;
  /** What an error about an argument adds; empty if there is nothing to add. */
  readonly hintOf: (input: string) => string;
  /** Whether rows end with the error of the input, which is then not written to standard error. */
  readonly hasErrorColumn: boolean;
  /** Whether responses have the messages that the view of the request selects. */
  readonly isFullView: boolean;
}

/** Formats the results of many inputs, one batch after the other. */
export interface Renderer {
  render(batch: InputBatch, results: readonly ItemResult[]): Rendered;
  /** Returns what follows the last batch. */
  end(): string;
}

/** Formats the results of one batch. A failed input has a line as well, so that the lines of input and output correspond. */
interface BatchFormat {
  format(batch: InputBatch, results: readonly ItemResult[]): string;
  end(): string;
}

/** Creates the renderer of many inputs. JSON has the failures itself; other formats have them on standard error. */
export function createRenderer(options: RenderManyOptions): Renderer {
  const { command, errStyle, subjectOf, hintOf, hasErrorColumn, format } = options;
  const output = batchFormat(options);
  const showsErrors = format !== "json" && !hasErrorColumn;
  return {
    render(batch, results) {
      let [err, failed] = ["", 0];
      for (const [index, result] of results.entries()) {
        if (result.kind === "failure") {
          failed++;
          const text = batch.items[index]?.text ?? "";
          const subject = subjectOf(text);
          const message = result.failure.message + hintOf(text);
          err += showsErrors ? errorLine(command.name, message, errStyle, subject) : "";
        }
      }
      return { out: output.format(batch, results), err, failed };
    },
    end: () => output.end(),
  };
}

function batchFormat(options: RenderManyOptions): BatchFormat {
  const { formats, format, selected, width, command, isFullView, hasErrorColumn } = options;
  if (format === "json") {
    return jsonFormat(options);
  }
  const { text, element } = formats;
  if (format === "text" && selected === undefined && !hasErrorColumn && text !== undefined) {
    return textFormat((message) => displayText(text(message)));
  }
  const desc = element ?? formats.desc;
  const columns = selected ?? (desc === undefined ? [] : defaultColumns(options, desc));
  if (format === "csv") {
    return csvFormat(options, columns);
  }
  if (width === undefined) {
    return tabFormat(options, columns);
  }
  const hasDetails = element === undefined && isFullView && fullViewOf(command) !== undefined;
  const isTable = selected !== undefined || (desc !== undefined && isFlat(desc) && !hasDetails);
  return isTable ? tableFormat(options, columns, width) : listFormat(options, width);
}

/**
 * The columns of rows unless some are selected: all but those that repeat the input, and those of messages that the view of the
 * request does not have.
 */
function defaultColumns({ command, formats, isFullView }: RenderManyOptions, desc: DescMessage): Column[] {
  const hasAll = formats.element !== undefined || isFullView || fullViewOf(command) === undefined;
  return columnsOf(desc).filter(
    (column) => (hasAll || !column.isOptional) && !command.repeated.includes(pathOf(column).join(".")),
  );
}

function jsonFormat({ formats, selected, subjectOf }: RenderManyOptions): BatchFormat {
  const answer = (message: MessageInit): string => {
    const json = formats.json(message);
    return selected === undefined ? json : JSON.stringify(selectValues(JSON.parse(json), selected));
  };
  return {
    format({ items }, results) {
      let out = "";
      for (const [index, result] of results.entries()) {
        const subject = subjectOf(items[index]?.text ?? "");
        if (result.kind === "response") {
          const input = subject.kind === "secret" ? "" : `"input":${jsonString(subject.text)},`;
          out += `{${input}"answer":${answer(result.message)}}\n`;
        } else {
          out += errorJson(result.failure, subject);
        }
      }
      return out;
    },
    end: () => "",
  };
}

/** One line of text per input, empty for a failure. */
function textFormat(text: (message: MessageInit) => string): BatchFormat {
  return {
    format: (_batch, results) =>
      joinLines(results.map((result) => (result.kind === "response" ? text(result.message) : ""))),
    end: () => "",
  };
}

/** Each response as a list of its fields, with an empty line after it. Failures have none. */
function listFormat({ formats, style }: RenderManyOptions, width: number): BatchFormat {
  return {
    format: (_batch, results) =>
      joinLines(
        results.flatMap((result) =>
          result.kind === "response"
            ? [`${fieldList(JSON.parse(formats.json(result.message)), width, style).join("\n")}\n`]
            : [],
        ),
      ),
    end: () => "",
  };
}

/** Returns the rows of a result, without the input: one per element if the response is an array. */
type RowReader = (result: ItemResult) => readonly (readonly string[])[];

function rowReader({ formats, hasErrorColumn }: RenderManyOptions, columns: readonly Column[]): RowReader {
  const readCells = formats.isWhole ? createCellReader(columns) : undefined;
  const empty = columns.map(() => "");
  const withError = (cells: readonly string[], message: string): readonly string[] =>
    hasErrorColumn ? [...cells, message] : cells;
  return (result) => {
    if (result.kind === "failure") {
      return [withError(empty, result.failure.message)];
    }
    if (readCells !== undefined) {
      return [withError(readCells(result.message), "")];
    }
    const response: JsonValue = JSON.parse(formats.json(result.message));
    return [response].flat().map((row) =>
      withError(
        columns.map((column) => cellOf(row, column)),
        "",
      ),
    );
  };
}

/** Calls a function with each row of a batch, and its input. */
function eachRow(
  { items }: InputBatch,
  results: readonly ItemResult[],
  rowsOf: RowReader,
  use: (item: InputItem, cells: readonly string[]) => void,
): void {
  for (const [index, result] of results.entries()) {
    const item = items[index];
    if (item !== undefined) {
      for (const cells of rowsOf(result)) {
        use(item, cells);
      }
    }
  }
}

/** Whether the inputs are a column of the output. Secrets are not. */
function showsInput({ subjectOf }: RenderManyOptions): boolean {
  return subjectOf("").kind === "input";
}

function headerOf(options: RenderManyOptions, columns: readonly Column[]): string[] {
  return [...columns.map(({ name }) => name), ...(options.hasErrorColumn ? ["error"] : [])];
}

function tabFormat(options: RenderManyOptions, columns: readonly Column[]): BatchFormat {
  const rowsOf = rowReader(options, columns);
  const hasInput = showsInput(options);
  return {
    format(batch, results) {
      let out = "";
      eachRow(batch, results, rowsOf, ({ text }, cells) => {
        out += `${(hasInput ? [text, ...cells] : cells).map(displayText).join("\t")}\n`;
      });
      return out;
    },
    end: () => "",
  };
}

/** CSV with a header. Rows begin with the record of the input if that is CSV, and with the input otherwise. */
function csvFormat(options: RenderManyOptions, columns: readonly Column[]): BatchFormat {
  const rowsOf = rowReader(options, columns);
  const hasInput = showsInput(options);
  let lineBreak: string | undefined;
  function begin(header: CsvHeader | undefined): string {
    lineBreak = header?.lineBreak ?? "\n";
    const before = header?.names ?? (hasInput ? ["input"] : []);
    return formatCsvRow([...before, ...uniqueNames(headerOf(options, columns), before)]) + lineBreak;
  }
  return {
    format(batch, results) {
      let out = lineBreak === undefined ? begin(batch.header) : "";
      eachRow(batch, results, rowsOf, ({ text, record }, cells) => {
        const before = record ?? (hasInput ? formatCsvRow([text]) : undefined);
        const added = formatCsvRow(cells);
        out +=
          (before === undefined ? added : cells.length === 0 ? before : `${before},${added}`) + lineBreak;
      });
      return out;
    },
    end: () => (lineBreak === undefined ? begin(undefined) : ""),
  };
}

/** A table, whose layout depends on the rows of the first batch. */
function tableFormat(options: RenderManyOptions, columns: readonly Column[], width: number): BatchFormat {
  const { style } = options;
  const rowsOf = rowReader(options, columns);
  const hasInput = showsInput(options);
  const names = headerOf(options, columns);
  const header = hasInput ? ["input", ...names] : names;
  let layout: TableLayout | undefined;
  return {
    format(batch, results) {
      const rows: string[][] = [];
      eachRow(batch, results, rowsOf, ({ text }, cells) => {
        rows.push((hasInput ? [text, ...cells] : cells).map(displayText));
      });
      if (rows.length === 0) {
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

/** Whether a message type has no lists of messages, so that a message fits in a row. */
function isFlat(desc: DescMessage, depth = 0): boolean {
  return desc.fields.every(
    (field) =>
      !(field.fieldKind === "list" && field.message !== undefined) &&
      (field.fieldKind !== "message" || (depth < 4 && isFlat(field.message, depth + 1))),
  );
}
