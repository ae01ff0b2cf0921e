import { type Failure, fail, ok, type Result } from "../../../failures/result.js";
import { drawPicture, loadImage } from "../../kit/picture.js";
import { readQrCode } from "../../kit/read-qr-code.js";
import { LOGO_EDGE, logoPlace, withLogo } from "./logo-place.js";

/** The longer side of a logo in pixels: enough for its part of the largest image. */
const LOGO_SIDE = 512;

/** A picture for the middle of a code, with what needs the functions of this module, which are loaded with the first logo. */
export interface Logo {
  /** The name of the file. */
  readonly name: string;
  /** Returns the image of a code, an SVG of the service, with the logo. */
  readonly addTo: (svg: string) => string;
  /** Draws the same as a PNG. Rejects if the browser cannot draw it. */
  readonly drawOn: (svg: string) => Promise<Blob>;
  /** Whether a reader finds a text in the image of a code with the logo. */
  readonly isRead: (image: Blob, text: string) => Promise<boolean>;
}

/** Reads the file of a logo, which has one of the media types. It stays in the browser. */
export async function readLogo(
  file: File,
  types: readonly string[],
): Promise<Result<Logo, Failure<"NOT_A_PICTURE" | "TOO_LARGE">>> {
  if (!types.includes(file.type)) {
    return fail("NOT_A_PICTURE", "a logo is a PNG, JPEG, SVG or WebP file");
  }
  const drawn = await drawPicture(file, { side: LOGO_SIDE });
  if (!drawn.ok) {
    return drawn;
  }
  const canvas = drawn.value;
  const url = canvas.toDataURL("image/png");
  return ok({
    name: file.name,
    addTo: (svg) => withLogo(svg, url),
    drawOn: (svg) => drawWithLogo(svg, canvas),
    isRead: async (image, text) => {
      const found = await readQrCode(image);
      return found.ok && found.value === text;
    },
  });
}

/**
 * Draws the image of a code, an SVG of the service, with a logo as a PNG of the same size. As in a PNG of the service, modules have
 * whole pixels, and those that remain are around the margin.
 *
 * @throws if the browser cannot draw it
 */
async function drawWithLogo(svg: string, logo: HTMLCanvasElement): Promise<Blob> {
  const { pixels, modules, start, side, ground } = logoPlace(svg);
  const canvas = document.createElement("canvas");
  canvas.width = pixels;
  canvas.height = pixels;
  const context = canvas.getContext("2d");
  const scale = Math.floor(pixels / modules);
  const first = Math.floor((pixels - scale * modules) / 2);
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const code = await loadImage(url);
    if (context !== null) {
      context.fillStyle = ground;
      context.fillRect(0, 0, pixels, pixels);
      context.drawImage(code, first, first, scale * modules, scale * modules);
      context.fillRect(first + scale * start, first + scale * start, scale * side, scale * side);
      const fit = (scale * (side - 2 * LOGO_EDGE)) / Math.max(logo.width, logo.height);
      const [width, height] = [logo.width * fit, logo.height * fit];
      const middle = first + (scale * modules) / 2;
      context.drawImage(logo, middle - width / 2, middle - height / 2, width, height);
    }
  } finally {
    URL.revokeObjectURL(url);
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((png) => (png === null ? reject(new Error("the image cannot be drawn")) : resolve(png)));
  });
}
