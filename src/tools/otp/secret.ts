import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { decodeBase32 } from "../../text/base32.js";

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

/**
 * Decodes a shared secret from base32. Accepts lower case, spaces (U+0020) anywhere and complete `=` padding; see
 * {@link decodeBase32} for what it rejects. Failures do not repeat any part of the secret.
 */
export function parseSecret(text: string): Result<Uint8Array, SecretFailure> {
  if (text.length > MAX_SECRET_LENGTH) {
    return fail("SECRET_TOO_LONG", `must have at most ${MAX_SECRET_LENGTH} characters, has ${text.length}`);
  }
  const symbols = text.replaceAll(" ", "");
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
      `must have at least ${MIN_SECRET_SIZE * 8} bits (16 characters of base32), has ${key.length * 8}`,
    );
  }
  return ok(key);
}
