/** One value that is put right: what a source says, and what it should say. */
export interface Change<T> {
  readonly from: T;
  readonly to: T;
}

/**
 * Applies a change to the value that a source gives. A change that no longer fits is an error: the source has
 * been put right or has changed otherwise, and somebody has to look.
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

/** Ends with an error if a table of corrections has entries that nothing asked for. */
export function checkAllUsed(what: string, keys: Iterable<string>, used: ReadonlySet<string>): void {
  const unused = [...keys].filter((key) => !used.has(key));
  if (unused.length > 0) {
    throw new Error(`${what} has corrections for what is not there: ${unused.join(", ")}`);
  }
}
