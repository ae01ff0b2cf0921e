import { BarcodeFormat, BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { type FieldViolation, invalidArgument, runInTurns } from "connect-transcoding";
import { ok } from "../../result.js";
import { createTool, type Tool, type ToolModule } from "../tool.js";
import { type QrCode, qrCode } from "./qr-code.js";
import { PNG_TYPE, renderPng, renderSvg, SVG_TYPE } from "./render.js";

/** The fields of a `google.api.HttpBody`. */
interface Image {
  readonly contentType: string;
  readonly data: Uint8Array;
}

/** Creates the bar code tool: text as a QR code, in SVG or PNG. */
export function barcodeService(): Tool {
  return createTool(BarcodeService, {
    renderBarcode: ({ data, format }, context) =>
      runInTurns(context, function* () {
        const code = qrCode(data);
        const render = rendererOf(format);
        if (!code.ok || render === undefined) {
          const violations: FieldViolation[] = [];
          if (!code.ok) {
            violations.push({ field: "data", ...code.failure });
          }
          if (render === undefined) {
            const description = `must be svg or png, is number ${format}`;
            violations.push({ field: "format", reason: "INVALID_VALUE", description });
          }
          throw invalidArgument(violations);
        }
        yield;
        return { image: render(code.value) };
      }),
  });
}

export const load: ToolModule["load"] = () => ok(barcodeService());

/** The renderer of a format; undefined for an unknown number. */
function rendererOf(format: BarcodeFormat): ((code: QrCode) => Image) | undefined {
  switch (format) {
    case BarcodeFormat.UNSPECIFIED:
    case BarcodeFormat.SVG:
      return (code) => ({ contentType: SVG_TYPE, data: new TextEncoder().encode(renderSvg(code)) });
    case BarcodeFormat.PNG:
      return (code) => ({ contentType: PNG_TYPE, data: renderPng(code) });
    default:
      return undefined;
  }
}
