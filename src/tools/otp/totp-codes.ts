import { HOTP, Secret, TOTP } from "otpauth";
import { ALGORITHM, PERIOD } from "./parameters.js";
import type { Digits } from "./parse-digits.js";

/** The codes around a point in time, each of as many digits as were asked for, leading zeros included. */
export interface TotpCodes {
  /** The code of the next time step. */
  readonly next: string;
  /** The code of the time step that the time is in. */
  readonly current: string;
  /** The code of the time step before. */
  readonly previous: string;
  /** The code of the time step before the previous one. */
  readonly secondPrevious: string;
}

/**
 * Computes the codes that a key gives around a time, with HMAC-SHA-1 and time steps of 30 seconds from the
 * Unix epoch. https://www.rfc-editor.org/rfc/rfc6238#section-4
 *
 * There are always four. Time steps before the epoch, which the RFC does not define, count as negative
 * numbers in the two's complement of the eight-octet counter.
 *
 * @param key the octets of the shared secret
 * @param time milliseconds since the Unix epoch
 */
export function totpCodes(key: Uint8Array, digits: Digits, time: number): TotpCodes {
  const secret = new Secret({ buffer: Uint8Array.from(key).buffer });
  const step = TOTP.counter({ period: PERIOD, timestamp: time });
  const codeOf = (counter: number) => HOTP.generate({ secret, algorithm: ALGORITHM, digits, counter });
  return {
    next: codeOf(step + 1),
    current: codeOf(step),
    previous: codeOf(step - 1),
    secondPrevious: codeOf(step - 2),
  };
}
