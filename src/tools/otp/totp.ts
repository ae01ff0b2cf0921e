import { HOTP, Secret, TOTP } from "otpauth";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";

/** The kind of one-time password, in the terms of the Key URI format. */
export const TYPE = "totp";

/** The hash algorithm, in the terms of the Key URI format: the only one that every authenticator app supports. */
export const ALGORITHM = "SHA1";

/** The time step in seconds: the default of RFC 6238, section 5.2. */
export const PERIOD = 30;

/** The number of digits of a code. */
export type Digits = 6 | 8;

/** The number of digits of a code if the request does not set it. */
export const DEFAULT_DIGITS: Digits = 6;

/** Reads the number of digits: 6 or 8, and 6 if it is not set. Rejects an explicit 0. */
export function parseDigits(digits: number | undefined): Result<Digits, Failure<"INVALID_DIGITS">> {
  if (digits === undefined) {
    return ok(DEFAULT_DIGITS);
  }
  if (digits === 6 || digits === 8) {
    return ok(digits);
  }
  return fail("INVALID_DIGITS", `must be 6 or 8, is ${digits}`);
}

/** The codes around a point in time, with leading zeros. */
export interface TotpCodes {
  /** The code of the next time step. */
  readonly next: string;
  /** The code of the current time step. */
  readonly current: string;
  /** The code of the previous time step. */
  readonly previous: string;
  /** The code of the time step before the previous one. */
  readonly secondPrevious: string;
}

/**
 * Computes the codes of a key around a point in time, with HMAC-SHA-1 and time steps of 30 seconds from the Unix epoch.
 * https://www.rfc-editor.org/rfc/rfc6238#section-4
 *
 * RFC 6238 does not define time steps before the epoch. They count as negative numbers, in the two's complement of the
 * eight-byte counter.
 *
 * @param key the bytes of the shared secret
 * @param time milliseconds since the Unix epoch
 */
export function totpCodes(key: Uint8Array, digits: Digits, time: number): TotpCodes {
  const secret = secretOf(key);
  const step = TOTP.counter({ period: PERIOD, timestamp: time });
  const codeOf = (counter: number) => HOTP.generate({ secret, digits, counter });
  return {
    next: codeOf(step + 1),
    current: codeOf(step),
    previous: codeOf(step - 1),
    secondPrevious: codeOf(step - 2),
  };
}

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

/** Encodes bytes as base32 in upper case, without padding. https://www.rfc-editor.org/rfc/rfc4648#section-6 */
export function encodeBase32(bytes: Uint8Array): string {
  return secretOf(bytes).base32;
}

function secretOf(bytes: Uint8Array): Secret {
  // The bytes may be a part of their buffer.
  return new Secret({ buffer: Uint8Array.from(bytes).buffer });
}

/** The value of each symbol of base32 in either case, by character code. */
const SYMBOL_VALUES = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(String.fromCharCode(code).toUpperCase())),
);

/** The possible numbers of symbols after the last complete group of eight. */
const POSSIBLE_REMAINDERS: ReadonlySet<number> = new Set([0, 2, 4, 5, 7]);

/**
 * Decodes base32 in either case. Returns undefined for other text. https://www.rfc-editor.org/rfc/rfc4648#section-6
 *
 * Rejects lengths that no number of bytes encodes to, and padding that is neither absent nor complete: both show that
 * symbols were lost or added, and a wrong key generates well-formed wrong codes. Ignores the bits after the last byte:
 * section 3.5 leaves them to the decoder, secrets drawn letter by letter have them set, and authenticator apps ignore
 * them too.
 */
export function decodeBase32(text: string): Uint8Array | undefined {
  const [, symbols, padding] = /^([A-Za-z2-7]*)(=*)$/.exec(text) ?? [];
  if (symbols === undefined || padding === undefined) {
    return undefined;
  }
  const remainder = symbols.length % 8;
  const completePadding = (8 - remainder) % 8;
  if (!POSSIBLE_REMAINDERS.has(remainder) || (padding !== "" && padding.length !== completePadding)) {
    return undefined;
  }
  const bytes = new Uint8Array((symbols.length * 5) >> 3);
  let size = 0;
  let value = 0;
  let pending = 0;
  for (let index = 0; index < symbols.length; index++) {
    value = (value << 5) | (SYMBOL_VALUES[symbols.charCodeAt(index)] ?? 0);
    pending += 5;
    if (pending >= 8) {
      pending -= 8;
      bytes[size++] = value >> pending;
    }
  }
  return bytes;
}
