/** Says what holds and remembers what does not. */
export interface Checks {
  /** Takes down whether something holds; `detail` is told when it does not. */
  check(what: string, holds: boolean, detail?: unknown): void;
  readonly failures: number;
}

/** Makes a list of checks that are printed as they are made. */
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
    get failures() {
      return failures;
    },
  };
}
