import { type Correction, correction, generate, type ModeFactory, mode } from "lean-qr";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";

/** The length limit of the text in Unicode code points: the digits that the largest code holds. */
export const MAX_DATA_LENGTH = 7089;

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

/** The correction level of lean-qr, and what the largest version holds of one kind (ISO/IEC 18004, table 7). */
interface LevelLimits {
  readonly correction: Correction;
  readonly digits: number;
  /** Digits, capital letters, spaces and `$%*+-./:`. */
  readonly alphanumeric: number;
  /** Of ASCII. The character set of other texts takes one more. */
  readonly bytes: number;
}

const LEVELS: Readonly<Record<Level, LevelLimits>> = {
  low: { correction: correction.L, digits: 7089, alphanumeric: 4296, bytes: 2953 },
  medium: { correction: correction.M, digits: 5596, alphanumeric: 3391, bytes: 2331 },
  quartile: { correction: correction.Q, digits: 3993, alphanumeric: 2420, bytes: 1663 },
  high: { correction: correction.H, digits: 3057, alphanumeric: 1852, bytes: 1273 },
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
    return fail("DATA_TOO_LONG", tooMuch(text, level));
  }
  if (/\p{Cs}/u.test(text)) {
    return fail("LONE_SURROGATE", "must be well-formed Unicode, contains half of a surrogate pair");
  }
  const code =
    level === undefined
      ? (encode(text, correction.M) ?? encode(text, correction.L))
      : encode(text, LEVELS[level].correction);
  if (code === undefined) {
    return fail("DATA_DOES_NOT_FIT", tooMuch(text, level));
  }
  return ok(code);
}

/** Describes what fits with the level, what the text has of that, and what fits with the other levels. */
function tooMuch(text: string, level: Level | undefined): string {
  const { name, unit, length } = contentOf(text);
  const limitOf = (each: Level) =>
    (LEVELS[each][name] - (name === "bytes" && length > text.length ? 1 : 0)).toLocaleString("en-US");
  const kind = level === undefined ? "" : ` with error correction ${level}`;
  const others = (Object.keys(LEVELS) as Level[])
    .filter((each) => each !== (level ?? "low"))
    .map((each) => `${limitOf(each)} with ${each}`);
  const more = {
    digits: "",
    alphanumeric: "; more where many of them are digits",
    bytes: "; more where much of the text is digits or capital letters",
  };
  return (
    `must fit in one QR code${kind}, which holds ${limitOf(level ?? "low")} ${unit} (${others.join(", ")}${more[name]}), ` +
    `has ${length.toLocaleString("en-US")}`
  );
}

/** The kind of the limit of a text, its unit, and the length of the text in that unit. The start of a very long text tells its kind. */
function contentOf(text: string): {
  readonly name: "digits" | "alphanumeric" | "bytes";
  readonly unit: string;
  readonly length: number;
} {
  const start = text.slice(0, 2 * MAX_DATA_LENGTH);
  if (DIGITS.test(start)) {
    return { name: "digits", unit: "digits", length: text.length };
  }
  return ALPHANUMERIC.test(start)
    ? { name: "alphanumeric", unit: "digits and capital letters", length: text.length }
    : { name: "bytes", unit: "bytes of UTF-8", length: Buffer.byteLength(text) };
}

const DIGITS = /^\d*$/;
const ALPHANUMERIC = /^[\dA-Z $%*+\-./:]*$/;

const ASCII_MODES: readonly ModeFactory[] = [mode.numeric, mode.alphaNumeric, mode.ascii];
const UNICODE_MODES: readonly ModeFactory[] = [mode.numeric, mode.alphaNumeric, mode.utf8];

/** Returns the modes that can make a text shorter. Each takes time in proportion to the text. */
function modesFor(text: string): readonly ModeFactory[] {
  if (DIGITS.test(text)) {
    return [mode.numeric];
  }
  if (ALPHANUMERIC.test(text)) {
    return [mode.numeric, mode.alphaNumeric];
  }
  return /^\p{ASCII}*$/u.test(text) ? ASCII_MODES : UNICODE_MODES;
}

/** The code of lean-qr's error for a text that does not fit in the largest version. */
const TOO_MUCH_DATA = 4;

function encode(text: string, minCorrectionLevel: Correction): QrCode | undefined {
  try {
    return generate(text, { minCorrectionLevel, modes: modesFor(text) });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === TOO_MUCH_DATA) {
      return undefined;
    }
    throw error;
  }
}
