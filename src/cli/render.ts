import type { DescField, DescMessage, DescMethodUnary, JsonValue, Registry } from "@bufbuild/protobuf";
import {
  createJsonMessageWriter,
  createJsonResponseWriter,
  jsonString,
  type MessageInit,
  placeOf,
  readField,
} from "connect-transcoding/codec";
import {
  type HttpBodyContent,
  httpBodyReader,
  readHttpBindings,
  responseBodyOf,
  responseTextReader,
} from "connect-transcoding/rules";
import { qrCode } from "../tools/barcode/qr-code.js";
import type { ToolCommand } from "./commands.js";
import { type CallFailure, type ErrorSubject, errorJson, errorLine } from "./failures.js";
import type { InputItem } from "./input.js";
import {
  type Column,
  cellOf,
  columnsOf,
  fieldList,
  hasColumn,
  layOut,
  pathList,
  type TableLayout,
  table,
  tableRow,
} from "./tables.js";
import { displayText, drawQrCode, qrCodeWidth, type Style } from "./terminal.js";

/** The formats of a method's response, as the service writes it over HTTP. */
export interface ResponseFormats {
  /** The whole response, or its `response_body`, as JSON. */
  readonly json: (message: MessageInit) => string;
  /** The message type of this JSON; undefined if it is not one message. */
  readonly desc: DescMessage | undefined;
  /** The message type of the elements if the JSON is an array of messages. */
  readonly element: DescMessage | undefined;
  /** The bytes of a `google.api.HttpBody`. */
  readonly bytes: ((message: MessageInit) => HttpBodyContent) | undefined;
  /** The text if the default representation over HTTP is text. */
  readonly text: ((message: MessageInit) => string) | undefined;
}

/** Derives the formats of a method's response from its `google.api.http` rule. */
export function responseFormats(method: DescMethodUnary, registry: Registry): ResponseFormats {
  const [binding = { method, responseBody: undefined, options: undefined }] = readHttpBindings(method);
  const first = responseBodyOf(binding, binding.options?.representation?.choices[0]?.textField);
  const { output } = method;
  const { responseBody } = binding;
  const bodyMessage = responseBody?.fieldKind === "message" ? responseBody.message : undefined;
  return {
    json: createJsonResponseWriter(output, responseBody, registry),
    desc: responseBody === undefined ? output : bodyMessage,
    element: responseBody?.fieldKind === "list" ? responseBody.message : undefined,
    bytes: first.kind === "bytes" ? httpBodyReader(first.field) : undefined,
    text: first.kind === "text" ? responseTextReader(first.field) : undefined,
  };
}

/** The formats of the response to one input of many: a batch has it as a message in its results. */
export function itemFormats({ method, batch }: ToolCommand, registry: Registry): ResponseFormats {
  const formats = responseFormats(method, registry);
  const desc = batch?.answer.message;
  return desc === undefined
    ? formats
    : {
        ...formats,
        json: createJsonMessageWriter(desc, registry),
        desc,
        element: undefined,
        bytes: undefined,
      };
}

export interface RenderOptions {
  readonly command: ToolCommand;
  readonly isJson: boolean;
  /** Columns of the terminal that shows the output; undefined: it is not a terminal. */
  readonly width: number | undefined;
  /** The style of the output. */
  readonly style: Style;
}

/** Formats the response to a single request. */
export function renderOne(
  message: MessageInit,
  formats: ResponseFormats,
  { command, isJson, width, style }: RenderOptions,
): string | Uint8Array {
  if (isJson) {
    return `${formats.json(message)}\n`;
  }
  if (formats.bytes !== undefined) {
    return formats.bytes(message).data;
  }
  if (formats.text !== undefined) {
    return `${displayText(formats.text(message))}\n`;
  }
  const response: JsonValue = JSON.parse(formats.json(message));
  if (formats.element !== undefined && Array.isArray(response)) {
    const columns = columnsOf(formats.element);
    const rows = response.map((row) => columns.map((column) => cellOf(row, column)));
    const header = columns.map(({ name }) => name);
    return joinLines(
      width === undefined ? rows.map((row) => row.join("\t")) : table(header, rows, width, style),
    );
  }
  if (width === undefined) {
    return joinLines(pathList(response));
  }
  const isOfResponse = command.qrCode?.parent === command.method.output;
  return joinLines([
    ...(isOfResponse ? renderQrCode(message, command.qrCode, width, style) : []),
    ...fieldList(response, width, style),
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

function joinLines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join("");
}

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
}

type RenderBatch = (items: readonly InputItem[], results: readonly ItemResult[]) => Rendered;

/**
 * Creates the renderer of many inputs, which is called with one batch after the other. JSON output has one line per input,
 * including failures. Text output has the failures on standard error.
 */
export function createRenderer(options: RenderManyOptions): RenderBatch {
  return options.isJson ? jsonRenderer(options) : textRenderer(options);
}

function jsonRenderer({ formats, subjectOf }: RenderManyOptions): RenderBatch {
  return (items, results) => {
    let [out, failed] = ["", 0];
    for (const [index, result] of results.entries()) {
      const subject = subjectOf(items[index]?.text ?? "");
      if (result.kind === "response") {
        const input = subject.kind === "secret" ? "" : `"input":${jsonString(subject.text)},`;
        out += `{${input}"answer":${formats.json(result.message)}}\n`;
      } else {
        failed++;
        out += errorJson(result.failure, subject);
      }
    }
    return { out, err: "", failed };
  };
}

/** A response with its input. */
interface Response {
  readonly subject: ErrorSubject;
  readonly message: MessageInit;
}

function textRenderer(options: RenderManyOptions): RenderBatch {
  const { command, errStyle, subjectOf } = options;
  const render = responseRenderer(options);
  return (items, results) => {
    let [err, failed] = ["", 0];
    const responses: Response[] = [];
    for (const [index, result] of results.entries()) {
      const subject = subjectOf(items[index]?.text ?? "");
      if (result.kind === "failure") {
        failed++;
        err += errorLine(command.name, result.failure.message, errStyle, subject);
      } else {
        responses.push({ subject, message: result.message });
      }
    }
    return { out: responses.length === 0 ? "" : render(responses), err, failed };
  };
}

function responseRenderer(options: RenderManyOptions): (responses: readonly Response[]) => string {
  const { formats, width, style } = options;
  const { text } = formats;
  const desc = formats.element ?? formats.desc;
  if (text !== undefined) {
    return (responses) => joinLines(responses.map(({ message }) => displayText(text(message))));
  }
  if (width !== undefined && (desc === undefined || !isFlat(desc))) {
    return (responses) =>
      listResponses(
        responses.map(({ message }) => jsonValue(formats, message)),
        width,
        style,
      );
  }
  return rowRenderer(options, desc);
}

/** Renders each response as a list of its fields, with an empty line after it. */
function listResponses(responses: readonly JsonValue[], width: number, style: Style): string {
  return joinLines(responses.map((response) => `${fieldList(response, width, style).join("\n")}\n`));
}

/**
 * Renders each response as a row, and an array as a row per element: separated by tabs, or in a table whose layout depends on the
 * first batch. Messages that no response of the first batch has are left out. If one of them is there, a row is too long for a
 * terminal, and each response is a list. Rows of elements have all columns.
 */
function rowRenderer({ formats, width, style }: RenderManyOptions, desc: DescMessage | undefined) {
  const allColumns = desc === undefined ? [] : columnsOf(desc);
  const isArray = formats.element !== undefined;
  let presentColumns: readonly Column[] | undefined;
  let layout: TableLayout | undefined;
  return (responses: readonly Response[]): string => {
    const values = responses.flatMap(({ subject, message }) => {
      const value = jsonValue(formats, message);
      return (Array.isArray(value) ? value : [value]).map((each) => ({ subject, value: each }));
    });
    if (values.length === 0) {
      return "";
    }
    presentColumns ??= allColumns.filter(
      (column) => isArray || !column.isOptional || values.some(({ value }) => hasColumn(value, column)),
    );
    const columns = presentColumns;
    if (width !== undefined && !isArray && columns.some(({ isOptional }) => isOptional)) {
      return listResponses(
        values.map(({ value }) => value),
        width,
        style,
      );
    }
    const rows = values.map(({ subject, value }) => {
      const cells = columns.map((column) => cellOf(value, column));
      return subject.kind === "input" ? [displayText(subject.text), ...cells] : cells;
    });
    if (width === undefined) {
      return joinLines(rows.map((row) => row.join("\t")));
    }
    const names = columns.map(({ name }) => name);
    const header = (rows[0]?.length ?? 0) > names.length ? ["input", ...names] : names;
    const isFirst = layout === undefined;
    const known = layout ?? layOut(header, rows, width);
    layout = known;
    const lines = rows.map((row) => tableRow(known, row));
    return joinLines(isFirst ? [style.bold(tableRow(known, header)), ...lines] : lines);
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

function jsonValue(formats: ResponseFormats, message: MessageInit): JsonValue {
  return JSON.parse(formats.json(message));
}
