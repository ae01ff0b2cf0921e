/** The outcome of a function with expected failures: a value, or a failure. Exceptions are for bugs. */
export type Result<T, F> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: F };

/** Why a function has no value to return. */
export interface Failure<R extends Uppercase<string> = Uppercase<string>> {
  /** Stable and machine-readable, in UPPER_SNAKE_CASE; part of the API. The type of a function lists its reasons. */
  readonly reason: R;
  /** A human-readable description of the problem and the allowed values. Must not contain a secret. */
  readonly description: string;
  /** Facts for programs. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

export function fail<R extends Uppercase<string>>(
  reason: R,
  description: string,
  metadata?: Readonly<Record<string, string>>,
): { readonly ok: false; readonly failure: Failure<R> } {
  return { ok: false, failure: { reason, description, ...(metadata && { metadata }) } };
}
