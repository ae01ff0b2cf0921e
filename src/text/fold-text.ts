/** Letters without a Unicode decomposition, and the letters that users type instead. */
export const TYPED_LETTERS: Readonly<Record<string, string>> = {
  æ: "ae",
  đ: "d",
  ð: "d",
  ə: "e",
  ħ: "h",
  ı: "i",
  ł: "l",
  ø: "o",
  œ: "oe",
  ß: "ss",
  þ: "th",
  ǝ: "e",
};

/** Characters between words. Unicode counts the apostrophes of transcriptions (`ʻ`, `ʼ`) as letters. */
const APART = /(?:[^\p{L}\p{N}]|[\u02b9-\u02bf])+/gu;

/**
 * Folds a text for comparison: lower case, without diacritics (`é`, `ø`), and one space for each run of characters that are
 * neither letters nor digits. Idempotent.
 */
export function foldText(text: string): string {
  const decomposed = text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, "");
  // Most texts in Latin letters.
  if (/^[a-z]+(?: [a-z]+)*$/.test(decomposed)) {
    return decomposed;
  }
  return decomposed
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll(/[æđðəħıłøœßþǝ]/g, (letter) => TYPED_LETTERS[letter] ?? letter)
    .replaceAll(APART, " ")
    .trim();
}
