import { type Failure, fail, ok, type Result } from "../failures/result.js";

/** The number of results unless a request says otherwise. */
const DEFAULT_LIMIT = 20;

/** Reads the number of results in a request, of at most `max`; undefined is the default. */
export function parseLimit(limit: number | undefined, max: number): Result<number, Failure<"INVALID_LIMIT">> {
  const number = limit ?? DEFAULT_LIMIT;
  return number >= 1 && number <= max
    ? ok(number)
    : fail("INVALID_LIMIT", `must be from 1 to ${max}, is ${number}`);
}
