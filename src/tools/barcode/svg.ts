import type { Color } from "./colors.js";
import { DEFAULT_IMAGE, DEFAULT_SCALE, type ImageOptions } from "./image.js";
import type { QrCode } from "./qr-code.js";

/** The media type of {@link renderSvg}. */
export const SVG_TYPE = "image/svg+xml";

/** Renders a QR code as a standalone SVG document. Contains no script and no text. */
export function renderSvg(code: QrCode, options: ImageOptions = DEFAULT_IMAGE): string {
  const { margin, colors } = options;
  const modules = code.size + 2 * margin;
  const pixels = options.size ?? modules * DEFAULT_SCALE;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}"`,
    // In the spelling of the SVG specification, because some renderers are case-sensitive.
    ` viewBox="0 0 ${modules} ${modules}" shape-rendering="crispEdges">`,
    `<path ${fill(colors.background)} d="M0 0h${modules}v${modules}h-${modules}z"/>`,
    `<path ${fill(colors.foreground)} d="${outline(code, margin)}"/>`,
    "</svg>",
  ].join("");
}

/** The attributes of a color. Not all renderers know colors with alpha. */
function fill([red, green, blue, alpha]: Color): string {
  const digits = [red, green, blue].map((channel) => channel.toString(16).padStart(2, "0")).join("");
  const color = digits.replace(/^(.)\1(.)\2(.)\3$/, "$1$2$3");
  return `fill="#${color}"${alpha === 255 ? "" : ` fill-opacity="${Number((alpha / 255).toFixed(3))}"`}`;
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
