import type { JsonValue } from "@bufbuild/protobuf";
import { type MessageInit, placeOf, readField } from "../transcoding/message-field.js";
import type { AnswerForm } from "./answer-form.js";
import { cellOf, columnsOf } from "./columns.js";
import type { ToolCommand } from "./command.js";
import { displayText } from "./display-text.js";
import { fieldList, pathList } from "./field-list.js";
import type { Style } from "./style.js";
import { table } from "./table.js";
import { type Modules, terminalQrCode } from "./terminal-qr-code.js";

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
    ...drawing(message, options, width),
    ...fieldList(answer, width, style),
    ...timeLeft(message, options),
  ]);
}

/** The QR code of an answer that has one, if the terminal is wide enough. */
function drawing(message: MessageInit, { command, qrCode, style }: OneOptions, width: number): string[] {
  const text = command.qrCode && readField(placeOf(command.qrCode), message);
  const code = typeof text === "string" ? qrCode(text) : undefined;
  if (code === undefined || code.size + 4 > width) {
    return [];
  }
  return [...terminalQrCode(code, style.isColoured), ""];
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
