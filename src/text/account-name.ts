import type { Failure } from "../failures/result.js";

/** The length limit of a label or an issuer in Unicode code points. */
export const MAX_NAME_LENGTH = 128;

/** Why a text is not a valid label or issuer. */
export type NameFailure = Failure<"TOO_LONG" | "COLON" | "CONTROL_CHARACTER" | "LONE_SURROGATE">;

/**
 * Returns all failures of a label or an issuer; none for a valid or empty one. A colon separates the two in a key URI, also if it
 * is percent-encoded, so it must be in neither. Control characters are those of Unicode's
 * general category Cc, and those with the property Bidi_Control, which can display a name as another one. A lone surrogate
 * is not a character and cannot be percent-encoded.
 */
export function checkName(name: string): NameFailure[] {
  const failures: NameFailure[] = [];
  // A code point takes one or two UTF-16 units, so a text of more than twice the limit need not be counted.
  if (name.length > 2 * MAX_NAME_LENGTH || [...name].length > MAX_NAME_LENGTH) {
    failures.push({ reason: "TOO_LONG", description: `must have at most ${MAX_NAME_LENGTH} characters` });
  }
  if (name.includes(":")) {
    failures.push({
      reason: "COLON",
      description: "must not contain a colon, which separates issuer and label in otp_url",
    });
  }
  if (/\p{Cc}/u.test(name)) {
    failures.push({
      reason: "CONTROL_CHARACTER",
      description: "must not contain control characters (U+0000 to U+001F, U+007F to U+009F)",
    });
  }
  if (/\p{Bidi_Control}/u.test(name)) {
    failures.push({
      reason: "CONTROL_CHARACTER",
      description:
        "must not contain characters that control the direction of text " +
        "(U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069)",
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
