import { encodeBase32 } from "./base32.js";

/** Octets of a new secret: the length that RFC 4226 recommends (section 4, R6). */
const SECRET_SIZE = 20;

/** Gives as many random octets, from a source fit for cryptography. */
export type RandomBytes = (size: number) => Uint8Array;

/**
 * Makes a new shared secret: 160 random bits as 32 characters of base32, without padding.
 * https://www.rfc-editor.org/rfc/rfc4226#section-4
 */
export function generateSecret(randomBytes: RandomBytes): string {
  return encodeBase32(randomBytes(SECRET_SIZE));
}
