import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { BLACK, type Colors, WHITE } from "./colors.js";
import type { QrCode } from "./qr-code.js";

/** The margin in modules if the request does not set it: the minimum of ISO/IEC 18004. */
export const DEFAULT_MARGIN = 4;

/** The maximum margin in modules. */
const MAX_MARGIN = 32;

/** The width and height of a module in pixels if the request does not set the size of the image. */
export const DEFAULT_SCALE = 8;

/** The minimum and maximum width and height of an image in pixels, if the request sets it. */
const [MIN_SIZE, MAX_SIZE] = [64, 2048];

/** How to draw a code. */
export interface ImageOptions {
  /** The light modules around the code on each side. */
  readonly margin: number;
  /** The width and height of the image in pixels, at least one per module; undefined for eight pixels per module. */
  readonly size: number | undefined;
  readonly colors: Colors;
}

/** Black on opaque white, with a margin of four modules, eight pixels per module. */
export const DEFAULT_IMAGE: ImageOptions = {
  margin: DEFAULT_MARGIN,
  size: undefined,
  colors: { foreground: BLACK, background: WHITE },
};

/** Reads the margin in modules: 0 to 32, and 4 if it is not set. */
export function parseMargin(margin: number | undefined): Result<number, Failure<"INVALID_MARGIN">> {
  if (margin === undefined) {
    return ok(DEFAULT_MARGIN);
  }
  return margin >= 0 && margin <= MAX_MARGIN
    ? ok(margin)
    : fail("INVALID_MARGIN", `must be from 0 to ${MAX_MARGIN}, is ${margin}`);
}

/** Reads the size of an image in pixels: 64 to 2,048; undefined if it is not set. */
export function parseSize(size: number | undefined): Result<number | undefined, Failure<"INVALID_SIZE">> {
  return size === undefined || (size >= MIN_SIZE && size <= MAX_SIZE)
    ? ok(size)
    : fail("INVALID_SIZE", `must be from ${MIN_SIZE} to ${MAX_SIZE}, is ${size}`);
}

/** Checks that a code fits in an image with at least one pixel per module. */
export function checkSize(
  code: QrCode,
  { margin, size }: ImageOptions,
): Result<undefined, Failure<"SIZE_TOO_SMALL">> {
  const modules = code.size + 2 * margin;
  return size === undefined || size >= modules
    ? ok(undefined)
    : fail("SIZE_TOO_SMALL", `must be at least ${modules}, one pixel per module of this code, is ${size}`);
}
