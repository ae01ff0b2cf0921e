import { DEFAULT_MARGIN } from "./image.js";

/** The media type of {@link renderText}. */
export const TEXT_TYPE = "text/plain; charset=utf-8";

/** The modules of a code: dark or light. Outside the square all are light. */
interface Modules {
  readonly size: number;
  get(x: number, y: number): boolean;
}

/**
 * Renders a QR code with half blocks, as lines for a terminal: each character has two modules, one above the other. The light modules
 * are drawn, because most terminals have light text on a dark background.
 */
export function renderTextLines(code: Modules, margin: number = DEFAULT_MARGIN): string[] {
  const lines: string[] = [];
  const end = code.size + margin;
  for (let y = -margin; y < end; y += 2) {
    let line = "";
    for (let x = -margin; x < end; x++) {
      const [upper, lower] = [!code.get(x, y), y + 1 < end && !code.get(x, y + 1)];
      line += upper ? (lower ? "█" : "▀") : lower ? "▄" : " ";
    }
    lines.push(line);
  }
  return lines;
}

/** Renders a QR code as text with a line break after each line. */
export function renderText(code: Modules, margin?: number): string {
  return `${renderTextLines(code, margin).join("\n")}\n`;
}
