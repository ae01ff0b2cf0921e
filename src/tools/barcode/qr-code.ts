import { type Correction, correction, generate, type ModeFactory, mode } from "lean-qr";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";

/** The length limit of the text in Unicode code points. */
export const MAX_DATA_LENGTH = 2048;

/** A QR code: a square of dark and light modules, without its quiet zone. */
export interface QrCode {
  /** The number of modules per side. */
  readonly size: number;
  /** Whether a module is dark. Modules outside the square are light. */
  get(x: number, y: number): boolean;
}

/** Why a text cannot be encoded. */
export type QrCodeFailure = Failure<"REQUIRED" | "DATA_TOO_LONG" | "LONE_SURROGATE" | "DATA_DOES_NOT_FIT">;

/** A level of error correction (ISO/IEC 18004). */
export type Level = "low" | "medium" | "quartile" | "high";

/** The correction level of lean-qr, and the bytes of UTF-8 that the largest version holds besides the character set. */
const LEVELS: Readonly<Record<Level, { readonly correction: Correction; readonly maxBytes: string }>> = {
  low: { correction: correction.L, maxBytes: "2,952" },
  medium: { correction: correction.M, maxBytes: "2,330" },
  quartile: { correction: correction.Q, maxBytes: "1,662" },
  high: { correction: correction.H, maxBytes: "1,272" },
};

/**
 * Encodes a text as a QR code (ISO/IEC 18004) of the smallest version that holds it with error correction `level`. Without a
 * level, that is M, or L if no version holds the text with M. Uses a higher level if that takes no more space.
 *
 * ASCII text does not declare its character set, because every reader assumes ASCII and some fail on the declaration.
 * Other text is declared as UTF-8 (ECI 26), because the default of the standard is ISO 8859-1.
 */
export function qrCode(text: string, level?: Level): Result<QrCode, QrCodeFailure> {
  if (text === "") {
    return fail("REQUIRED", "must be given: the text to encode");
  }
  // A code point takes one or two UTF-16 units, so a text of more than twice the limit need not be counted.
  if (text.length > 2 * MAX_DATA_LENGTH || [...text].length > MAX_DATA_LENGTH) {
    return fail("DATA_TOO_LONG", `must have at most ${MAX_DATA_LENGTH} characters`);
  }
  if (/\p{Cs}/u.test(text)) {
    return fail("LONE_SURROGATE", "must be well-formed Unicode, contains half of a surrogate pair");
  }
  const code =
    level === undefined
      ? (encode(text, correction.M) ?? encode(text, correction.L))
      : encode(text, LEVELS[level].correction);
  if (code === undefined) {
    const kind = level === undefined ? "" : ` with error correction ${level}`;
    return fail(
      "DATA_DOES_NOT_FIT",
      `must fit in one QR code${kind}, which holds ${LEVELS[level ?? "low"].maxBytes} bytes of UTF-8 (more where much of ` +
        `the text is digits or capital letters), has ${new TextEncoder().encode(text).length}`,
    );
  }
  return ok(code);
}

const ASCII_MODES: readonly ModeFactory[] = [mode.numeric, mode.alphaNumeric, mode.ascii];
const UNICODE_MODES: readonly ModeFactory[] = [mode.numeric, mode.alphaNumeric, mode.utf8];

/** The code of lean-qr's error for a text that does not fit in the largest version. */
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
