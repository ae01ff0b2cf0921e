import type { Random } from "./random.js";
import { MAX_TARGET } from "./requests.js";

/** Edge cases of various types. */
const VALUES = [
  "",
  "0",
  "-0",
  "1",
  "-1",
  "1.5",
  "1e2",
  "1e999",
  "1e-999",
  "1e9999999999",
  "NaN",
  "Infinity",
  "-Infinity",
  "2147483648",
  "-2147483649",
  "9007199254740993",
  "9223372036854775808",
  "18446744073709551616",
  "true",
  "false",
  "null",
  "novel",
  "GENRE_ESSAY",
  "borrow",
  "return",
  "AA==",
  "_-8",
  "=",
  "1s",
  "-315576000001s",
  "1.0000000001s",
  "2026-01-02T03:04:05Z",
  "2026-02-30T24:60:60Z",
  "0001-01-01T00:00:00+23:59",
  "a.bC,d",
  "__proto__",
  "constructor",
  "é",
  "😀",
  "\ud800",
  "\0",
  "\u2028",
  "..",
  "{}",
  "[]",
] as const;

/**
 * Percent-encodes text for a query or form. An unpaired surrogate becomes a question mark, since it has no encoding.
 */
export function escapeText(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "?"));
}

/** Returns an edge case of some type, or noise. */
export function anyValue(random: Random): string {
  switch (random.below(12)) {
    case 0:
      return anyNoise(random, 30);
    case 1:
      return random.pick(VALUES) + random.pick(VALUES);
    case 2:
      return random.oneIn(50)
        ? random.pick(["1", "a", "%41", "AAAA", " "]).repeat(random.size(MAX_TARGET))
        : random.pick(VALUES);
    default:
      return random.pick(VALUES);
  }
}

/** Returns text with many characters that have a special meaning somewhere. */
export function anyNoise(random: Random, max: number): string {
  const characters = "/%%2FfcC3A9:?&=+#;.,*{}[]\"\\'<> \0\u007f\u0080éa1é😀\ud800\udc00\uffff";
  return Array.from({ length: random.below(max) }, () =>
    characters.charAt(random.below(characters.length)),
  ).join("");
}

/** Repeats one or two strings up to a maximum length. */
export function tower(random: Random, max: number, texts: readonly [string, ...string[]]): string {
  const text = random.oneIn(3) ? random.pick(texts) + random.pick(texts) : random.pick(texts);
  return text.repeat(Math.floor(max / text.length));
}

/** Deletes, inserts or duplicates parts of a text. */
export function mutate(random: Random, text: string): string {
  let mutated = text;
  for (let index = 1 + random.below(3); index > 0; index--) {
    const start = random.below(mutated.length + 1);
    const end = start + random.below(4);
    const middle = [anyNoise(random, 4), "", mutated.slice(start, end).repeat(2), random.pick(VALUES)][
      random.below(4)
    ];
    mutated = mutated.slice(0, start) + (middle ?? "") + mutated.slice(end);
  }
  return mutated;
}
