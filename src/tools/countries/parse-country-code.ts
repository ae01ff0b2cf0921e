import { type Failure, fail, ok, type Result } from "../../result.js";

const ALPHA_2_OR_3 = /^[A-Za-z]{2,3}$/;

/**
 * Reads an ISO 3166-1 alpha-2 or alpha-3 code in any case and returns it in upper case. Whether such a
 * country exists is a question for the index.
 */
export function parseCountryCode(text: string): Result<string, Failure<"REQUIRED" | "INVALID_COUNTRY_CODE">> {
  if (text === "") {
    return fail("REQUIRED", "is required: a 2- or 3-letter country code, for example FR or FRA");
  }
  if (!ALPHA_2_OR_3.test(text)) {
    return fail("INVALID_COUNTRY_CODE", "must be a 2- or 3-letter country code, for example FR or FRA");
  }
  return ok(text.toUpperCase());
}
