import { type Failure, fail, ok, type Result } from "../../failures/result.js";

/** The largest file that is read as a picture, in bytes. */
const MAX_PICTURE_BYTES = 10_000_000;

/** The most pixels of a picture: the browser needs four bytes for each of them. */
const MAX_PIXELS = 50_000_000;

/** How a picture is drawn. */
interface PictureOptions {
  /** The longer side of the drawing in pixels. A larger picture is made smaller, and one in SVG drawn in this size. */
  readonly side: number;
  /** The width of a white frame; the picture is on white then. Default: no frame, and no ground. */
  readonly frame?: number;
}

/**
 * Draws a picture of any format that the browser shows. The browser treats it as an image: the scripts of an SVG do not run, and it
 * loads nothing from elsewhere.
 */
export async function drawPicture(
  picture: Blob,
  { side, frame = 0 }: PictureOptions,
): Promise<Result<HTMLCanvasElement, Failure<"TOO_LARGE" | "NOT_A_PICTURE">>> {
  if (picture.size > MAX_PICTURE_BYTES) {
    return fail("TOO_LARGE", `this file is larger than ${MAX_PICTURE_BYTES / 1_000_000} MB`);
  }
  const url = URL.createObjectURL(picture);
  try {
    const image = await loadImage(url);
    const { naturalWidth: width, naturalHeight: height } = image;
    if (width * height > MAX_PIXELS) {
      return fail("TOO_LARGE", `this picture has more than ${MAX_PIXELS / 1_000_000} million pixels`);
    }
    const fit = side / Math.max(width, height);
    const scale = picture.type === "image/svg+xml" ? fit : Math.min(1, fit);
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(width * scale)) + 2 * frame;
    canvas.height = Math.max(1, Math.round(height * scale)) + 2 * frame;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    if (frame > 0 && context !== null) {
      context.fillStyle = "#fff";
      context.fillRect(0, 0, canvas.width, canvas.height);
    }
    context?.drawImage(image, frame, frame, canvas.width - 2 * frame, canvas.height - 2 * frame);
    return ok(canvas);
  } catch {
    return fail("NOT_A_PICTURE", "this file is not a picture that the browser can show");
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Loads an image, which is not decoded before its size is known. Rejects if the browser cannot show it. */
export function loadImage(url: string): Promise<HTMLImageElement> {
  const image = new Image();
  return new Promise((resolve, reject) => {
    image.onload = () => resolve(image);
    image.onerror = reject;
    image.src = url;
  });
}
