/** The code point of 🇦, the regional indicator symbol for A. B to Z follow it. */
const FIRST_INDICATOR = 0x1f1e6;

/** Returns the flag emoji of an alpha-2 code in upper case: two regional indicator symbols (UTS #51, annex B). */
export function flagEmoji(code2: string): string {
  const indicators = Array.from(code2, (letter) => FIRST_INDICATOR + letter.charCodeAt(0) - 0x41);
  return String.fromCodePoint(...indicators);
}

/**
 * Reports whether the system draws flag emoji as flags. Windows draws letters instead, and a system without an emoji font
 * draws boxes; both are two characters wide.
 *
 * @param width measures the width of a text.
 */
export function drawsFlags(width: (text: string) => number): boolean {
  return width(flagEmoji("FR")) < 1.5 * width(flagEmoji("F"));
}
