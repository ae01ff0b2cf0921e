import { HOTP, Secret, TOTP } from "otpauth";
import { type Algorithm, DEFAULT_ALGORITHM, DEFAULT_PERIOD, type Digits } from "./options.js";

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
  digits: Digits,
  time: number,
  { algorithm = DEFAULT_ALGORITHM, period = DEFAULT_PERIOD }: CodeOptions = {},
): TotpCodes {
  const secret = secretOf(key);
  const step = TOTP.counter({ period, timestamp: time });
  const codeOf = (counter: number) => HOTP.generate({ secret, algorithm, digits, counter });
  return {
    next: codeOf(step + 1),
    current: codeOf(step),
    previous: codeOf(step - 1),
    secondPrevious: codeOf(step - 2),
  };
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
  digits: Digits,
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
