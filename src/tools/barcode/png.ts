import { constants, crc32, deflateSync } from "node:zlib";
import { type Color, over } from "./colors.js";
import { DEFAULT_IMAGE, DEFAULT_SCALE, type ImageOptions } from "./image.js";
import type { QrCode } from "./qr-code.js";

/** The media type of {@link renderPng}. */
export const PNG_TYPE = "image/png";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Color types. */
const GRAYSCALE = 0;
const INDEXED = 3;

/** Filter types: the line itself, and the difference from the line above. */
const FILTER_NONE = 0;
const FILTER_UP = 2;

/**
 * Renders a QR code as a PNG of one bit per pixel: in grayscale if it is black on opaque white, or else with a palette. Modules
 * have whole pixels; pixels that remain are around the margin.
 * https://www.w3.org/TR/2003/REC-PNG-20031110/
 */
export function renderPng(code: QrCode, options: ImageOptions = DEFAULT_IMAGE): Uint8Array {
  const modules = code.size + 2 * options.margin;
  const size = options.size ?? modules * DEFAULT_SCALE;
  const scale = Math.floor(size / modules);
  const start = options.margin * scale + Math.floor((size - modules * scale) / 2);
  const { foreground, background } = options.colors;
  const palette = [over(foreground, background), background];
  const isGray = palette.flat().join() === "0,0,0,255,255,255,255,255";
  // Twelve times as fast as the default strategy, for 5 % more bytes.
  const compressed = deflateSync(scanlines(code, size, scale, start), { strategy: constants.Z_RLE });
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header(size, isGray ? GRAYSCALE : INDEXED)),
    ...(isGray ? [] : paletteChunks(palette)),
    chunk("IDAT", compressed),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Width, height, bit depth 1, color type, the only methods of compression and filtering, and no interlacing. */
function header(size: number, colorType: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(size, 0);
  data.writeUInt32BE(size, 4);
  data[8] = 1;
  data[9] = colorType;
  return data;
}

/** The palette, and the alpha of its colors unless all are opaque. */
function paletteChunks(palette: readonly Color[]): Buffer[] {
  const colors = chunk("PLTE", Buffer.from(palette.flatMap((color) => color.slice(0, 3))));
  const alphas = palette.map(([, , , alpha]) => alpha);
  return alphas.every((alpha) => alpha === 255) ? [colors] : [colors, chunk("tRNS", Buffer.from(alphas))];
}

/**
 * The lines of the image: a filter type, then eight pixels per byte, 1 for the background. The first line of a row of modules has
 * its pixels; the others equal it.
 *
 * @param scale the width and height of a module in pixels
 * @param start the first pixel of the code, in both directions
 */
function scanlines(code: QrCode, size: number, scale: number, start: number): Buffer {
  const lineSize = 1 + Math.ceil(size / 8);
  const data = Buffer.alloc(lineSize * size);
  let before: number | undefined;
  for (let line = 0; line < size; line++) {
    const row = Math.floor((line - start) / scale);
    const offset = line * lineSize;
    if (row === before) {
      data[offset] = FILTER_UP;
      continue;
    }
    before = row;
    data[offset] = FILTER_NONE;
    data.fill(0xff, offset + 1, offset + lineSize);
    if (row < 0 || row >= code.size) {
      continue;
    }
    for (let column = 0; column < code.size; column++) {
      if (code.get(column, row)) {
        const pixel = start + column * scale;
        clearBits(data, 8 * (offset + 1) + pixel, scale);
      }
    }
  }
  return data;
}

/** Clears `count` bits, the most significant bit of a byte first. */
function clearBits(data: Buffer, first: number, count: number): void {
  const end = first + count;
  for (let bit = first; bit < end; ) {
    const index = bit >> 3;
    const next = Math.min(end, (index + 1) << 3);
    // The bits of the byte before `bit`, and those from `next` on.
    const kept = (0xff00 >> (bit & 7)) | (0xff >> (next - (index << 3)));
    data[index] = (data[index] ?? 0) & kept;
    bit = next;
  }
}

/** A chunk: length, type, data, and the CRC of type and data. */
function chunk(type: string, data: Buffer): Buffer {
  const result = Buffer.alloc(12 + data.length);
  result.writeUInt32BE(data.length, 0);
  result.write(type, 4, "latin1");
  data.copy(result, 8);
  result.writeUInt32BE(crc32(result.subarray(4, 8 + data.length)), 8 + data.length);
  return result;
}
