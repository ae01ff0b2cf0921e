import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { decodeBase32 } from "./base32.js";

/** The length limit of a submitted secret in characters, including spaces and padding. */
export const MAX_SECRET_LENGTH = 128;

/**
 * The minimum size of a secret in bytes. RFC 4226 requires 128 bits (section 4, R6), but secrets of 80 bits, 16
 * characters of base32, are common.
 */
const MIN_SECRET_SIZE = 10;

/** Why a text is not a usable secret. */
export type SecretFailure = Failure<
  "REQUIRED" | "SECRET_TOO_LONG" | "SECRET_NOT_BASE32" | "SECRET_TOO_SHORT"
>;

/** What groups the characters of a secret where people copy it: white space, zero-width characters and hyphens. */
const SEPARATORS = /[\s\u200B-\u200D\u2060\u00AD\u2010-\u2015\u2212-]/g;

/** Replaces the separators of a secret's groups. */
export function replaceSeparators(secret: string, separator: string): string {
  return secret.replaceAll(SEPARATORS, separator);
}

/**
 * Decodes a shared secret from base32. Accepts lower case, white space and hyphens anywhere and complete `=` padding; see
 * {@link decodeBase32} for what it rejects. Failures do not repeat any part of the secret.
 */
export function parseSecret(text: string): Result<Uint8Array, SecretFailure> {
  const { length } = text.trim();
  if (length > MAX_SECRET_LENGTH) {
    return fail("SECRET_TOO_LONG", `must have at most ${MAX_SECRET_LENGTH} characters, has ${length}`);
  }
  const symbols = replaceSeparators(text, "");
  if (symbols === "") {
    return fail("REQUIRED", "is required: the shared secret in base32");
  }
  const key = decodeBase32(symbols);
  if (key === undefined) {
    return fail(
      "SECRET_NOT_BASE32",
      "must be base32 (RFC 4648): letters A to Z and digits 2 to 7, with a length that encodes whole bytes, " +
        "with complete = padding at the end or none",
    );
  }
  if (key.length < MIN_SECRET_SIZE) {
    return fail(
      "SECRET_TOO_SHORT",
      `must have at least 16 characters of base32 (80 bits), has ${Math.ceil((key.length * 8) / 5)}`,
    );
  }
  return ok(key);
}
