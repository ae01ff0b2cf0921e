import type { QrCode } from "../../tools/barcode/qr-code.js";
import { renderTextLines } from "../../tools/barcode/text.js";

/** Styles text, or returns it unchanged. */
export interface Style {
  readonly hasColors: boolean;
  bold(text: string): string;
  dim(text: string): string;
  alert(text: string): string;
}

/**
 * Whether a stream gets colors. A terminal does, unless NO_COLOR is set or TERM is `dumb`. FORCE_COLOR overrides this: `0` and
 * `false` disable colors, every other value enables them.
 * https://no-color.org, https://force-color.org
 */
export function usesColors(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  const { FORCE_COLOR: force = "", NO_COLOR: no = "", TERM: terminal } = env;
  if (force !== "") {
    return force !== "0" && force !== "false";
  }
  return isTerminal && no === "" && terminal !== "dumb";
}

/** Creates a style of escape sequences that every terminal supports (ECMA-48, SGR). */
export function createStyle(hasColors: boolean): Style {
  const sgr = (on: number, off: number) => (text: string) =>
    hasColors && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return { hasColors, bold: sgr(1, 22), dim: sgr(2, 22), alert: sgr(31, 39) };
}

let segmenter: Intl.Segmenter | undefined;
/** The characters of a text as a reader sees them. The segmenter takes 15 ms to create, and most outputs are ASCII. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\p{Regional_Indicator}/u;

/** The same characters, for tests: several times as fast as a search by properties. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const HAS_CONTROL = /[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** Replaces control and bidirectional formatting characters, so that a text stays on one line and cannot control a terminal. */
export function displayText(text: string): string {
  return HAS_CONTROL.test(text) ? text.replace(CONTROL, "\ufffd") : text;
}

/**
 * The columns of a text on a terminal. Wide East Asian characters and emoji take two.
 * https://www.unicode.org/reports/tr11/
 */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) {
    return text.length;
  }
  let width = 0;
  for (const { segment } of graphemesOf(text)) {
    width += WIDE.test(segment) ? 2 : 1;
  }
  return width;
}

/** Cuts a text to a number of columns. An ellipsis marks the cut. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) {
    return text;
  }
  let cut = "";
  for (const { segment } of graphemesOf(text)) {
    if (displayWidth(cut) + displayWidth(segment) > width - 1) {
      break;
    }
    cut += segment;
  }
  return `${cut}…`;
}

/** Wraps a text to lines of at most a number of columns, between words where possible. */
export function wrapToWidth(text: string, width: number): string[] {
  if (displayWidth(text) <= width) {
    return [text];
  }
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<= )/)) {
    if (line !== "" && displayWidth(line + word.trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = "";
    }
    for (const { segment } of displayWidth(word.trimEnd()) > width
      ? graphemesOf(word)
      : [{ segment: word }]) {
      if (line !== "" && displayWidth(line + segment.trimEnd()) > width) {
        lines.push(line);
        line = "";
      }
      line += segment;
    }
  }
  return line.trim() === "" ? lines : [...lines, line.trimEnd()];
}

/** Pads a text with spaces to a number of columns. */
export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

/** Light modules around the code. Two are enough on a screen; the four of the standard would cost lines. */
const QUIET_ZONE = 2;

/** The columns of a drawn QR code. */
export function qrCodeWidth({ size }: QrCode): number {
  return size + 2 * QUIET_ZONE;
}

/**
 * Draws a QR code with half blocks. With colors it is black on white on every terminal; without, only on dark ones.
 */
export function drawQrCode(code: QrCode, hasColors: boolean): string[] {
  const lines = renderTextLines(code, QUIET_ZONE);
  return hasColors ? lines.map((line) => `\u001b[97;40m${line}\u001b[0m`) : lines;
}
