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
  /** Codes of letters. Default: digits. */
  readonly encoder?: "steam" | undefined;
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
  const {
    type = "totp",
    label,
    issuer,
    secret,
    algorithm = "SHA1",
    digits,
    period = 30,
    counter = 0,
    encoder,
  } = init;
  const encodedIssuer = percentEncode(issuer);
  const account = percentEncode(label || NO_LABEL);
  const name = issuer === "" ? account : `${encodedIssuer}:${account}`;
  const query = [
    `secret=${percentEncode(secret)}`,
    `issuer=${encodedIssuer}`,
    `algorithm=${algorithm}`,
    `digits=${digits}`,
    type === "totp" ? `period=${period}` : `counter=${counter}`,
    ...(encoder === undefined ? [] : [`encoder=${encoder}`]),
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

/** The parts of a key URI, before they are checked. */
export interface KeyUriParts {
  /** `steam` is what some programs write for Steam's codes, which are time-based. */
  readonly type: "totp" | "hotp" | "steam";
  /** The service of the account: the parameter, or else the prefix of the label. "" if the URI names none. */
  readonly issuer: string;
  /** The account without the service. */
  readonly label: string;
  /** The parameters in their order, with names in lower case. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/**
 * Splits a key URI: `otpauth://totp/…`, `otpauth://hotp/…` or `otpauth://steam/…`. Returns undefined for another text.
 * https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export function splitKeyUri(text: string): KeyUriParts | undefined {
  const [, type, path, query] = /^otpauth:\/\/(totp|hotp|steam)\/([^?#]*)\?([^#]*)$/i.exec(text) ?? [];
  if (type === undefined || path === undefined) {
    return undefined;
  }
  const parameters = [...new URLSearchParams(query)].map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  // The colon may be percent-encoded.
  const [, prefix = "", label = ""] = /^(?:([^:]*):\s*)?(.*)$/s.exec(percentDecode(path)) ?? [];
  const issuer = parameters.find(([name, value]) => name === "issuer" && value !== "")?.[1] ?? prefix;
  return { type: type.toLowerCase() as KeyUriParts["type"], issuer, label, parameters };
}

/** Decodes a path. A malformed one stays as it is. */
function percentDecode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Whether a text is meant as a link of an export, which has several accounts. */
export function isOtpExport(text: string): boolean {
  return /^\s*otpauth-migration:/i.test(text);
}
