import { type Failure, fail, ok, type Result } from "../../../failures/result.js";

/** The part of a barcode detector that the page uses. https://wicg.github.io/shape-detection-api/ */
interface CodeDetector {
  readonly detect: (image: ImageBitmapSource) => Promise<readonly { readonly rawValue: string }[]>;
}

declare global {
  /** Of the browsers in use, Chrome has it on Android and macOS, Safari has not. */
  var BarcodeDetector:
    | (new (options: {
        readonly formats: readonly ["qr_code"];
      }) => CodeDetector)
    | undefined;
}

/** Larger pictures are made smaller: a QR code has at most 177 modules a side. */
const MAX_SIDE = 1600;

/** Reads the QR code in a picture, in the browser. */
export async function readQrCode(
  picture: Blob,
): Promise<Result<string, Failure<"NOT_A_PICTURE" | "NO_CODE">>> {
  const canvas = await drawn(picture).catch(() => undefined);
  if (canvas === undefined) {
    return fail("NOT_A_PICTURE", "this file is not a picture that the browser can show");
  }
  const found =
    (await detect(globalThis.BarcodeDetector, canvas)) ?? (await detect(await loadDetector(), canvas));
  return found === undefined
    ? fail("NO_CODE", "no QR code was found in the picture. Crop it to the code, or paste the setup link")
    : ok(found);
}

async function detect(
  Detector: typeof globalThis.BarcodeDetector,
  canvas: HTMLCanvasElement,
): Promise<string | undefined> {
  if (Detector === undefined) {
    return undefined;
  }
  // A system without the service that detects codes rejects.
  const found = await new Detector({ formats: ["qr_code"] }).detect(canvas).catch(() => []);
  return found[0]?.rawValue;
}

/** Loads the decoder for browsers without one; undefined if the service does not respond. */
async function loadDetector(): Promise<typeof globalThis.BarcodeDetector> {
  const module = await import("qr/decode.js").catch(() => undefined);
  return module?.BarcodeDetector as typeof globalThis.BarcodeDetector;
}

/** Draws a picture of any format of the browser, with a white ground and a quiet zone, which screenshots may lack. */
async function drawn(picture: Blob): Promise<HTMLCanvasElement> {
  const url = URL.createObjectURL(picture);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = Math.min(1, MAX_SIDE / Math.max(image.naturalWidth, image.naturalHeight));
    const [width, height] = [image.naturalWidth * scale, image.naturalHeight * scale].map(Math.round);
    const canvas = document.createElement("canvas");
    const margin = 32;
    canvas.width = (width ?? 0) + 2 * margin;
    canvas.height = (height ?? 0) + 2 * margin;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    if (context !== null) {
      context.fillStyle = "#fff";
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.drawImage(image, margin, margin, width ?? 0, height ?? 0);
    }
    return canvas;
  } finally {
    URL.revokeObjectURL(url);
  }
}
