import { inflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type QrCode, qrCode } from "../../../src/tools/barcode/qr-code.js";
import { outline, renderPng, renderSvg } from "../../../src/tools/barcode/render.js";
import { colourAt, type Raster, rasterOfPng, rasterOfSvg, readQrCode } from "./decode.js";
import { SAMPLE_TEXTS } from "./sample-texts.js";

const BLACK = "000000ff";
const WHITE = "ffffffff";

const rasterOf: Readonly<Record<string, (code: QrCode) => Raster>> = {
  SVG: (code) => rasterOfSvg(renderSvg(code)),
  PNG: (code) => rasterOfPng(renderPng(code)),
};

function codeOf(text: string): QrCode {
  const code = qrCode(text);
  if (!code.ok) {
    throw new Error(`no code: ${code.failure.reason}`);
  }
  return code.value;
}

/** Creates a pattern of modules, `#` for dark, which may not be a valid QR code. */
function pattern(...rows: string[]): QrCode {
  return { size: rows.length, get: (x, y) => rows[y]?.[x] === "#" };
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
      fc.string({ minLength: 1, maxLength: 40, unit: "binary" }),
      fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }),
    );
    fc.assert(
      fc.property(text, (text) => {
        expect(readQrCode(raster(codeOf(text)))).toBe(text);
      }),
      { numRuns: 60 },
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
        if (colourAt(image, x, y) !== expected) {
          wrong.push(`${x},${y}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    // On the diagonal, the quiet zone ends at the finder pattern.
    expect([colourAt(image, 31, 31), colourAt(image, 32, 32)]).toEqual([WHITE, BLACK]);
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
          colourAt(image, 8 * ((i % size) + 4) + 3, 8 * (Math.floor(i / size) + 4) + 3),
        );
        expect(seen).toEqual(dark.map((isDark) => (isDark ? BLACK : WHITE)));
      }),
    );
  });
});

describe("renderSvg", () => {
  it("is one standalone element with two paths", () => {
    expect(renderSvg(pattern("#"))).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" width="72" height="72" viewBox="0 0 9 9" ' +
        'shape-rendering="crispEdges"><path fill="#fff" d="M0 0h9v9h-9z"/>' +
        '<path fill="#000" d="M4 4h1v1h-1z"/></svg>',
    );
  });

  it("contains the text only in its modules", () => {
    expect(renderSvg(codeOf('<script>"&]]>'))).toMatch(
      /^<svg [^<>]*><path fill="#fff" d="[Mhvz0-9 -]*"\/><path fill="#000" d="[Mhvz0-9 -]*"\/><\/svg>$/,
    );
  });

  it("stays black and white in a smaller size with fractional pixels per module", () => {
    const code = codeOf("https://example.com/?q=1");
    const image = rasterOfSvg(
      renderSvg(code).replace(/width="\d+" height="\d+"/, 'width="131" height="131"'),
    );
    const colours = new Set<string>();
    for (let y = 0; y < image.height; y++) {
      for (let x = 0; x < image.width; x++) {
        colours.add(colourAt(image, x, y));
      }
    }
    expect([...colours].sort()).toEqual([BLACK, WHITE]);
    expect(readQrCode(image)).toBe("https://example.com/?q=1");
  });
});

describe("outline", () => {
  it.each([
    ["no dark module", pattern("..", ".."), 0, ""],
    ["one", pattern("#"), 0, "M0 0h1v1h-1z"],
    ["one, moved", pattern("#"), 4, "M4 4h1v1h-1z"],
    ["a row", pattern("..", "##"), 0, "M0 1h2v1h-2z"],
    ["a step", pattern("#.", "##"), 0, "M0 0h1v1h1v1h-2z"],
    ["two that touch at a corner, which stay apart", pattern("#.", ".#"), 0, "M0 0h1v1h-1zM1 1h1v1h-1z"],
    [
      "a ring, whose hole is traced the other way",
      pattern("###", "#.#", "###"),
      0,
      "M0 0h3v3h-3zM1 2h1v-1h-1z",
    ],
  ])("of %s", (_, code, offset, path) => {
    expect(outline(code, offset)).toBe(path);
  });
});

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
});
