import { type Failure, fail, ok, type Result } from "../../../failures/result.js";
import { drawPicture, loadImage } from "../../kit/picture.js";
import { LOGO_EDGE, logoPlace } from "./logo-place.js";

/** The media types of the files that can be a logo. */
export const LOGO_TYPES = ["image/png", "image/jpeg", "image/svg+xml", "image/webp"] as const;

/** The longer side of a logo in pixels: enough for its part of the largest image. */
const LOGO_SIDE = 512;

/** A picture for the middle of a code. */
export interface Logo {
  readonly name: string;
  readonly canvas: HTMLCanvasElement;
  /** The picture as a `data:` URL of a PNG. */
  readonly url: string;
}

/** Reads the file of a logo. It stays in the browser. */
export async function readLogo(file: File): Promise<Result<Logo, Failure<"NOT_A_PICTURE" | "TOO_LARGE">>> {
  if (!LOGO_TYPES.some((type) => type === file.type)) {
    return fail("NOT_A_PICTURE", "a logo is a PNG, JPEG, SVG or WebP file");
  }
  const drawn = await drawPicture(file, { side: LOGO_SIDE });
  return drawn.ok
    ? ok({ name: file.name, canvas: drawn.value, url: drawn.value.toDataURL("image/png") })
    : drawn;
}

/**
 * Draws the image of a code, an SVG of the service, with a logo as a PNG of the same size. As in a PNG of the service, modules have
 * whole pixels, and those that remain are around the margin.
 *
 * @throws if the browser cannot draw it
 */
export async function drawWithLogo(svg: string, { canvas: logo }: Logo): Promise<Blob> {
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
