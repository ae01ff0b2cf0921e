/** Prints and counts checks. */
export interface Checks {
  /** Prints a check, and `detail` if it does not hold. */
  check(what: string, holds: boolean, detail?: unknown): void;
  /** Returns the number of checks that failed so far. */
  failures(): number;
}

/** Creates an empty list of checks. */
export function createChecks(): Checks {
  let failures = 0;
  return {
    check: (what, holds, detail) => {
      failures += holds ? 0 : 1;
      console.log(`${holds ? "ok    " : "FAILED"} ${what}`);
      if (!holds && detail !== undefined) {
        console.log(detail);
      }
    },
    failures: () => failures,
  };
}
