import { type Failure, fail, ok, type Result } from "../../failures/result.js";

/** The kind of one-time password, in the terms of the Key URI format: time-based (RFC 6238) or counter-based (RFC 4226). */
export type OtpType = "totp" | "hotp";

/** The hash algorithms, in the terms of the Key URI format. */
const ALGORITHMS = ["SHA1", "SHA256", "SHA512"] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** The hash algorithm if the request does not set it: the only one that every authenticator app supports. */
export const DEFAULT_ALGORITHM: Algorithm = "SHA1";

/** Reads the hash algorithm, and SHA1 if it is not set. Rejects an empty text. */
export function parseAlgorithm(text: string | undefined): Result<Algorithm, Failure<"INVALID_ALGORITHM">> {
  const algorithm = ALGORITHMS.find((each) => each === (text ?? DEFAULT_ALGORITHM));
  return algorithm === undefined
    ? fail("INVALID_ALGORITHM", "must be SHA1, SHA256 or SHA512")
    : ok(algorithm);
}

/** The numbers of digits that a request can ask for. */
const REQUEST_DIGITS: readonly number[] = [6, 8];

/** The number of digits of a code if it is not set. */
const DEFAULT_DIGITS = 6;

/** Reads the number of digits, one of those that are allowed; 6 if it is not set. Rejects an explicit 0. */
export function parseDigits(
  digits: number | undefined,
  allowed: readonly number[] = REQUEST_DIGITS,
): Result<number, Failure<"INVALID_DIGITS">> {
  const value = digits ?? DEFAULT_DIGITS;
  return allowed.includes(value)
    ? ok(value)
    : fail("INVALID_DIGITS", `must be ${allowed.join(", ").replace(/, (?=\d$)/, " or ")}, is ${value}`);
}

/** The time step in seconds if the request does not set it: the default of RFC 6238, section 5.2. */
export const DEFAULT_PERIOD = 30;

/** The longest time step in seconds: a day. */
const MAX_PERIOD = 86_400;

/** Reads the time step in seconds: 1 to 86,400, and 30 if it is not set. */
export function parsePeriod(period: number | undefined): Result<number, Failure<"INVALID_PERIOD">> {
  const seconds = period ?? DEFAULT_PERIOD;
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_PERIOD
    ? ok(seconds)
    : fail("INVALID_PERIOD", `must be from 1 to ${MAX_PERIOD}, is ${seconds}`);
}

/** The largest counter of a request. */
const MAX_COUNTER = 2 ** 31 - 1;

/** Reads a counter: 0 to 2,147,483,647, and 0 if it is not set. */
export function parseCounter(counter: number | undefined): Result<number, Failure<"INVALID_COUNTER">> {
  const value = counter ?? 0;
  return Number.isInteger(value) && value >= 0 && value <= MAX_COUNTER
    ? ok(value)
    : fail("INVALID_COUNTER", `must be from 0 to ${MAX_COUNTER}, is ${value}`);
}

/** The options of a key in a request or a key URI. An option that is not set has its default. */
export interface GivenOptions {
  readonly digits?: number | undefined;
  readonly algorithm?: string | undefined;
  /** The time step in seconds. */
  readonly period?: number | undefined;
  readonly counter?: number | undefined;
}

/** How the codes of a key are computed. */
export interface Options {
  /** The length of a code. */
  readonly digits: number;
  readonly algorithm: Algorithm;
  /** The time step in seconds. */
  readonly period: number;
  readonly counter: number;
}

/** An invalid option. */
export type OptionFailure = Failure<
  "INVALID_DIGITS" | "INVALID_ALGORITHM" | "INVALID_PERIOD" | "INVALID_COUNTER"
> & { readonly field: keyof Options };

/** Reads all options. Fails with all invalid ones. */
export function parseOtpOptions(
  given: GivenOptions,
  allowedDigits?: readonly number[],
): Result<Options, readonly OptionFailure[]> {
  const digits = parseDigits(given.digits, allowedDigits);
  const algorithm = parseAlgorithm(given.algorithm);
  const period = parsePeriod(given.period);
  const counter = parseCounter(given.counter);
  if (digits.ok && algorithm.ok && period.ok && counter.ok) {
    return ok({
      digits: digits.value,
      algorithm: algorithm.value,
      period: period.value,
      counter: counter.value,
    });
  }
  const failure = Object.entries({ digits, algorithm, period, counter }).flatMap(([field, result]) =>
    result.ok ? [] : [{ field: field as keyof Options, ...result.failure }],
  );
  return { ok: false, failure };
}
