import { ANY_CHARACTER } from "connect-transcoding-testing/any-character.js";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { BLACK as BLACK_COLOR, type Color, WHITE as WHITE_COLOR } from "../../../src/tools/barcode/colors.js";
import {
  checkSize,
  DEFAULT_IMAGE,
  type ImageOptions,
  parseMargin,
  parseSize,
} from "../../../src/tools/barcode/image.js";
import { renderPng } from "../../../src/tools/barcode/png.js";
import { type QrCode, qrCode } from "../../../src/tools/barcode/qr-code.js";
import { renderSvg } from "../../../src/tools/barcode/svg.js";
import { colorAt, type Raster, rasterOfPng, rasterOfSvg, readQrCode } from "./decode.js";
import { SAMPLE_TEXTS } from "./sample-texts.js";

const BLACK = "000000ff";
const WHITE = "ffffffff";

const rasterOf: Readonly<Record<string, (code: QrCode, options?: ImageOptions) => Raster>> = {
  SVG: (code, options) => rasterOfSvg(renderSvg(code, options)),
  PNG: (code, options) => rasterOfPng(renderPng(code, options)),
};

function codeOf(text: string): QrCode {
  const code = qrCode(text);
  if (!code.ok) {
    throw new Error(`no code: ${code.failure.reason}`);
  }
  return code.value;
}

/** Puts an image on a larger one of a color. */
function framed({ pixels, width, height }: Raster, color: Color): Raster {
  const [frame, size] = [Math.ceil(width / 4), width + 2 * Math.ceil(width / 4)];
  const all = new Uint8ClampedArray(Buffer.alloc(4 * size * size, Uint8Array.from(color)));
  for (let y = 0; y < height; y++) {
    all.set(pixels.subarray(4 * y * width, 4 * (y + 1) * width), 4 * ((y + frame) * size + frame));
  }
  return { pixels: all, width: size, height: size };
}

describe.each(Object.entries(rasterOf))("%s", (_, raster) => {
  it.each([
    ...Object.entries(SAMPLE_TEXTS),
    ["2,048 ASCII characters", "The quick brown fox. ".repeat(98).slice(0, 2048)],
    ["2,048 digits", "1234567890".repeat(205).slice(0, 2048)],
    ["2,952 bytes of UTF-8", "é".repeat(1476)],
  ])("can be decoded: %s", (_, text) => {
    expect(readQrCode(raster(codeOf(text)))).toBe(text);
  });

  it("can be decoded for any text", () => {
    const text = fc.oneof(
      fc.string({ minLength: 1, maxLength: 60 }),
      fc.string({ minLength: 1, maxLength: 40, unit: ANY_CHARACTER }),
      fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }),
    );
    fc.assert(
      fc.property(text, (text) => {
        expect(readQrCode(raster(codeOf(text)))).toBe(text);
      }),
      { numRuns: 30 },
    );
  });

  it("has eight pixels per module, black or opaque white, and a quiet zone of four modules", () => {
    const code = codeOf("https://example.com/?q=1");
    const image = raster(code);
    expect([image.width, image.height]).toEqual([8 * (code.size + 8), 8 * (code.size + 8)]);
    const wrong: string[] = [];
    for (let y = 0; y < image.height; y++) {
      for (let x = 0; x < image.width; x++) {
        const expected = code.get(Math.floor(x / 8) - 4, Math.floor(y / 8) - 4) ? BLACK : WHITE;
        if (colorAt(image, x, y) !== expected) {
          wrong.push(`${x},${y}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    // On the diagonal, the quiet zone ends at the finder pattern.
    expect([colorAt(image, 31, 31), colorAt(image, 32, 32)]).toEqual([WHITE, BLACK]);
  });

  const TEXT = "https://example.com/?q=1";
  const SIZES = [undefined, 131, 300];
  const LARGEST = 2048;
  const MARGINS = [0, 4, 11];
  const COLORS: readonly (readonly [string, Color, Color])[] = [
    ["black on white", BLACK_COLOR, WHITE_COLOR],
    ["blue on yellow", [26, 77, 143, 255], [255, 240, 128, 255]],
    ["gray on white, with the least contrast allowed", [127, 127, 127, 255], WHITE_COLOR],
    ["half-transparent black on white", [0, 0, 0, 128], WHITE_COLOR],
  ];
  it.each(
    COLORS.flatMap(([name, foreground, background]) =>
      MARGINS.flatMap((margin) =>
        // Colors do not depend on the size. An image of the largest size takes half a second to decode.
        (foreground !== BLACK_COLOR ? [undefined] : margin === 4 ? [...SIZES, LARGEST] : SIZES).map(
          (size) => [name, margin, size, { margin, size, colors: { foreground, background } }] as const,
        ),
      ),
    ),
  )("can be decoded: %s, margin %i, size %s", (_name, margin, size, options) => {
    const code = codeOf(TEXT);
    const image = raster(code, options);
    const expected = size ?? 8 * (code.size + 2 * margin);
    expect([image.width, image.height]).toEqual([expected, expected]);
    // A reader needs a margin, which the surroundings of the image provide if it has none.
    expect(readQrCode(margin === 0 ? framed(image, options.colors.background) : image)).toBe(TEXT);
  });

  it("has the colors of the request", () => {
    const colors = { foreground: [26, 77, 143, 255], background: [255, 240, 128, 255] } as const;
    const image = raster(codeOf(TEXT), { ...DEFAULT_IMAGE, colors });
    expect([colorAt(image, 31, 31), colorAt(image, 32, 32)]).toEqual(["fff080ff", "1a4d8fff"]);
  });

  it("has a transparent background on request", () => {
    const colors = { foreground: BLACK_COLOR, background: [255, 255, 255, 0] } as const;
    const image = raster(codeOf(TEXT), { ...DEFAULT_IMAGE, colors });
    expect([colorAt(image, 0, 0).slice(6), colorAt(image, 32, 32)]).toEqual(["00", BLACK]);
  });

  it("has a half-transparent foreground on request", () => {
    const colors = { foreground: [0, 0, 0, 128], background: WHITE_COLOR } as const;
    expect(colorAt(raster(codeOf(TEXT), { ...DEFAULT_IMAGE, colors }), 32, 32)).toBe("7f7f7fff");
  });

  it("renders any pattern of modules", () => {
    const patterns = fc
      .integer({ min: 1, max: 12 })
      .chain((size) => fc.array(fc.boolean(), { minLength: size * size, maxLength: size * size }));
    fc.assert(
      fc.property(patterns, (dark) => {
        const size = Math.sqrt(dark.length);
        const code: QrCode = {
          size,
          get: (x, y) => x >= 0 && y >= 0 && x < size && y < size && dark[y * size + x] === true,
        };
        const image = raster(code);
        const seen = dark.map((_, i) =>
          colorAt(image, 8 * ((i % size) + 4) + 3, 8 * (Math.floor(i / size) + 4) + 3),
        );
        expect(seen).toEqual(dark.map((isDark) => (isDark ? BLACK : WHITE)));
      }),
    );
  });
});

describe("parseSize", () => {
  it.each([undefined, 64, 300, 2048])("accepts %s", (size) => {
    expect(parseSize(size)).toEqual({ ok: true, value: size });
  });
  it.each([-1, 0, 63, 2049])("rejects %i", (size) => {
    const failure = { reason: "INVALID_SIZE", description: `must be from 64 to 2048, is ${size}` };
    expect(parseSize(size)).toEqual({ ok: false, failure });
  });
});

describe("parseMargin", () => {
  it.each([
    [undefined, 4],
    [0, 0],
    [32, 32],
  ])("reads %s", (margin, value) => {
    expect(parseMargin(margin)).toEqual({ ok: true, value });
  });
  it.each([-1, 33])("rejects %i", (margin) => {
    const failure = { reason: "INVALID_MARGIN", description: `must be from 0 to 32, is ${margin}` };
    expect(parseMargin(margin)).toEqual({ ok: false, failure });
  });
});

test("an image has at least one pixel per module", () => {
  const code = codeOf("a".repeat(200));
  expect(code.size).toBe(57);
  expect(checkSize(code, { ...DEFAULT_IMAGE, size: 65 })).toEqual({ ok: true, value: undefined });
  expect(checkSize(code, { ...DEFAULT_IMAGE, size: 64 })).toEqual({
    ok: false,
    failure: {
      reason: "SIZE_TOO_SMALL",
      description: "must be at least 65, one pixel per module of this code, is 64",
    },
  });
});
