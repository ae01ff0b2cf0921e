/** The content of a key URI. */
export interface KeyUriInit {
  /** Default: time-based. */
  readonly type?: "totp" | "hotp";
  /** The account; may be empty. */
  readonly label: string;
  /** The service that the account belongs to; may be empty. */
  readonly issuer: string;
  /** The shared secret in base32, without padding. */
  readonly secret: string;
  /** Default: SHA1. */
  readonly algorithm?: string;
  readonly digits: number;
  /** The time step of a time-based code in seconds. Default: 30. */
  readonly period?: number;
  /** The first counter of counter-based codes. Default: 0. */
  readonly counter?: number;
}

/** The account in a key URI without a label: the format requires one. */
const NO_LABEL = "Account";

/**
 * Writes the URI that provisions an authenticator app: `otpauth://totp/Issuer:label?secret=…&issuer=…&…`. Throws a
 * URIError if the label or the issuer contains a lone surrogate.
 *
 * All five parameters are present, even an empty issuer; without an issuer the label has no prefix. Colons in the label
 * and the issuer are percent-encoded.
 * https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export function keyUri(init: KeyUriInit): string {
  const { type = "totp", label, issuer, secret, algorithm = "SHA1", digits, period = 30, counter = 0 } = init;
  const encodedIssuer = percentEncode(issuer);
  const account = percentEncode(label || NO_LABEL);
  const name = issuer === "" ? account : `${encodedIssuer}:${account}`;
  const query = [
    `secret=${percentEncode(secret)}`,
    `issuer=${encodedIssuer}`,
    `algorithm=${algorithm}`,
    `digits=${digits}`,
    type === "totp" ? `period=${period}` : `counter=${counter}`,
  ].join("&");
  return `otpauth://${type}/${name}?${query}`;
}

/**
 * Percent-encodes all characters of a text except the unreserved ones (letters, digits, `-`, `.`, `_`, `~`), so that it
 * can be used anywhere in a URI. A space becomes `%20`. Throws a URIError for a lone surrogate.
 * https://www.rfc-editor.org/rfc/rfc3986#section-2
 */
export function percentEncode(text: string): string {
  // encodeURIComponent follows RFC 2396, in which these five are unreserved.
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
