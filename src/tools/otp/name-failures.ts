import type { Failure } from "../../result.js";

/** The most characters (Unicode code points) that a label or an issuer may have. */
export const MAX_NAME_LENGTH = 128;

/** Why a text cannot be a label or an issuer. */
export type NameFailure = Failure<"TOO_LONG" | "CONTROL_CHARACTER" | "LONE_SURROGATE">;

/**
 * Everything that is wrong with a label or an issuer; nothing where it is usable, also where it is empty.
 * Control characters are those of Unicode's general category Cc: U+0000 to U+001F and U+007F to U+009F. A
 * lone surrogate is no character, and no percent-encoding could carry it.
 */
export function nameFailures(name: string): NameFailure[] {
  const failures: NameFailure[] = [];
  // A code point is one or two units of the string: beyond twice the limit there is nothing to count.
  if (name.length > 2 * MAX_NAME_LENGTH || [...name].length > MAX_NAME_LENGTH) {
    failures.push({ reason: "TOO_LONG", description: `must have at most ${MAX_NAME_LENGTH} characters` });
  }
  if (/\p{Cc}/u.test(name)) {
    failures.push({
      reason: "CONTROL_CHARACTER",
      description: "must not contain control characters (U+0000 to U+001F, U+007F to U+009F)",
    });
  }
  if (/\p{Cs}/u.test(name)) {
    failures.push({
      reason: "LONE_SURROGATE",
      description: "must be well-formed Unicode, contains half of a surrogate pair",
    });
  }
  return failures;
}
