import type { DescField, JsonValue } from "@bufbuild/protobuf";
import { type MessageInit, placeOf, readField } from "connect-transcoding/codec";
import { qrCode } from "../../tools/barcode/qr-code.js";
import { isObject, selectValues, valueAt } from "./columns.js";
import { inWords, labelled, labelledColumns } from "./labels.js";
import { type BatchFormat, eachResponse, eachResult, joinLines, type RenderOptions } from "./results.js";
import { groupedCode, type SummaryList, summaryOf } from "./summaries.js";
import { fieldList, pathList } from "./tables.js";
import { displayText, drawQrCode, qrCodeWidth, type Style } from "./terminal.js";
import { shownResponse } from "./unknown.js";

/**
 * Each response as a list of its fields. The response to one input has its QR code before it, unless fields are selected; those of
 * many inputs have an empty line after each. Failures have no list.
 */
export function listFormat(options: RenderOptions, width: number): BatchFormat {
  const { command, inputs, selected, style } = options;
  const isDrawn = selected === undefined && command.qrCode?.parent === command.method.output;
  return eachResult((result, { text }) => {
    if (result.kind === "failure") {
      return "";
    }
    const { message } = result;
    const fields = fieldLines(message, text, options, width);
    if (inputs === "many") {
      return joinLines([...fields, ""]);
    }
    const drawn = isDrawn ? renderQrCode(message, command.qrCode, width, style) : [];
    return joinLines([...drawn, ...fields]);
  });
}

/** The current code of each secret, and the time for which it is valid. */
export function codeFormat({ command, formats, style }: RenderOptions): BatchFormat {
  return eachResponse((message) => {
    const code = groupedCode(formats.text?.(message) ?? "");
    return `${style.bold(displayText(code))}${style.dim(timeLeft(message, command.period))}\n`;
  }, "\n");
}

/** The lines of a response for people: the selected fields, all of them, or those of its summary. */
function fieldLines(message: MessageInit, input: string, options: RenderOptions, width: number): string[] {
  const { command, formats, selected, isAll, style } = options;
  const desc = formats.element ?? formats.desc;
  const response = shownResponse(formats, message);
  if (selected !== undefined) {
    return fieldList(labelledColumns(response, selected, desc), width, style);
  }
  const { lines, lists = [], steps } = summaryOf(desc) ?? {};
  if (isAll || lines === undefined || !isObject(response)) {
    return fieldList(labelled(response, desc), width, style);
  }
  const known = lines.map(({ label, text }) => [label, text(response)]).filter(([, text]) => text !== "");
  const isFirst = (index: number) => known[index]?.[0] === lines[0]?.label;
  const left = timeLeft(message, command.period);
  const styleOf = (index: number) => (text: string) =>
    isFirst(index) ? style.bold(text) + style.dim(left) : style.dim(text);
  const hidden = hiddenLists(response, options);
  const listed = lists
    .filter((list) => !hidden.includes(list))
    .map(({ field }) => [field, response[field] ?? []]);
  return [
    ...fieldList(Object.fromEntries(known), width, style, styleOf),
    ...(steps?.(response, input) ?? []).map((text) => style.dim(displayText(text))),
    ...hidden.map((list) => style.dim(countOf(response, list))),
    ...(listed.length === 0 ? [] : fieldList(labelled(Object.fromEntries(listed), desc), width, style)),
  ];
}

/** The lists of a response that are only counted. */
function hiddenLists(
  response: JsonValue,
  { formats, isAll, shownLists }: RenderOptions,
): readonly SummaryList[] {
  const lists = isAll ? [] : (summaryOf(formats.desc)?.lists ?? []);
  return lists.filter((list) => !shownLists.includes(list.field) && lengthOf(response, list) > 0);
}

/** The number of elements of a list, and the flag that shows them: `124 subdivisions: --states`. */
function countOf(response: JsonValue, list: SummaryList): string {
  return `${lengthOf(response, list)} ${list.noun}: --${list.field}`;
}

function lengthOf(response: JsonValue, { field }: SummaryList): number {
  return [valueAt(response, field) ?? []].flat().length;
}

/** Each response as lines for programs: one per plain value, with its path. Lists that are only counted have one line. */
export function pathFormat(options: RenderOptions): BatchFormat {
  const { formats, selected } = options;
  return eachResponse((message) => {
    const response = inWords(shownResponse(formats, message), formats.desc);
    if (selected !== undefined) {
      return joinLines(pathList(selectValues(response, selected)));
    }
    const counts = hiddenLists(response, options).map((list) => [list.field, countOf(response, list)]);
    return joinLines(
      pathList(isObject(response) ? { ...response, ...Object.fromEntries(counts) } : response),
    );
  });
}

/** Draws the QR code of a field. Returns no lines without a text, or if the terminal is too narrow. */
export function renderQrCode(
  message: MessageInit,
  field: DescField | undefined,
  width: number,
  style: Style,
): string[] {
  const text = field && readField(placeOf(field), message);
  const code = typeof text === "string" ? qrCode(text) : undefined;
  return code?.ok && qrCodeWidth(code.value) <= width ? [...drawQrCode(code.value, style.hasColors), ""] : [];
}

/** The time for which a changing response stays valid: ` (12 s)`. */
function timeLeft(message: MessageInit, field: DescField | undefined): string {
  const period = field && Number(readField(placeOf(field), message));
  return period !== undefined && period > 0
    ? ` (${Math.ceil(period - ((Date.now() / 1000) % period))} s)`
    : "";
}
