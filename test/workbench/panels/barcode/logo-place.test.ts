import { PNG } from "pngjs";
import { describe, expect, it, test } from "vitest";
import { renderPng } from "../../../../src/tools/barcode/png.js";
import { type QrCode, qrCode } from "../../../../src/tools/barcode/qr-code.js";
import { renderSvg } from "../../../../src/tools/barcode/svg.js";
import { type Raster, rasterOfPng, rasterOfSvg, readQrCode } from "../../../tools/barcode/decode.js";
import { SAMPLE_TEXTS } from "../../../tools/barcode/sample-texts.js";
import { pageModule } from "../../page-module.js";

const { logoPlace, withLogo } = await pageModule<{
  readonly logoPlace: (svg: string) => { readonly side: number };
  readonly withLogo: (svg: string, logo: string) => string;
}>("panels/barcode/logo-place.ts");

/** By a variable, because the types of the reader need the DOM, which tests do not have. */
const READER = "qr/decode.js";
const { decodeQR }: { readonly decodeQR: (image: object) => string } = await import(READER);

/** Two independent readers. */
const READERS: Readonly<Record<string, (image: Raster) => string | undefined>> = {
  jsQR: readQrCode,
  qr: ({ pixels, width, height }) => decodeQR({ data: pixels, width, height }),
};

/** What a version holds in bytes with error correction H (ISO/IEC 18004, table 7). */
const CAPACITIES = [
  7, 14, 24, 34, 44, 58, 64, 84, 98, 119, 137, 155, 177, 194, 220, 250, 280, 310, 338, 382, 403, 439, 461,
  511, 535, 593, 625, 658, 698, 742, 790, 842, 898, 958, 983, 1051, 1093, 1139, 1219, 1273,
];

function codeOf(text: string): QrCode {
  const code = qrCode(text, "high");
  if (!code.ok) {
    throw new Error(`no code: ${code.failure.reason}`);
  }
  return code.value;
}

/** The side of a module in pixels. */
const SCALE = 3;

const optionsFor = ({ size }: QrCode, margin = 4) => ({
  margin,
  size: SCALE * (size + 2 * margin),
  colors: { foreground: [0, 0, 0, 255], background: [255, 255, 255, 255] } as const,
});

/** What each reader reads in an image. */
function readingsOf(image: Raster): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(READERS).map(([name, read]) => {
      try {
        return [name, read(image)];
      } catch {
        return [name, undefined];
      }
    }),
  );
}

/** That all readers read a text. */
const allRead = (text: string) => Object.fromEntries(Object.keys(READERS).map((name) => [name, text]));

/** Returns a code of a version, full of text. */
function fullCode(version: number): { readonly text: string; readonly code: QrCode } {
  const bytes = CAPACITIES[version - 1] ?? 0;
  const text = "Any text, Www.Example.org/?".repeat(bytes).slice(0, bytes);
  return { text, code: codeOf(text) };
}

describe("the square of a logo", () => {
  it.each([
    [1, 3],
    [2, 5],
    [5, 7],
    [10, 11],
    [40, 37],
  ])("in version %i has a side of %i modules", (version, side) => {
    expect(logoPlace(renderSvg(fullCode(version).code)).side).toBe(side);
  });

  // The worst logo, and one more module on each side: all of them have the other color, so each codeword is wrong.
  it.each(CAPACITIES.map((_, index) => index + 1))(
    "leaves version %i readable, whatever the logo shows",
    (version) => {
      const { text, code } = fullCode(version);
      const { size } = code;
      const side = logoPlace(renderSvg(code)).side + 2;
      const isBelow = (place: number) => 2 * place >= size - side && 2 * place < size + side;
      const worst: QrCode = { size, get: (x, y) => code.get(x, y) !== (isBelow(x) && isBelow(y)) };
      expect([code.size, readingsOf(rasterOfPng(renderPng(worst, optionsFor(code))))]).toEqual([
        17 + 4 * version,
        allRead(text),
      ]);
    },
  );
});

/** Draws a logo by the color of its pixels, and returns it as a `data:` URL. */
function logoOf(width: number, height: number, colorAt: (x: number, y: number) => readonly number[]): string {
  const png = new PNG({ width, height });
  for (let index = 0; index < width * height; index++) {
    png.data.set(colorAt(index % width, Math.floor(index / width)), 4 * index);
  }
  return `data:image/png;base64,${PNG.sync.write(png).toString("base64")}`;
}

const BLACK = [0, 0, 0, 255];
const WHITE = [255, 255, 255, 255];
const NONE = [0, 0, 0, 0];

/** The distance from the middle of a logo of 70 pixels, in sevenths of it. */
const ring = (x: number, y: number) => Math.max(Math.abs(x - 34.5), Math.abs(y - 34.5)) / 10;

const LOGOS: Readonly<Record<string, string>> = {
  "all black": logoOf(70, 70, () => BLACK),
  "all white": logoOf(70, 70, () => WHITE),
  transparent: logoOf(70, 70, () => NONE),
  "a disk": logoOf(70, 70, (x, y) => (Math.hypot(x - 34.5, y - 34.5) < 35 ? [200, 30, 60, 255] : NONE)),
  "a wide bar": logoOf(70, 14, () => [30, 60, 200, 255]),
  "a high bar": logoOf(14, 70, () => BLACK),
  "like the pattern in the corners of a code": logoOf(70, 70, (x, y) =>
    ring(x, y) < 1.5 || ring(x, y) > 2.5 ? BLACK : WHITE,
  ),
  "a fine pattern": logoOf(70, 70, (x, y) => ((x * 7 + y * 13 + ((x * y) % 11)) % 3 === 0 ? BLACK : WHITE)),
};

describe("withLogo", () => {
  it("puts a box and the picture above the middle", () => {
    const code = codeOf("https://example.com/");
    const colors = { foreground: [26, 77, 143, 255], background: [255, 255, 0, 64] } as const;
    const svg = renderSvg(code, { margin: 2, size: 300, colors });
    // The code has 29 modules, and 2 on each side.
    expect(withLogo(svg, "data:,")).toBe(
      svg.replace(
        "</svg>",
        '<path fill="#ff0" d="M14 14h5v5h-5z"/><image xmlns:xlink="http://www.w3.org/1999/xlink" ' +
          'xlink:href="data:," x="14.5" y="14.5" width="4" height="4"/></svg>',
      ),
    );
  });

  it("rejects another image", () => {
    expect(() => withLogo("<svg></svg>", "data:,")).toThrow(new Error("this is no image of a code"));
  });

  // The reader qr leaves a byte order mark out.
  const { "a byte order mark": _, ...texts } = SAMPLE_TEXTS;
  test.each(
    Object.entries({ ...texts, "a link": "https://example.com/" }).map(([name, text], index) => {
      const logos = Object.keys(LOGOS);
      return [name, logos[index % logos.length] ?? "", text] as const;
    }),
  )("leaves %s readable below a logo that is %s", (_name, logo, text) => {
    const svg = renderSvg(codeOf(text), optionsFor(codeOf(text)));
    expect(readingsOf(rasterOfSvg(withLogo(svg, LOGOS[logo] ?? "")))).toEqual(allRead(text));
  });

  test.each(Object.entries(LOGOS))("leaves a link readable below a logo that is %s", (_name, logo) => {
    const text = "https://example.com/";
    const svg = renderSvg(codeOf(text), optionsFor(codeOf(text)));
    expect(readingsOf(rasterOfSvg(withLogo(svg, logo)))).toEqual(allRead(text));
  });
});
