import { constants, crc32, deflateSync } from "node:zlib";
import type { QrCode } from "./qr-code.js";

/** The light modules around a QR code on each side: the minimum of ISO/IEC 18004. */
const QUIET_ZONE = 4;

/** The width and height of a module in pixels. */
const SCALE = 8;

/** The media type of {@link renderSvg}. */
export const SVG_TYPE = "image/svg+xml";

/** The media type of {@link renderPng}. */
export const PNG_TYPE = "image/png";

/**
 * Renders a QR code as a standalone SVG document: black on opaque white, with its quiet zone, eight pixels per module
 * unless it is scaled. Contains no script and no text.
 */
export function renderSvg(code: QrCode): string {
  const modules = code.size + 2 * QUIET_ZONE;
  const pixels = modules * SCALE;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}"`,
    // In the spelling of the SVG specification, because some renderers are case-sensitive.
    ` viewBox="0 0 ${modules} ${modules}" shape-rendering="crispEdges">`,
    `<path fill="#fff" d="M0 0h${modules}v${modules}h-${modules}z"/>`,
    `<path fill="#000" d="${outline(code, QUIET_ZONE)}"/>`,
    "</svg>",
  ].join("");
}

/**
 * Traces the outline of the dark modules as SVG path data: one closed subpath per edge between dark and light, with the
 * dark side on its right, so that both fill rules of SVG fill only the dark modules. One outline leaves no seams
 * between modules if a renderer smooths edges, unlike adjacent rectangles.
 * https://www.w3.org/TR/SVG2/paths.html#PathData
 *
 * @param offset added to both coordinates, in modules
 */
export function outline(code: QrCode, offset: number): string {
  const traced = new Uint8Array(code.size * code.size);
  let path = "";
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) {
      // Every closed edge has a part that runs to the right, along the top of a dark module.
      if (traced[y * code.size + x] === 0 && code.get(x, y) && !code.get(x, y - 1)) {
        path += `M${x + offset} ${y + offset}${trace(code, x, y, traced)}z`;
      }
    }
  }
  return path;
}

/** The four directions in clockwise order; y grows downwards. */
const STEPS = [
  { dx: 1, dy: 0, command: "h", sign: "" },
  { dx: 0, dy: 1, command: "v", sign: "" },
  { dx: -1, dy: 0, command: "h", sign: "-" },
  { dx: 0, dy: -1, command: "v", sign: "-" },
] as const;
type Direction = 0 | 1 | 2 | 3;
const RIGHT_OF = [1, 2, 3, 0] as const;
const LEFT_OF = [3, 0, 1, 2] as const;

/**
 * Follows one edge from the top left corner of a dark module back to that corner, and marks the modules along whose
 * top it runs. Omits the last line, which the path's `z` draws.
 */
function trace(code: QrCode, startX: number, startY: number, traced: Uint8Array): string {
  let [x, y, length] = [startX, startY, 0];
  let direction: Direction = 0;
  let lines = "";
  do {
    const { dx, dy, command, sign } = STEPS[direction];
    if (direction === 0) {
      traced[y * code.size + x] = 1;
    }
    x += dx;
    y += dy;
    length++;
    const turn = nextDirection(code, x, y, direction);
    if (turn !== direction && !(x === startX && y === startY && turn === 0)) {
      lines += `${command}${sign}${length}`;
      length = 0;
    }
    direction = turn;
  } while (x !== startX || y !== startY || direction !== 0);
  return lines;
}

/** Returns the direction in which an edge continues at a corner, with the dark side on its right. */
function nextDirection(code: QrCode, x: number, y: number, direction: Direction): Direction {
  const { dx, dy } = STEPS[direction];
  // The modules after the corner, to the right and to the left of the direction.
  const aheadRight = code.get(x + (dx - dy - 1) / 2, y + (dx + dy - 1) / 2);
  const aheadLeft = code.get(x + (dx + dy - 1) / 2, y + (dy - dx - 1) / 2);
  if (!aheadRight) {
    return RIGHT_OF[direction];
  }
  return aheadLeft ? LEFT_OF[direction] : direction;
}

const PNG_SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** PNG filter types: the line itself, and the difference from the line above. */
const FILTER_NONE = 0;
const FILTER_UP = 2;

/**
 * Renders a QR code as a PNG: black on opaque white, with its quiet zone, eight pixels per module, one-bit grayscale.
 * https://www.w3.org/TR/2003/REC-PNG-20031110/
 */
export function renderPng(code: QrCode): Uint8Array {
  const modules = code.size + 2 * QUIET_ZONE;
  // Twelve times as fast as the default strategy, for 5 % more bytes.
  const compressed = deflateSync(scanlines(code, modules), { strategy: constants.Z_RLE });
  return Buffer.concat([
    PNG_SIGNATURE,
    chunk("IHDR", header(modules * SCALE)),
    chunk("IDAT", compressed),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Width, height, bit depth 1, grayscale, the only methods of compression and filtering, and no interlacing. */
function header(pixels: number): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(pixels, 0);
  data.writeUInt32BE(pixels, 4);
  data[8] = 1;
  return data;
}

/**
 * The lines of the image: a filter type, then eight pixels per byte, 1 for white. A module is eight pixels wide, so it is
 * one byte; it is eight lines high, and the last seven equal the first.
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
