import { Resvg } from "@resvg/resvg-js";
import jsqr from "jsqr";
import { PNG } from "pngjs";

/** An image as rows of pixels of four bytes: red, green, blue, alpha. */
export interface Raster {
  readonly pixels: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** Renders an SVG document in its own size, on a transparent background. */
export function rasterOfSvg(svg: string | Uint8Array): Raster {
  const { pixels, width, height } = new Resvg(typeof svg === "string" ? svg : Buffer.from(svg)).render();
  return { pixels: new Uint8ClampedArray(pixels), width, height };
}

/** Reads a PNG. */
export function rasterOfPng(png: Uint8Array): Raster {
  const { data, width, height } = PNG.sync.read(Buffer.from(png));
  return { pixels: new Uint8ClampedArray(data), width, height };
}

/** Returns the text of the QR code in an image; undefined if a reader finds none. */
export function readQrCode({ pixels, width, height }: Raster): string | undefined {
  return jsqr.default(pixels, width, height)?.data;
}

/** Returns the color of a pixel as `rrggbbaa`. */
export function colourAt({ pixels, width }: Raster, x: number, y: number): string {
  return Buffer.from(pixels.slice(4 * (y * width + x), 4 * (y * width + x) + 4)).toString("hex");
}
