import { jsonString, type MessageInit } from "connect-transcoding/codec";
import { fullViewOf } from "../commands.js";
import { errorJson, errorLine, namedSubject } from "../failures.js";
import { isError } from "../input/finder.js";
import { type Column, columnsOf, selectColumns, selectValues } from "./columns.js";
import { codeFormat, listFormat, pathFormat } from "./lists.js";
import {
  type BatchFormat,
  eachResponse,
  eachResult,
  type ItemError,
  type Renderer,
  type RenderOptions,
} from "./results.js";
import { csvFormat, tabFormat, tableFormat } from "./rows.js";
import { summaryOf } from "./summaries.js";
import { displayText } from "./terminal.js";

/** Creates the renderer of results. JSON has the failures of inputs itself; other formats have them on standard error. */
export function createRenderer(options: RenderOptions): Renderer {
  const { command, errStyle, subjectOf, hintOf, hasErrorColumn, format } = options;
  const output = batchFormat(options);
  const showsErrors = format !== "json" && !hasErrorColumn;
  return {
    hasFailures: format === "json",
    render(batch, results) {
      const errors: ItemError[] = [];
      let failed = 0;
      for (const [index, result] of results.entries()) {
        if (result.kind === "response" || !isError(result.failure)) {
          continue;
        }
        failed++;
        if (showsErrors) {
          const text = batch.items[index]?.text ?? "";
          const subject = subjectOf(text);
          const message = result.failure.message + hintOf(text);
          const line = errorLine(command.name, message, errStyle, namedSubject(result.failure, subject));
          errors.push({ line, message, input: subject.kind === "input" ? text : "" });
        }
      }
      return { out: output.format(batch, results), errors, failed };
    },
    end: () => output.end?.() ?? "",
  };
}

/** Formats the response to one input, which is the whole output. */
export function renderOne(
  message: MessageInit,
  text: string,
  options: Omit<RenderOptions, "inputs">,
): string {
  // A failure of the only input has no row.
  const output = batchFormat({ ...options, inputs: "one", hasErrorColumn: false });
  return output.format({ items: [{ text }] }, [{ kind: "response", message }]) + (output.end?.() ?? "");
}

function batchFormat(options: RenderOptions): BatchFormat {
  const { command, formats, format, inputs, isAll, isFullView, selected, width, hasErrorColumn } = options;
  const { text, element } = formats;
  if (format === "json") {
    return jsonFormat(options);
  }
  if (format === "text" && selected === undefined && !hasErrorColumn && text !== undefined) {
    if (width !== undefined && command.period !== undefined) {
      return codeFormat(options);
    }
    return eachResponse((message) => `${displayText(text(message))}\n`, "\n");
  }
  const desc = element ?? formats.desc;
  const all = desc === undefined ? [] : columnsOf(desc);
  const hasRows = inputs === "many" || element !== undefined;
  const hasView = fullViewOf(command) !== undefined;
  /** The columns of rows for programs: for many inputs not those that repeat the input, and those of other views. */
  const isDefault = ({ path, isOptional }: Column): boolean =>
    inputs === "one" ||
    ((element !== undefined || isFullView || !hasView || !isOptional) && !command.repeated.includes(path));
  const columns = selected ?? all.filter(isDefault);
  if (format === "csv" && (hasRows || desc !== undefined)) {
    return csvFormat(options, columns);
  }
  if (width === undefined) {
    return hasRows ? tabFormat(options, columns) : pathFormat(options);
  }
  const brief = selectColumns(all, (isAll ? undefined : summaryOf(desc)?.columns) ?? []);
  const isBrief = brief.ok && brief.value.length > 0;
  const hasDetails = element === undefined && isFullView && hasView && !isBrief;
  const fits = inputs === "one" || selected !== undefined || (!hasDetails && !columns.some(hasList));
  return hasRows && fits
    ? tableFormat(options, selected ?? (isBrief ? brief.value : columns), width)
    : listFormat(options, width);
}

/** Whether a column of every view has a list of messages, which does not fit in a row. */
function hasList({ fields, isOptional }: Column): boolean {
  return !isOptional && fields.some((field) => field.fieldKind === "list" && field.message !== undefined);
}

/** One line of JSON per input: the response to one, and an object with the input and its result for many. */
function jsonFormat({ formats, inputs, selected, subjectOf }: RenderOptions): BatchFormat {
  const answer = (message: MessageInit): string => {
    const json = formats.json(message);
    return selected === undefined ? json : JSON.stringify(selectValues(JSON.parse(json), selected));
  };
  return eachResult((result, { text, line = text }) => {
    if (result.kind === "response" && inputs === "one") {
      return `${answer(result.message)}\n`;
    }
    const subject = subjectOf(line);
    if (result.kind === "failure") {
      return errorJson(result.failure, subject);
    }
    const input = subject.kind === "secret" ? "" : `"input":${jsonString(subject.text)},`;
    return `{${input}"answer":${answer(result.message)}}\n`;
  });
}
