import { BarcodeFormat, BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import {
  type FieldViolation,
  implement,
  invalidArgument,
  type ServiceImplementation,
} from "connect-transcoding";
import { type QrCode, qrCode } from "./qr-code.js";
import { PNG_TYPE, renderPng } from "./render-png.js";
import { renderSvg, SVG_TYPE } from "./render-svg.js";

/** An image and its media type, as `google.api.HttpBody` has them. */
interface Image {
  readonly contentType: string;
  readonly data: Uint8Array;
}

/** The bar code service: text as a QR code, in SVG or PNG. */
export function barcodeService(): ServiceImplementation {
  return implement(BarcodeService, {
    renderBarcode({ data, format }) {
      const code = qrCode(data);
      const render = rendererOf(format);
      if (!code.ok || render === undefined) {
        const violations: FieldViolation[] = [];
        if (!code.ok) violations.push({ field: "data", ...code.failure });
        if (render === undefined) violations.push(unknownFormat(format));
        throw invalidArgument(violations);
      }
      return { image: render(code.value) };
    },
  });
}

/** What renders a format; none where the number is no format that this service knows. */
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

function unknownFormat(format: number): FieldViolation {
  return {
    field: "format",
    reason: "INVALID_VALUE",
    description: `must be svg or png, is number ${format}`,
  };
}
