import type { DescField, JsonValue } from "@bufbuild/protobuf";
import { type MessageInit, placeOf, readField } from "connect-transcoding/codec";
import type { AnswerForm } from "./answer-form.js";
import { cellOf, columnsOf } from "./columns.js";
import type { ToolCommand } from "./command.js";
import { displayText } from "./display-text.js";
import { fieldList, pathList } from "./field-list.js";
import type { Style } from "./style.js";
import { table } from "./table.js";
import { type Modules, terminalQrCode, terminalWidth } from "./terminal-qr-code.js";

/** How one answer is shown. */
export interface OneOptions {
  readonly command: ToolCommand;
  readonly form: AnswerForm;
  readonly isJson: boolean;
  /** Columns of the terminal that people read; undefined: there is none. */
  readonly width: number | undefined;
  readonly style: Style;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  readonly qrCode: (text: string) => Modules | undefined;
}

/** What is written for the answer to one request. */
export function renderOne(message: MessageInit, options: OneOptions): string | Uint8Array {
  const { form, isJson, width, style } = options;
  if (isJson) {
    return `${form.json(message)}\n`;
  }
  if (form.octets !== undefined) {
    return form.octets(message).data;
  }
  if (form.text !== undefined) {
    return `${displayText(form.text(message))}\n`;
  }
  const answer: JsonValue = JSON.parse(form.json(message));
  if (form.element !== undefined && Array.isArray(answer)) {
    const columns = columnsOf(form.element);
    const rows = answer.map((row) => columns.map((column) => cellOf(row, column)));
    const header = columns.map(({ name }) => name);
    return lines(width === undefined ? rows.map((row) => row.join("\t")) : table(header, rows, width, style));
  }
  if (width === undefined) {
    return lines(pathList(answer));
  }
  return lines([
    ...drawing(message, ofAnswer(options.command), options, width),
    ...fieldList(answer, width, style),
    ...timeLeft(message, options),
  ]);
}

/** The QR code of a field of an answer or a request; no lines where it has none, or the terminal is too narrow. */
export function drawing(
  message: MessageInit,
  field: DescField | undefined,
  { qrCode, style }: Pick<OneOptions, "qrCode" | "style">,
  width: number,
): string[] {
  const text = field && readField(placeOf(field), message);
  const code = typeof text === "string" ? qrCode(text) : undefined;
  const lines = code === undefined ? [] : terminalQrCode(code, style.isColoured);
  return code === undefined || terminalWidth(code) > width ? [] : [...lines, ""];
}

/** The field with a QR code, if it is one of the answer. */
function ofAnswer({ qrCode, method }: ToolCommand): DescField | undefined {
  return qrCode?.parent === method.output ? qrCode : undefined;
}

/** How long an answer holds that changes with time. */
function timeLeft(message: MessageInit, { command, now, style }: OneOptions): string[] {
  const period = command.period && Number(readField(placeOf(command.period), message));
  if (period === undefined || !(period > 0)) {
    return [];
  }
  const seconds = Math.ceil(period - ((now() / 1000) % period));
  return [style.dim(`changes in ${seconds} s`)];
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join("");
}
