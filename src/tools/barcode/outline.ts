import type { QrCode } from "./qr-code.js";

/**
 * Traces the outline of the dark modules, as the data of an SVG path: one closed subpath for each edge between
 * dark and light, the dark side to its right, so that both fill rules of SVG fill the dark modules alone. One
 * outline leaves no seams between modules where a renderer smooths edges, as rectangles side by side would.
 * https://www.w3.org/TR/SVG2/paths.html#PathData
 *
 * @param offset added to both coordinates, in modules
 */
export function outline(code: QrCode, offset: number): string {
  const traced = new Uint8Array(code.size * code.size);
  let path = "";
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) {
      // Every closed edge runs to the right somewhere, along the top of a dark module.
      if (traced[y * code.size + x] === 0 && code.get(x, y) && !code.get(x, y - 1)) {
        path += `M${x + offset} ${y + offset}${trace(code, x, y, traced)}z`;
      }
    }
  }
  return path;
}

/** The four directions in clockwise order, y growing downwards. */
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
 * Follows one edge from the top left corner of a dark module back to there, and marks the modules whose top it
 * passes. The last line is left to the path's `z`.
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

/** Where the edge goes on from a corner that it reached in a direction, with the dark side to its right. */
function nextDirection(code: QrCode, x: number, y: number, direction: Direction): Direction {
  const { dx, dy } = STEPS[direction];
  // The modules ahead of the corner, to the right and to the left of the direction.
  const aheadRight = code.get(x + (dx - dy - 1) / 2, y + (dx + dy - 1) / 2);
  const aheadLeft = code.get(x + (dx + dy - 1) / 2, y + (dy - dx - 1) / 2);
  if (!aheadRight) {
    return RIGHT_OF[direction];
  }
  return aheadLeft ? LEFT_OF[direction] : direction;
}
