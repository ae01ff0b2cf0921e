/** A correction of one value: the value of the source, and the correct value. */
export interface Change<T> {
  readonly from: T;
  readonly to: T;
}

/**
 * Applies a change to the value of a source. Throws an Error if the source has another value than expected: the
 * correction is obsolete or needs a review.
 */
export function applyChange<T>(value: T, change: Change<T> | undefined, what: string): T {
  if (change === undefined) {
    return value;
  }
  if (JSON.stringify(value) !== JSON.stringify(change.from)) {
    throw new Error(
      `the correction of ${what} is stale: it expects ${JSON.stringify(change.from)}, the source has ${JSON.stringify(value)}`,
    );
  }
  return change.to;
}

/** Throws an Error if a table of corrections has unused entries. */
export function checkAllUsed(what: string, keys: Iterable<string>, used: ReadonlySet<string>): void {
  const unused = [...keys].filter((key) => !used.has(key));
  if (unused.length > 0) {
    throw new Error(`${what} has corrections for what is not there: ${unused.join(", ")}`);
  }
}
