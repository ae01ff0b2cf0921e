/**
 * The outcome of a function that can fail in expected ways: a value, or a failure that says why. Exceptions
 * are for bugs.
 */
export type Result<T, F> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: F };

/**
 * Why a function could not answer. `reason` is one of a closed set that the function's type spells out, in
 * UPPER_SNAKE_CASE, and is part of the API; `description` is for people, says what is wrong and what would be
 * right, and never repeats a secret.
 */
export interface Failure<R extends Uppercase<string> = Uppercase<string>> {
  readonly reason: R;
  readonly description: string;
}

/** A success. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** A failure. */
export function fail<R extends Uppercase<string>>(
  reason: R,
  description: string,
): { readonly ok: false; readonly failure: Failure<R> } {
  return { ok: false, failure: { reason, description } };
}
