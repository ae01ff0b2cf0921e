import type { DescMessage } from "@bufbuild/protobuf";
import { jsonString, type MessageInit } from "connect-transcoding/codec";
import { fullViewOf } from "../commands.js";
import { errorJson, errorLine, namedSubject } from "../failures.js";
import { isError } from "../input/finder.js";
import type { InputBatch } from "../input/items.js";
import { type BatchFormat, type ItemResult, joinLines, type RenderOptions } from "./batch-format.js";
import { type Column, columnsOf, pathOf, selectColumns, selectValues } from "./columns.js";
import type { ItemError } from "./error-log.js";
import { listFormat, pathFormat } from "./lists.js";
import { csvFormat, tabFormat, tableFormat } from "./rows.js";
import { summaryOf } from "./summaries.js";
import { displayText } from "./terminal.js";

/** The output for a batch of inputs. */
export interface Rendered {
  readonly out: string;
  /** The errors that the output does not have. */
  readonly errors: readonly ItemError[];
  /** The number of inputs that failed. */
  readonly failed: number;
}

/** Formats the results of inputs, one batch after the other. */
export interface Renderer {
  render(batch: InputBatch, results: readonly ItemResult[]): Rendered;
  /** Returns what follows the last batch. */
  end(): string;
}

/** Creates the renderer of results. JSON has the failures of inputs itself; other formats have them on standard error. */
export function createRenderer(options: RenderOptions): Renderer {
  const { command, errStyle, subjectOf, hintOf, hasErrorColumn, format } = options;
  const output = batchFormat(options);
  const showsErrors = format !== "json" && !hasErrorColumn;
  return {
    render(batch, results) {
      const errors: ItemError[] = [];
      let failed = 0;
      let index = 0;
      for (const result of results) {
        const item = batch.items[index++];
        if (result.kind === "failure" && isError(result.failure)) {
          failed++;
          if (!showsErrors) {
            continue;
          }
          const text = item?.text ?? "";
          const subject = subjectOf(text);
          const message = result.failure.message + hintOf(text);
          const line = errorLine(command.name, message, errStyle, namedSubject(result.failure, subject));
          errors.push({ line, message, input: subject.kind === "input" ? text : "" });
        }
      }
      return { out: output.format(batch, results), errors, failed };
    },
    end: () => output.end(),
  };
}

/** Formats the response to one input, which is the whole output. */
export function renderOne(message: MessageInit, options: Omit<RenderOptions, "inputs">): string {
  // A failure of the only input has no row.
  const renderer = createRenderer({ ...options, inputs: "one", hasErrorColumn: false });
  const { out } = renderer.render({ items: [{ text: "" }] }, [{ kind: "response", message }]);
  return out + renderer.end();
}

function batchFormat(options: RenderOptions): BatchFormat {
  const { formats, format, inputs, selected, width, hasErrorColumn } = options;
  if (format === "json") {
    return jsonFormat(options);
  }
  const { text, element } = formats;
  if (format === "text" && selected === undefined && !hasErrorColumn && text !== undefined) {
    return textFormat((message) => displayText(text(message)));
  }
  const desc = element ?? formats.desc;
  const columns = selected ?? (desc === undefined ? [] : defaultColumns(options, desc));
  const hasRows = inputs === "many" || element !== undefined;
  if (format === "csv" && (hasRows || desc !== undefined)) {
    return csvFormat(options, columns);
  }
  if (width === undefined) {
    return hasRows ? tabFormat(options, columns) : pathFormat(options);
  }
  return hasRows && isTable(options, desc)
    ? tableFormat(options, selected ?? briefColumns(options, desc) ?? columns, width)
    : listFormat(options, width);
}

/** Whether each response fits in the rows of a table. */
function isTable(options: RenderOptions, desc: DescMessage | undefined): boolean {
  const { command, formats, selected, isFullView, inputs } = options;
  const hasDetails =
    formats.element === undefined &&
    isFullView &&
    fullViewOf(command) !== undefined &&
    briefColumns(options, desc) === undefined;
  return inputs === "one" || selected !== undefined || (desc !== undefined && isFlat(desc) && !hasDetails);
}

/** The columns of a summary; undefined: all columns are shown. */
function briefColumns(
  { isAll }: RenderOptions,
  desc: DescMessage | undefined,
): readonly Column[] | undefined {
  const names = isAll ? undefined : summaryOf(desc)?.columns;
  const columns =
    desc === undefined || names === undefined ? undefined : selectColumns(columnsOf(desc), names);
  return columns?.ok ? columns.value : undefined;
}

/** Whether a message type has no lists of messages, so that a message fits in a row. */
function isFlat(desc: DescMessage, depth = 0): boolean {
  return desc.fields.every(
    (field) =>
      !(field.fieldKind === "list" && field.message !== undefined) &&
      (field.fieldKind !== "message" || (depth < 4 && isFlat(field.message, depth + 1))),
  );
}

/**
 * The columns of rows unless some are selected: all for one input; for many, all but those that repeat the input, and those of
 * messages that the view of the request does not have.
 */
function defaultColumns(
  { command, formats, inputs, isFullView }: RenderOptions,
  desc: DescMessage,
): Column[] {
  if (inputs === "one") {
    return columnsOf(desc);
  }
  const hasAll = formats.element !== undefined || isFullView || fullViewOf(command) === undefined;
  return columnsOf(desc).filter(
    (column) => (hasAll || !column.isOptional) && !command.repeated.includes(pathOf(column).join(".")),
  );
}

/** One line of JSON per input: the response to one, and an object with the input and its result for many. */
function jsonFormat({ formats, inputs, selected, subjectOf }: RenderOptions): BatchFormat {
  const answer = (message: MessageInit): string => {
    const json = formats.json(message);
    return selected === undefined ? json : JSON.stringify(selectValues(JSON.parse(json), selected));
  };
  return {
    format({ items }, results) {
      let out = "";
      for (const [index, result] of results.entries()) {
        const { text = "", line = text } = items[index] ?? {};
        const subject = subjectOf(line);
        if (result.kind === "failure") {
          out += errorJson(result.failure, subject);
        } else if (inputs === "one") {
          out += `${answer(result.message)}\n`;
        } else {
          const input = subject.kind === "secret" ? "" : `"input":${jsonString(subject.text)},`;
          out += `{${input}"answer":${answer(result.message)}}\n`;
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
