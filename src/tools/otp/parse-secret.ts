import { type Failure, fail, ok, type Result } from "../../result.js";
import { decodeBase32 } from "./base32.js";

/** The most characters that a submitted secret may have, spaces and padding included. */
export const MAX_SECRET_LENGTH = 128;

/**
 * Octets of the shortest secret that is accepted. RFC 4226 asks for 128 bits (section 4, R6), but secrets of
 * 80 bits, 16 characters of base32, are common.
 */
const MIN_SECRET_SIZE = 10;

/** Why a text is no usable secret. */
export type SecretFailure = Failure<
  "REQUIRED" | "SECRET_TOO_LONG" | "SECRET_NOT_BASE32" | "SECRET_TOO_SHORT"
>;

/**
 * Reads a shared secret, written in base32, into the octets of the key. Lower case, spaces (U+0020) anywhere
 * and complete `=` padding are accepted; see {@link decodeBase32} for what is not. No failure repeats any
 * part of the secret.
 */
export function parseSecret(text: string): Result<Uint8Array, SecretFailure> {
  if (text.length > MAX_SECRET_LENGTH) {
    return fail("SECRET_TOO_LONG", `must have at most ${MAX_SECRET_LENGTH} characters, has ${text.length}`);
  }
  const symbols = text.replaceAll(" ", "");
  if (symbols === "") {
    return fail("REQUIRED", "must be given: the shared secret in base32");
  }
  const key = decodeBase32(symbols);
  if (key === undefined) {
    return fail(
      "SECRET_NOT_BASE32",
      "must be base32 (RFC 4648): letters A to Z and digits 2 to 7, in a length that whole octets encode to, " +
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
