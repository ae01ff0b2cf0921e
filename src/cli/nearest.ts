/**
 * The name that somebody most likely meant by a word: the one with the fewest slips between them, if they are few for its
 * length; undefined where none is near. Each letter that is wrong, missing, too many or swapped with the next is a slip
 * (optimal string alignment distance).
 */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const [best] = names
    .filter((name) => Math.abs(name.length - word.length) <= allowed(name))
    .map((name) => ({ name, slips: slipsBetween(word, name) }))
    .filter(({ name, slips }) => slips <= allowed(name))
    .toSorted((a, b) => a.slips - b.slips);
  return best?.name;
}

/** The slips that a name is still known by. */
function allowed(name: string): number {
  return Math.max(1, Math.floor(name.length / 3));
}

function slipsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
