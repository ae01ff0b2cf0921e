import { ALGORITHM, PERIOD, TYPE } from "./parameters.js";
import type { Digits } from "./parse-digits.js";
import { percentEncode } from "./percent-encode.js";

/** What a key URI says. */
export interface KeyUriInit {
  /** The account; may be empty. */
  readonly label: string;
  /** The service that the account is with; may be empty. */
  readonly issuer: string;
  /** The shared secret in base32, without padding. */
  readonly secret: string;
  readonly digits: Digits;
}

/**
 * Writes the URI that provisions an authenticator app, `otpauth://totp/Issuer:label?secret=…&issuer=…&…`.
 * All five parameters are always there, also an empty issuer; without an issuer the label has no prefix. A
 * colon in the label or the issuer is percent-encoded, so that the only one in the path parts the two.
 * https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 *
 * Throws a URIError where the label or the issuer contains a lone surrogate.
 */
export function keyUri({ label, issuer, secret, digits }: KeyUriInit): string {
  const encodedIssuer = percentEncode(issuer);
  const prefix = issuer === "" ? "" : `${encodedIssuer}:`;
  const query = [
    `secret=${percentEncode(secret)}`,
    `issuer=${encodedIssuer}`,
    `algorithm=${ALGORITHM}`,
    `digits=${digits}`,
    `period=${PERIOD}`,
  ].join("&");
  return `otpauth://${TYPE}/${prefix}${percentEncode(label)}?${query}`;
}
