/**
 * Counts the edits that make one text of another: an inserted, removed or replaced character, or two neighbors that change places
 * (the optimal string alignment distance). Compares UTF-16 units. Takes time in proportion to the product of the lengths.
 */
export function editDistance(a: string, b: string): number {
  // The distances between the first i characters of a and all beginnings of b, for the last two values of i.
  let previous: readonly number[] = [];
  let current: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(
        Math.min(
          (current[j] ?? 0) + 1,
          (next[j - 1] ?? 0) + 1,
          (current[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (previous[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    previous = current;
    current = next;
  }
  return current[b.length] ?? 0;
}
