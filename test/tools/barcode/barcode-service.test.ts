import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import {
  BarcodeFormat,
  BarcodeService,
  type RenderBarcodeRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { describe, expect, it } from "vitest";
import { barcodeService } from "../../../src/tools/barcode/barcode-service.js";
import { callUnary, errorOf, methodNames } from "../call.js";
import { rasterOfPng, rasterOfSvg, readQrCode } from "./decode.js";

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

  it("implements every method of its service", () => {
    const service = barcodeService();
    expect(service.service).toBe(BarcodeService);
    expect(methodNames(service)).toEqual(["RenderBarcode"]);
  });

  const REQUIRED = ["data", "REQUIRED", "must be given: the text to encode"];
  const INVALID_FORMAT = ["format", "INVALID_VALUE", "must be svg or png, is number 7"];
  it.each([
    ["no data", {}, [REQUIRED]],
    [
      "too much data",
      { data: "a".repeat(2049) },
      [["data", "DATA_TOO_LONG", "must have at most 2048 characters"]],
    ],
    ["an unknown format", { data: "a", format: 7 as BarcodeFormat }, [INVALID_FORMAT]],
    ["several invalid fields", { format: 7 as BarcodeFormat }, [REQUIRED, INVALID_FORMAT]],
  ])("rejects %s", async (_, request, violations) => {
    expect(await violationsOf(request)).toEqual(violations);
  });
});
