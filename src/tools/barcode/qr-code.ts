import { type Correction, correction, generate, type ModeFactory, mode } from "lean-qr";
import { type Failure, fail, ok, type Result } from "../../result.js";

/** The most characters (Unicode code points) that a bar code is made of. */
export const MAX_DATA_LENGTH = 2048;

/** A QR code: a square of modules, dark or light, without its quiet zone. */
export interface QrCode {
  /** Modules a side. */
  readonly size: number;
  /** Whether the module is dark; outside the square none is. */
  get(x: number, y: number): boolean;
}

/** Why a text cannot become a QR code. */
export type QrCodeFailure = Failure<"REQUIRED" | "DATA_TOO_LONG" | "LONE_SURROGATE" | "DATA_DOES_NOT_FIT">;

/**
 * Encodes a text as a QR code (ISO/IEC 18004) of the smallest version that holds it with error correction M,
 * or with L where no version does; higher levels where they cost no space.
 *
 * ASCII goes without any mark of its character set, since every reader takes that for granted and some stumble
 * over the mark. In other text, octets are UTF-8 and marked as such (ECI 26), since without it the standard
 * says ISO 8859-1 and readers would have to guess.
 */
export function qrCode(text: string): Result<QrCode, QrCodeFailure> {
  if (text === "") {
    return fail("REQUIRED", "must be given: the text to encode");
  }
  // A code point is one or two units of the string: beyond twice the limit there is nothing to count.
  if (text.length > 2 * MAX_DATA_LENGTH || [...text].length > MAX_DATA_LENGTH) {
    return fail("DATA_TOO_LONG", `must have at most ${MAX_DATA_LENGTH} characters`);
  }
  if (/\p{Cs}/u.test(text)) {
    return fail("LONE_SURROGATE", "must be well-formed Unicode, contains half of a surrogate pair");
  }
  const code = encode(text, correction.M) ?? encode(text, correction.L);
  if (code === undefined) {
    return fail(
      "DATA_DOES_NOT_FIT",
      "must fit in one QR code, which holds 2,952 octets of UTF-8 (more where much of the text is digits or " +
        `capital letters), has ${new TextEncoder().encode(text).length}`,
    );
  }
  return ok(code);
}

const ASCII_MODES: readonly ModeFactory[] = [mode.numeric, mode.alphaNumeric, mode.ascii];
const UNICODE_MODES: readonly ModeFactory[] = [mode.numeric, mode.alphaNumeric, mode.utf8];

/** The code of lean-qr's error where even the largest version is too small. */
const TOO_MUCH_DATA = 4;

function encode(text: string, minCorrectionLevel: Correction): QrCode | undefined {
  const modes = /^\p{ASCII}*$/u.test(text) ? ASCII_MODES : UNICODE_MODES;
  try {
    return generate(text, { minCorrectionLevel, modes });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === TOO_MUCH_DATA) {
      return undefined;
    }
    throw error;
  }
}
