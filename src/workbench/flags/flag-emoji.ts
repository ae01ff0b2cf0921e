/** The code point of 🇦, the regional indicator symbol for A; those for B to Z follow it. */
const FIRST_INDICATOR = 0x1f1e6;

/** The flag of a country as an emoji, by its alpha-2 code in upper case: two regional indicator symbols (UTS #51, annex B). */
export function flagEmoji(code2: string): string {
  const indicators = Array.from(code2, (letter) => FIRST_INDICATOR + letter.charCodeAt(0) - 0x41);
  return String.fromCodePoint(...indicators);
}

/**
 * Whether flags are drawn as flags here: Windows draws their letters, and a system without a font for emoji draws boxes. A
 * flag is then two characters wide; it is one wide where it is drawn. `width` measures text.
 */
export function drawsFlags(width: (text: string) => number): boolean {
  return width(flagEmoji("FR")) < 1.5 * width(flagEmoji("F"));
}
