import type { DescField, JsonValue } from "@bufbuild/protobuf";
import { type MessageInit, placeOf, readField } from "connect-transcoding/codec";
import { formatCsvRow } from "../../text/csv.js";
import { qrCode } from "../../tools/barcode/qr-code.js";
import type { ToolCommand } from "../commands.js";
import { type Column, cellOf, columnsOf, selectValues } from "./columns.js";
import type { ResponseFormats } from "./formats.js";
import { fieldList, pathList, table } from "./tables.js";
import { displayText, drawQrCode, qrCodeWidth, type Style } from "./terminal.js";

/** The format of the output. `text` is aligned on a terminal, and separated by tabs elsewhere. */
export type OutputFormat = "text" | "json" | "csv";

export interface RenderOptions {
  readonly command: ToolCommand;
  readonly format: OutputFormat;
  /** The columns that are selected; undefined: the default ones. */
  readonly selected: readonly Column[] | undefined;
  /** Columns of the terminal that shows the output; undefined: it is not a terminal. */
  readonly width: number | undefined;
  /** The style of the output. */
  readonly style: Style;
}

/** Formats the response to a single request. */
export function renderOne(
  message: MessageInit,
  formats: ResponseFormats,
  { command, format, selected, width, style }: RenderOptions,
): string | Uint8Array {
  const json = formats.json(message);
  if (format === "json") {
    return `${selected === undefined ? json : JSON.stringify(selectValues(JSON.parse(json), selected))}\n`;
  }
  const isText = format === "text";
  if (isText && formats.bytes !== undefined) {
    return formats.bytes(message).data;
  }
  if (isText && selected === undefined && formats.text !== undefined) {
    return `${displayText(formats.text(message))}\n`;
  }
  const response: JsonValue = JSON.parse(json);
  const desc = formats.element ?? formats.desc;
  if (desc !== undefined && (formats.element !== undefined || format === "csv")) {
    const columns = selected ?? columnsOf(desc);
    const header = columns.map(({ name }) => name);
    const rows = [response].flat().map((row) => columns.map((column) => cellOf(row, column)));
    if (format === "csv") {
      return joinLines([header, ...rows].map((row) => formatCsvRow(row)));
    }
    const cells = rows.map((row) => row.map(displayText));
    return joinLines(
      width === undefined ? cells.map((row) => row.join("\t")) : table(header, cells, width, style),
    );
  }
  const shown = selected === undefined ? response : selectValues(response, selected);
  if (width === undefined) {
    return joinLines(pathList(shown));
  }
  const isOfResponse = command.qrCode?.parent === command.method.output;
  return joinLines([
    ...(isOfResponse ? renderQrCode(message, command.qrCode, width, style) : []),
    ...fieldList(shown, width, style),
    ...timeLeft(message, command.period, style),
  ]);
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

/** The time for which a changing response stays valid. */
function timeLeft(message: MessageInit, field: DescField | undefined, style: Style): string[] {
  const period = field && Number(readField(placeOf(field), message));
  if (period === undefined || !(period > 0)) {
    return [];
  }
  return [style.dim(`changes in ${Math.ceil(period - ((Date.now() / 1000) % period))} s`)];
}

/** Ends each line with a line break. */
export function joinLines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join("");
}
