import { editDistance } from "../../../text/edit-distance.js";

/** Names for the search of similar ones, ordered by length. */
export interface SimilarNames {
  /** Distinct names in their compact form. */
  readonly names: readonly string[];
  /** For each name, the set of its letters as 32 bits. */
  readonly letters: Uint32Array;
  /** For each length, the index of the first name that is as long or longer. */
  readonly starts: readonly number[];
}

/** The number of edits up to which a name of some length is similar. A short name with another letter is another name. */
const EDITS = [
  { length: 20, edits: 4 },
  { length: 12, edits: 3 },
  { length: 7, edits: 2 },
  { length: 4, edits: 1 },
];

/** Prepares distinct names in their compact form. */
export function indexSimilarNames(distinct: readonly string[]): SimilarNames {
  const names = distinct.toSorted((a, b) => a.length - b.length);
  const starts: number[] = [];
  names.forEach(({ length }, index) => {
    while (starts.length <= length) {
      starts.push(index);
    }
  });
  return { names, letters: Uint32Array.from(names, lettersOf), starts };
}

/** The number of edits up to which a text of some length is similar. */
export function similarEdits(length: number): number {
  return EDITS.find((each) => length >= each.length)?.edits ?? 0;
}

/** Finds names that differ from a text by at most some edits, with the number of edits. */
export function findSimilarNames(
  { names, letters, starts }: SimilarNames,
  text: string,
  most: number = similarEdits(text.length),
): readonly { readonly name: string; readonly edits: number }[] {
  if (most === 0) {
    return [];
  }
  const found: { name: string; edits: number }[] = [];
  const own = lettersOf(text);
  const first = starts[Math.max(0, text.length - most)] ?? names.length;
  const end = starts[text.length + most + 1] ?? names.length;
  for (let index = first; index < end; index++) {
    // An edit changes at most two letters of the set.
    if (countBits((letters[index] ?? 0) ^ own) > 2 * most) {
      continue;
    }
    const name = names[index] ?? "";
    const edits = editDistance(name, text, most);
    if (edits <= most) {
      found.push({ name, edits });
    }
  }
  return found;
}

/** The set of the letters of a text, as 32 bits. Several letters share a bit. */
function lettersOf(text: string): number {
  let set = 0;
  for (let index = 0; index < text.length; index++) {
    set |= 1 << ((text.charCodeAt(index) * 7) % 32);
  }
  return set >>> 0;
}

function countBits(set: number): number {
  const pairs = set - ((set >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
