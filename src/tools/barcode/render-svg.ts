import { QUIET_ZONE, SCALE } from "./layout.js";
import { outline } from "./outline.js";
import type { QrCode } from "./qr-code.js";

/** The media type of what {@link renderSvg} gives. */
export const SVG_TYPE = "image/svg+xml";

/**
 * Draws a QR code as a standalone SVG document: black on opaque white, with its quiet zone, eight pixels a
 * module until it is scaled. It contains no script and no text.
 */
export function renderSvg(code: QrCode): string {
  const modules = code.size + 2 * QUIET_ZONE;
  const pixels = modules * SCALE;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}"`,
    // The keyword in SVG's own spelling: there are renderers that heed its case.
    ` viewBox="0 0 ${modules} ${modules}" shape-rendering="crispEdges">`,
    `<path fill="#fff" d="M0 0h${modules}v${modules}h-${modules}z"/>`,
    `<path fill="#000" d="${outline(code, QUIET_ZONE)}"/>`,
    "</svg>",
  ].join("");
}
