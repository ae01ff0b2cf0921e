import type { DescField, JsonValue } from "@bufbuild/protobuf";
import { type MessageInit, placeOf, readField } from "connect-transcoding/codec";
import { qrCode } from "../../tools/barcode/qr-code.js";
import { type BatchFormat, joinLines, type RenderOptions } from "./batch-format.js";
import { selectValues } from "./columns.js";
import { fieldList, pathList } from "./tables.js";
import { drawQrCode, qrCodeWidth, type Style } from "./terminal.js";

/**
 * Each response as a list of its fields. The response to one input has its QR code before it and its validity after it; those of
 * many inputs have an empty line after each. Failures have no list.
 */
export function listFormat(options: RenderOptions, width: number): BatchFormat {
  const { command, inputs, style } = options;
  const isOfResponse = command.qrCode?.parent === command.method.output;
  return eachResponse((message) => {
    const fields = fieldList(shownOf(message, options), width, style);
    if (inputs === "many") {
      return [...fields, ""];
    }
    const drawn = isOfResponse ? renderQrCode(message, command.qrCode, width, style) : [];
    return [...drawn, ...fields, ...timeLeft(message, command.period, style)];
  });
}

/** Each response as lines for programs: one per plain value, with its path. */
export function pathFormat(options: RenderOptions): BatchFormat {
  return eachResponse((message) => pathList(shownOf(message, options)));
}

function eachResponse(linesOf: (message: MessageInit) => readonly string[]): BatchFormat {
  return {
    format: (_batch, results) =>
      joinLines(results.flatMap((result) => (result.kind === "response" ? linesOf(result.message) : []))),
    end: () => "",
  };
}

function shownOf(message: MessageInit, { formats, selected }: RenderOptions): JsonValue {
  const response: JsonValue = JSON.parse(formats.json(message));
  return selected === undefined ? response : selectValues(response, selected);
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
