/** A part of a text: unchanged, or only in one of two versions. */
export interface DiffPart {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

const SEGMENTER = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Compares two versions of a text. The `same` and `removed` parts make up the version before, the `same` and `added` parts the
 * version after. The unit is the grapheme cluster, and the common part is a longest common subsequence; time and memory
 * grow with the product of both lengths.
 */
export function diffText(before: string, after: string): DiffPart[] {
  const [one, other] = [graphemes(before), graphemes(after)];
  const common = commonLengths(one, other);
  const parts: DiffPart[] = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    const [removed, added] = [one[i], other[j]];
    if (removed !== undefined && removed === added) {
      push(parts, "same", removed);
      i++;
      j++;
    } else if (removed !== undefined && (added === undefined || common(i + 1, j) >= common(i, j + 1))) {
      push(parts, "removed", removed);
      i++;
    } else {
      push(parts, "added", added ?? "");
      j++;
    }
  }
  return parts;
}

function graphemes(text: string): string[] {
  return Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
}

/** Returns a function from an index in each text to the length of the longest common subsequence after them. */
function commonLengths(one: readonly string[], other: readonly string[]): (i: number, j: number) => number {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        one[i] === other[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}

/** Appends a text, merged into the last part of the same kind. Keeps removed text before the text added in its place. */
function push(parts: DiffPart[], kind: DiffPart["kind"], text: string): void {
  const last = parts.at(-1);
  const before = parts.at(-2);
  if (last?.kind === kind) {
    parts[parts.length - 1] = { kind, text: last.text + text };
  } else if (kind === "removed" && last?.kind === "added") {
    const removed = before?.kind === "removed" ? before.text + text : text;
    parts.splice(before?.kind === "removed" ? -2 : -1, 2, { kind, text: removed }, last);
  } else {
    parts.push({ kind, text });
  }
}
