import { crc32, deflateSync } from "node:zlib";
import { QUIET_ZONE, SCALE } from "./layout.js";
import type { QrCode } from "./qr-code.js";

/** The media type of what {@link renderPng} gives. */
export const PNG_TYPE = "image/png";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Filter types: the line as it is, and the difference to the line above. */
const FILTER_NONE = 0;
const FILTER_UP = 2;

/**
 * Draws a QR code as a PNG: black on opaque white, with its quiet zone, eight pixels a module; greyscale of one
 * bit. https://www.w3.org/TR/2003/REC-PNG-20031110/
 */
export function renderPng(code: QrCode): Uint8Array {
  const modules = code.size + 2 * QUIET_ZONE;
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header(modules * SCALE)),
    chunk("IDAT", deflateSync(scanlines(code, modules))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Width, height, bit depth 1, greyscale, and the only methods of compression, filtering and (no) interlacing. */
function header(pixels: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(pixels, 0);
  data.writeUInt32BE(pixels, 4);
  data[8] = 1;
  return data;
}

/**
 * The lines of the image, each a filter type and then eight pixels an octet, 1 for white. A module is eight
 * pixels wide, so it is one octet; and eight lines high, of which the last seven differ in nothing from the first.
 */
function scanlines(code: QrCode, modules: number): Buffer {
  const lineSize = 1 + modules;
  const data = Buffer.alloc(lineSize * modules * SCALE);
  for (let row = 0; row < modules; row++) {
    const start = row * SCALE * lineSize;
    data[start] = FILTER_NONE;
    for (let column = 0; column < modules; column++) {
      data[start + 1 + column] = code.get(column - QUIET_ZONE, row - QUIET_ZONE) ? 0x00 : 0xff;
    }
    for (let line = 1; line < SCALE; line++) {
      data[start + line * lineSize] = FILTER_UP;
    }
  }
  return data;
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
