/** The cases of a suite, some of which are known to fail. */
export interface KnownFailures {
  checkCase(name: string, holds: boolean, details?: unknown): void;
  skip(name: string, reason: string): void;
  conclude(isComplete?: boolean): void;
}

export function knownFailures(file: string): KnownFailures;
