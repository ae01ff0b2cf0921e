import { foldText } from "../../text/fold-text.js";

/** A name or a query in the form in which the search compares them. */
export interface SearchText {
  /** The folded words, each once; empty for a text without letters and digits. */
  readonly words: readonly string[];
  /** The words without articles and conjunctions, and without spaces: names that are equal here are the same name. */
  readonly compact: string;
}

/** Words that names have in one form and lack in another: `Gambia`, `The Gambia`; `Korea, Republic of`. */
const OPTIONAL_WORDS: ReadonlySet<string> = new Set(["and", "of", "the"]);

/** Prepares a text for comparison. `&` is `and`, and `St` is `Saint`. */
export function searchText(text: string): SearchText {
  const folded = foldText(text.includes("&") ? text.replaceAll("&", " and ") : text);
  if (!folded.includes(" ")) {
    const word = completed(folded);
    return { words: word === "" ? [] : [word], compact: word };
  }
  const words = folded.split(" ").map(completed);
  const needed = words.filter((word) => !OPTIONAL_WORDS.has(word));
  return { words: [...new Set(words)], compact: (needed.length > 0 ? needed : words).join("") };
}

function completed(word: string): string {
  return word === "st" ? "saint" : word;
}
