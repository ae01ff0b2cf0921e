/** Rows of the table of distances. Calls do not overlap, so that they can share the rows. */
let rows = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(64)] as const;

/**
 * Counts the edits that make one text of another: an inserted, removed or replaced character, or two neighbors that change places
 * (the optimal string alignment distance). Compares UTF-16 units. Stops at `limit`, which is below 255: a larger distance is
 * `limit + 1`. Takes time in proportion to the length of `a` times the limit.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) {
    return limit + 1;
  }
  if (b.length >= rows[0].length) {
    const create = () => new Uint8Array(2 * b.length);
    rows = [create(), create(), create()];
  }
  // The distances between the first i characters of a and all beginnings of b, for the last two values of i.
  let [older, previous, next] = rows;
  const far = limit + 1;
  for (let j = 0; j <= b.length; j++) {
    previous[j] = Math.min(j, far);
  }
  for (let i = 1; i <= a.length; i++) {
    // Cells further from the diagonal have more edits than the limit.
    const first = Math.max(1, i - limit);
    const last = Math.min(b.length, i + limit);
    next[first - 1] = first === 1 ? Math.min(i, far) : far;
    let least = at(next, first - 1);
    for (let j = first; j <= last; j++) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let edits = at(previous, j - 1) + (isSame ? 0 : 1);
      if (j > i - limit) {
        edits = Math.min(edits, at(next, j - 1) + 1);
      }
      if (j < i + limit) {
        edits = Math.min(edits, at(previous, j) + 1);
      }
      const isSwapped =
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (isSwapped) {
        edits = Math.min(edits, at(older, j - 2) + 1);
      }
      next[j] = edits = Math.min(edits, far);
      least = Math.min(least, edits);
    }
    if (least > limit) {
      return far;
    }
    [older, previous, next] = [previous, next, older];
  }
  return Math.min(at(previous, b.length), far);
}

/** A cell of a row; every read cell was written before. */
function at(row: Uint8Array, index: number): number {
  return row[index] ?? 0;
}
