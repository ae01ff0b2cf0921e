import { TYPED_LETTERS } from "../../../text/fold-text.js";

/** A name or a query in the form in which the search compares them. */
export interface SearchText {
  /** The folded words, each once; empty for a text without letters and digits. */
  readonly words: readonly string[];
  /** The words without articles and conjunctions, and without spaces: names that are equal here are the same name. */
  readonly compact: string;
}

/** Words that names have in one form and lack in another: `Gambia`, `The Gambia`; `Korea, Republic of`. */
export const OPTIONAL_WORDS: ReadonlySet<string> = new Set(["and", "of", "the"]);

/** "And" in other languages. Between shorter words than {@link MIN_JOINED} it is a syllable: `Y-ê-men`. */
const CONJUNCTIONS: ReadonlySet<string> = new Set(
  "agus e es et eta i ir ja och og un und ve y и і та و και და և".split(" "),
);
const MIN_JOINED = 4;

/** Articles of other languages, and Vietnamese `nước` (country), which start a query more often than a name. */
const ARTICLES: ReadonlySet<string> = new Set(
  "a as az d das de dei dem den der det die el en et gli het i il l la las le les lo los nuoc o os y yr".split(
    " ",
  ),
);

/** "Country" before a name in Thai, Lao and Khmer, and after it in Burmese, where no space separates words. */
const COUNTRY_WORD = /^(?:ประเทศ|ປະເທດ|ប្រទេស)(?=.)|(?<=.)နိုင်ငံ$/u;

/** Letters without a decomposition, and letters that keyboards and languages write differently. */
const LETTERS: Readonly<Record<string, string>> = {
  ...TYPED_LETTERS,
  ŋ: "n",
  ...{ ɓ: "b", ɗ: "d", ɛ: "e", ɔ: "o", ƙ: "k", ς: "σ" },
  ...{ ٱ: "ا", ى: "ي", ی: "ي", ې: "ي", ة: "ه", ە: "ه", ہ: "ه", ھ: "ه", ۃ: "ه", ک: "ك", ڪ: "ك", ۆ: "و" },
};
const SPECIAL_LETTER = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

/**
 * Marks that spellings omit: diacritics of Latin, Greek and Cyrillic, points of Hebrew and Arabic, nukta, and invisible
 * characters. The vowels of Indic scripts and of Thai are marks too, but they distinguish names.
 */
const OMITTED_MARKS =
  /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u093c\u09bc\u0a3c\u0abc\u200b-\u200f\u2066-\u2069\ufeff]/g;

/** Characters between words. Unicode counts the apostrophes of transcriptions (`ʻ`, `ʼ`) as letters. */
const APART = /(?:[^\p{L}\p{N}\p{M}]|[\u02b9-\u02bf])+/gu;

/** Prepares a text for comparison. `&` is `and`, and `St` is `Saint`. */
export function searchText(text: string): SearchText {
  const folded = fold(text.includes("&") ? text.replaceAll("&", " and ") : text);
  if (!folded.includes(" ")) {
    const word = completed(folded);
    return { words: word === "" ? [] : [word], compact: word };
  }
  return textOfWords(folded.split(" ").map(completed));
}

/** Returns a text without an article at its beginning; undefined if there is none. */
export function withoutArticle({ words }: SearchText): SearchText | undefined {
  const [first = "", ...rest] = words;
  return ARTICLES.has(first) && rest.length > 0 ? textOfWords(rest) : undefined;
}

/** Puts words together. */
export function textOfWords(words: readonly string[]): SearchText {
  const isLong = (word = "") => word.length >= MIN_JOINED;
  const needed = words.filter(
    (word, index) =>
      !OPTIONAL_WORDS.has(word) &&
      !(CONJUNCTIONS.has(word) && isLong(words[index - 1]) && isLong(words[index + 1])),
  );
  return { words: [...new Set(words)], compact: (needed.length > 0 ? needed : words).join("") };
}

/** Lower case, without diacritics, one space between words. Katakana becomes hiragana. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  if (/^[a-z]+(?: [a-z]+)*$/.test(lower)) {
    return lower;
  }
  return lower
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(OMITTED_MARKS, "")
    .normalize("NFC")
    .replaceAll(SPECIAL_LETTER, (letter) => LETTERS[letter] ?? letter)
    .replaceAll(/[\u30a1-\u30f6]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - 0x60))
    .replaceAll(APART, " ")
    .trim();
}

function completed(word: string): string {
  return word === "st" ? "saint" : word.charCodeAt(0) < 0x0e00 ? word : word.replace(COUNTRY_WORD, "");
}

/** The form of a code in the index of the search: lower case, without spaces, underscores and parentheses; full-width letters are normal ones. */
export function codeKey(text: string): string {
  return text
    .normalize("NFKC")
    .replaceAll(/[\s_()]/g, "")
    .toLowerCase();
}
