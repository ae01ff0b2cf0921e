import { HOTP, Secret, TOTP } from "otpauth";
import { type Algorithm, DEFAULT_ALGORITHM, DEFAULT_PERIOD } from "../../text/otp/options.js";

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

/** How codes are computed. */
export interface CodeOptions {
  readonly algorithm?: Algorithm;
  /** The time step in seconds. */
  readonly period?: number;
  /** Default: codes of digits. */
  readonly encoder?: "steam" | undefined;
}

/**
 * Computes the codes of a key around a point in time, with HMAC and time steps from the Unix epoch; by default with SHA-1 and
 * steps of 30 seconds.
 * https://www.rfc-editor.org/rfc/rfc6238#section-4
 *
 * RFC 6238 does not define time steps before the epoch. They count as negative numbers, in the two's complement of the
 * eight-byte counter.
 *
 * @param key the bytes of the shared secret
 * @param time milliseconds since the Unix epoch
 */
export function totpCodes(
  key: Uint8Array,
  digits: number,
  time: number,
  { algorithm = DEFAULT_ALGORITHM, period = DEFAULT_PERIOD, encoder }: CodeOptions = {},
): TotpCodes {
  const secret = secretOf(key);
  const step = TOTP.counter({ period, timestamp: time });
  const codeOf = (counter: number) =>
    encoder === "steam"
      ? steamCode(secret, digits, counter)
      : HOTP.generate({ secret, algorithm, digits, counter });
  return {
    next: codeOf(step + 1),
    current: codeOf(step),
    previous: codeOf(step - 1),
    secondPrevious: codeOf(step - 2),
  };
}

/** The letters of Steam's codes. */
const STEAM_ALPHABET = "23456789BCDFGHJKMNPQRTVWXY";

/** Computes Steam's code at a counter. It has the truncated value of RFC 4226, section 5.3, with the last letter first. */
function steamCode(secret: Secret, length: number, counter: number): string {
  // Ten digits are the whole value of 31 bits.
  let value = Number(HOTP.generate({ secret, algorithm: "SHA1", digits: 10, counter }));
  return Array.from({ length }, () => {
    const letter = STEAM_ALPHABET[value % STEAM_ALPHABET.length];
    value = Math.floor(value / STEAM_ALPHABET.length);
    return letter;
  }).join("");
}

/** The number of counters whose codes are returned: how far the counter of a device may be ahead (RFC 4226, section 7.4). */
const LOOK_AHEAD = 10;

/** The code of a counter. */
export interface HotpCode {
  readonly counter: number;
  /** With leading zeros. */
  readonly code: string;
}

/** Computes the codes of a key at ten counters, the first of which is `first`. https://www.rfc-editor.org/rfc/rfc4226#section-5 */
export function hotpCodes(
  key: Uint8Array,
  digits: number,
  first: number,
  algorithm: Algorithm = DEFAULT_ALGORITHM,
): HotpCode[] {
  const secret = secretOf(key);
  return Array.from({ length: LOOK_AHEAD }, (_, index) => {
    const counter = first + index;
    return { counter, code: HOTP.generate({ secret, algorithm, digits, counter }) };
  });
}

function secretOf(bytes: Uint8Array): Secret {
  // The bytes may be a part of their buffer.
  return new Secret({ buffer: Uint8Array.from(bytes).buffer });
}
