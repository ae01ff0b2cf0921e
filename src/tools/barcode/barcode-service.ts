import {
  BarcodeFormat,
  BarcodeService,
  ErrorCorrection,
  type RenderBarcodeRequest,
} from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { type FieldViolation, invalidArgument, runInTurns } from "connect-transcoding";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { createTool, type Tool, type ToolModule } from "../tool.js";
import { BLACK, type Colors, checkContrast, parseColor, WHITE } from "./colors.js";
import { checkSize, type ImageOptions, parseMargin, parseSize } from "./image.js";
import { PNG_TYPE, renderPng } from "./png.js";
import { type Level, type QrCode, qrCode } from "./qr-code.js";
import { renderSvg, SVG_TYPE } from "./svg.js";
import { renderText, TEXT_TYPE } from "./text.js";

/** The fields of a `google.api.HttpBody`. */
interface Image {
  readonly contentType: string;
  readonly data: Uint8Array;
}

/** Creates the bar code tool: text as a QR code, in SVG, PNG or characters. */
export function barcodeService(): Tool {
  return createTool(BarcodeService, {
    renderBarcode: (request, context) =>
      runInTurns(context, function* () {
        const violations: FieldViolation[] = [];
        const check = <T>(field: string, result: Result<T, Failure>): T | undefined => {
          if (result.ok) {
            return result.value;
          }
          violations.push({ field, ...result.failure });
          return undefined;
        };
        const level = levelOf(request.errorCorrection);
        // With an unknown level, the text is checked for other errors.
        const code = check("data", qrCode(request.data, level.ok ? level.value : undefined));
        const render = check("format", rendererOf(request.format));
        const size = check("size", parseSize(request.size));
        check("error_correction", level);
        const margin = check("margin", parseMargin(request.margin));
        const colors = readColors(request, check);
        if (request.format === BarcodeFormat.TEXT) {
          violations.push(...notForText(request));
        }
        if (code === undefined || render === undefined || margin === undefined || colors === undefined) {
          throw invalidArgument(violations);
        }
        const options = { size, margin, colors };
        check("size", checkSize(code, options));
        if (violations.length > 0) {
          throw invalidArgument(violations);
        }
        yield;
        return { image: render(code, options) };
      }),
  });
}

export const load: ToolModule["load"] = () => ok(barcodeService());

/** Reads the colors of a request; undefined if `check` reported an error in them. */
function readColors(
  request: RenderBarcodeRequest,
  check: <T>(field: string, result: Result<T, Failure>) => T | undefined,
): Colors | undefined {
  const foreground = check("foreground", parseColor(request.foreground, BLACK));
  const background = check("background", parseColor(request.background, WHITE));
  return foreground && background && check("foreground", checkContrast({ foreground, background }));
}

/** The names of the levels of error correction over HTTP. */
const LEVELS: Readonly<Partial<Record<ErrorCorrection, Level>>> = {
  [ErrorCorrection.LOW]: "low",
  [ErrorCorrection.MEDIUM]: "medium",
  [ErrorCorrection.QUARTILE]: "quartile",
  [ErrorCorrection.HIGH]: "high",
};

function levelOf(number: ErrorCorrection): Result<Level | undefined, Failure<"INVALID_VALUE">> {
  const level = LEVELS[number];
  return level === undefined && number !== ErrorCorrection.UNSPECIFIED
    ? fail("INVALID_VALUE", `must be low, medium, quartile or high, is number ${number}`)
    : ok(level);
}

/** The options that characters do not have. */
function notForText({ size, foreground, background }: RenderBarcodeRequest): FieldViolation[] {
  const given = { size: size !== undefined, foreground: foreground !== "", background: background !== "" };
  return Object.entries(given)
    .filter(([, isGiven]) => isGiven)
    .map(([field]) => ({
      field,
      reason: "NOT_FOR_TEXT",
      description: "must not be given with the format text, which has characters for modules",
    }));
}

type Renderer = (code: QrCode, options: ImageOptions) => Image;

function rendererOf(format: BarcodeFormat): Result<Renderer, Failure<"INVALID_VALUE">> {
  switch (format) {
    case BarcodeFormat.UNSPECIFIED:
    case BarcodeFormat.SVG:
      return ok((code, options) => ({
        contentType: SVG_TYPE,
        data: new TextEncoder().encode(renderSvg(code, options)),
      }));
    case BarcodeFormat.PNG:
      return ok((code, options) => ({ contentType: PNG_TYPE, data: renderPng(code, options) }));
    case BarcodeFormat.TEXT:
      return ok((code, { margin }) => ({
        contentType: TEXT_TYPE,
        data: new TextEncoder().encode(renderText(code, margin)),
      }));
    default:
      return fail("INVALID_VALUE", `must be svg, png or text, is number ${format}`);
  }
}
