import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { drawPicture } from "./picture.js";

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

/** A quiet zone in pixels, which screenshots may lack. */
const FRAME = 32;

/** Reads the QR code in a picture, in the browser. */
export async function readQrCode(
  picture: Blob,
): Promise<Result<string, Failure<"TOO_LARGE" | "NOT_A_PICTURE" | "NO_CODE">>> {
  const drawn = await drawPicture(picture, { side: MAX_SIDE, frame: FRAME });
  if (!drawn.ok) {
    return drawn;
  }
  const canvas = drawn.value;
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
