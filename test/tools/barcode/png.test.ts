import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { BLACK, WHITE } from "../../../src/tools/barcode/colors.js";
import { DEFAULT_IMAGE, type ImageOptions } from "../../../src/tools/barcode/image.js";
import { renderPng } from "../../../src/tools/barcode/png.js";
import type { QrCode } from "../../../src/tools/barcode/qr-code.js";

/** Creates a pattern of modules, `#` for dark, which may not be a valid QR code. */
function pattern(...rows: string[]): QrCode {
  return { size: rows.length, get: (x, y) => rows[y]?.[x] === "#" };
}

describe("renderPng", () => {
  it("is one-bit grayscale, with only the critical chunks", () => {
    const png = Buffer.from(renderPng(pattern("#.", "..")));
    expect(png.subarray(0, 33).toString("hex")).toBe(
      "89504e470d0a1a0a" + "0000000d" + "49484452" + "00000050" + "00000050" + "0100000000" + "a66acf00",
    );
    const idatSize = png.readUInt32BE(33);
    expect(png.subarray(37, 41).toString("latin1")).toBe("IDAT");
    expect(inflateSync(png.subarray(41, 41 + idatSize)).length).toBe(80 * (1 + 10));
    expect(png.subarray(45 + idatSize).toString("hex")).toBe("0000000049454e44ae426082");
  });

  const chunksOf = (options: ImageOptions) => {
    const png = Buffer.from(renderPng(pattern("#.", ".."), options)).toString("latin1");
    return png.match(/IHDR|PLTE|tRNS|IDAT|IEND/g);
  };
  it.each([
    ["black on white", BLACK, WHITE, ["IHDR", "IDAT", "IEND"]],
    ["colors", [26, 77, 143, 255], WHITE, ["IHDR", "PLTE", "IDAT", "IEND"]],
    ["a transparent background", BLACK, [255, 255, 255, 0], ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]],
  ] as const)("has a palette for other colors: %s", (_, foreground, background, chunks) => {
    expect(chunksOf({ ...DEFAULT_IMAGE, colors: { foreground, background } })).toEqual(chunks);
  });
});
