/** Returns the value that `part` (0 to 1) of the sorted values do not exceed. NaN without values. */
export function percentile(sorted: ArrayLike<number>, part: number): number {
  const rank = Math.max(Math.ceil(sorted.length * part), 1);
  return sorted[rank - 1] ?? Number.NaN;
}

/** Returns the median. NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  return (low + high) / 2;
}
