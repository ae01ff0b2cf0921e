import { describe, expect, it } from "vitest";
import { qrCode } from "../../../src/tools/barcode/qr-code.js";
import { renderText, renderTextLines } from "../../../src/tools/barcode/text.js";
import { type Raster, readQrCode } from "./decode.js";
import { SAMPLE_TEXTS } from "./sample-texts.js";

const SCALE = 4;

/** Draws each character as two modules, one above the other: white where the character is drawn. */
function rasterOfText(text: string): Raster {
  const lines = text.trimEnd().split("\n");
  const width = (lines[0]?.length ?? 0) * SCALE;
  const height = lines.length * 2 * SCALE;
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / SCALE);
    for (let x = 0; x < width; x++) {
      const character = lines[row >> 1]?.[Math.floor(x / SCALE)] ?? " ";
      if (!(row % 2 === 0 ? /[█▀]/ : /[█▄]/).test(character)) {
        pixels.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
      }
    }
  }
  return { pixels, width, height };
}

describe("renderText", () => {
  it("draws the light modules, two rows per line, with the margin", () => {
    const code = { size: 3, get: (x: number, y: number) => x === y && x >= 0 && x < 3 };
    expect(renderTextLines(code, 0)).toEqual(["▄▀█", "▀▀ "]);
    expect(renderText(code, 1)).toBe("█▀███\n██▄▀█\n▀▀▀▀▀\n");
  });

  it("has a margin of four modules by default", () => {
    const code = qrCode("a");
    const lines = code.ok ? renderTextLines(code.value) : [];
    expect([lines.length, lines[0]]).toEqual([15, "█".repeat(29)]);
  });

  it.each(Object.entries(SAMPLE_TEXTS))("can be read: %s", (_, text) => {
    const code = qrCode(text);
    expect(code.ok ? readQrCode(rasterOfText(renderText(code.value))) : code.failure).toBe(text);
  });
});
