const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\p{Regional_Indicator}/u;

/** A text on one line that cannot steer a terminal: control characters, and marks that turn the direction, are replaced. */
export function displayText(text: string): string {
  return text.replace(CONTROL, "\ufffd");
}

/**
 * The columns that a text takes on a terminal: two for what East Asian scripts write wide, and for emoji.
 * https://www.unicode.org/reports/tr11/
 */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) {
    return text.length;
  }
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text)) {
    width += WIDE.test(segment) ? 2 : 1;
  }
  return width;
}

/** A text cut to a number of columns, with an ellipsis where something is missing. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) {
    return text;
  }
  let cut = "";
  for (const { segment } of GRAPHEMES.segment(text)) {
    if (displayWidth(cut) + displayWidth(segment) > width - 1) {
      break;
    }
    cut += segment;
  }
  return `${cut}…`;
}

/** A text with blanks behind it, up to a number of columns. */
export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}
