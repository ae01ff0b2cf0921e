import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import {
  BarcodeFormat,
  BarcodeService,
  ErrorCorrection,
  type RenderBarcodeRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { describe, expect, it } from "vitest";
import { barcodeService } from "../../../src/tools/barcode/barcode-service.js";
import { callUnary, errorOf } from "../call.js";
import { colorAt, rasterOfPng, rasterOfSvg, readQrCode } from "./decode.js";

const renderBarcode = (request: MessageInitShape<typeof RenderBarcodeRequestSchema>) =>
  callUnary(barcodeService(), BarcodeService.method.renderBarcode, request);

async function violationsOf(request: MessageInitShape<typeof RenderBarcodeRequestSchema>) {
  const error = await errorOf(renderBarcode(request));
  expect([error.code, error.reason]).toEqual([Code.InvalidArgument, "INVALID_PARAMETERS"]);
  return error.violations.map(({ field, reason, description }) => [field, reason, description]);
}

describe("RenderBarcode", () => {
  it.each([
    ["by default", BarcodeFormat.UNSPECIFIED],
    ["if requested", BarcodeFormat.SVG],
  ])("renders SVG %s", async (_, format) => {
    const { image } = await renderBarcode({ data: "Zoë", format });
    expect(image?.contentType).toBe("image/svg+xml");
    expect(readQrCode(rasterOfSvg(image?.data ?? new Uint8Array()))).toBe("Zoë");
  });

  it("renders PNG if requested", async () => {
    const { image } = await renderBarcode({ data: "Zoë", format: BarcodeFormat.PNG });
    expect(image?.contentType).toBe("image/png");
    expect(readQrCode(rasterOfPng(image?.data ?? new Uint8Array()))).toBe("Zoë");
  });

  it("renders text if requested, with the margin", async () => {
    const { image } = await renderBarcode({ data: "a", format: BarcodeFormat.TEXT, margin: 0 });
    expect(image?.contentType).toBe("text/plain; charset=utf-8");
    const lines = Buffer.from(image?.data ?? new Uint8Array())
      .toString()
      .split("\n");
    // The top of the finder patterns: a dark row, and a dark module at each end of the next row.
    expect([lines.length, lines[0]?.slice(0, 8), lines[0]?.slice(-7)]).toEqual([12, " ▄▄▄▄▄ █", " ▄▄▄▄▄ "]);
  });

  it("applies all options", async () => {
    const options = { size: 400, margin: 1, errorCorrection: ErrorCorrection.HIGH, foreground: "#1a4d8f" };
    const { image } = await renderBarcode({
      data: "Zoë",
      format: BarcodeFormat.PNG,
      background: "ffe",
      ...options,
    });
    const raster = rasterOfPng(image?.data ?? new Uint8Array());
    expect(readQrCode(raster)).toBe("Zoë");
    // 21 modules and the margin: 17 pixels each; 9 pixels remain.
    expect([raster.width, colorAt(raster, 20, 20), colorAt(raster, 21, 21)]).toEqual([
      400,
      "ffffeeff",
      "1a4d8fff",
    ]);
  });

  const REQUIRED = ["data", "REQUIRED", "must be given: the text to encode"];
  const INVALID_FORMAT = ["format", "INVALID_VALUE", "must be svg, png or text, is number 7"];
  it.each([
    ["no data", {}, [REQUIRED]],
    [
      "too much data",
      { data: "1".repeat(7090) },
      [
        [
          "data",
          "DATA_TOO_LONG",
          "must fit in one QR code, which holds 7,089 digits (5,596 with medium, 3,993 with quartile, 3,057 with high), has 7,090",
        ],
      ],
    ],
    ["an unknown format", { data: "a", format: 7 as BarcodeFormat }, [INVALID_FORMAT]],
    ["a size", { data: "a", size: 63 }, [["size", "INVALID_SIZE", "must be from 64 to 2048, is 63"]]],
    ["a margin", { data: "a", margin: -1 }, [["margin", "INVALID_MARGIN", "must be from 0 to 32, is -1"]]],
    [
      "a size that is too small for the text",
      { data: "a".repeat(200), size: 64 },
      [["size", "SIZE_TOO_SMALL", "must be at least 65, one pixel per module of this code, is 64"]],
    ],
    [
      "an unknown level of error correction",
      { data: "a", errorCorrection: 7 as ErrorCorrection },
      [["error_correction", "INVALID_VALUE", "must be low, medium, quartile or high, is number 7"]],
    ],
    [
      "colors",
      { data: "a", foreground: "red", background: "#12345" },
      ["foreground", "background"].map((field) => [
        field,
        "INVALID_COLOR",
        "must be 3, 4, 6 or 8 hexadecimal digits, for example 1a4d8f",
      ]),
    ],
    [
      "colors with little contrast",
      { data: "a", foreground: "#ccc" },
      [
        [
          "foreground",
          "CONTRAST_TOO_LOW",
          "must have a contrast of at least 4:1 with the background, has 1.6:1",
        ],
      ],
    ],
    [
      "options of images for text",
      { data: "a", format: BarcodeFormat.TEXT, size: 300, foreground: "000", background: "fff" },
      ["size", "foreground", "background"].map((field) => [
        field,
        "NOT_FOR_TEXT",
        "must not be given with the format text, which has characters for modules",
      ]),
    ],
    ["several invalid fields", { format: 7 as BarcodeFormat }, [REQUIRED, INVALID_FORMAT]],
  ])("rejects %s", async (_, request, violations) => {
    expect(await violationsOf(request)).toEqual(violations);
  });
});
