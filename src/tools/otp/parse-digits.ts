import { type Failure, fail, ok, type Result } from "../../result.js";

/** How many digits a code may have. */
export type Digits = 6 | 8;

/** How many digits a code has where the request does not say. */
export const DEFAULT_DIGITS: Digits = 6;

/** Reads how many digits the codes shall have: 6 or 8, and 6 where it is not said. An explicit 0 is refused. */
export function parseDigits(digits: number | undefined): Result<Digits, Failure<"INVALID_DIGITS">> {
  if (digits === undefined) {
    return ok(DEFAULT_DIGITS);
  }
  if (digits === 6 || digits === 8) {
    return ok(digits);
  }
  return fail("INVALID_DIGITS", `must be 6 or 8, is ${digits}`);
}
