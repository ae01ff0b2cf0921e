import type { Failure, Result } from "../../failures/result.js";
import { ALGORITHM, DEFAULT_DIGITS, type Digits, encodeBase32, PERIOD, parseDigits, TYPE } from "./totp.js";

/** The account that a new secret is for. */
export interface OtpRequest {
  readonly label: string;
  readonly issuer: string;
  readonly digits?: number | undefined;
}

/** A new secret. */
export interface GeneratedOtp {
  /** The secret in base32: 32 characters. */
  readonly secret: string;
  /** The key URI, which contains the secret. */
  readonly otpUrl: string;
  readonly digits: Digits;
}

/** An invalid field of an {@link OtpRequest}. */
export type OtpRequestFailure =
  | (NameFailure & { readonly field: "label" | "issuer" })
  | (Failure<"OTP_URL_TOO_LONG"> & { readonly field: "label" | "issuer" })
  | (Failure<"INVALID_DIGITS"> & { readonly field: "digits" });

/** The dependencies of {@link generateOtp}. */
export interface GenerateOtpDeps {
  /** Returns cryptographically secure random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** The length limit of the key URI in characters: what fits in its QR code. */
  readonly maxUrlLength: number;
}

/** Generates a secret for an account, with its key URI. Fails with all invalid fields. */
export function generateOtp(
  request: OtpRequest,
  { randomBytes, maxUrlLength }: GenerateOtpDeps,
): Result<GeneratedOtp, readonly OtpRequestFailure[]> {
  const { label, issuer } = request;
  const digits = parseDigits(request.digits);
  const failures: OtpRequestFailure[] = [
    ...checkName(label).map((failure) => ({ field: "label", ...failure }) as const),
    ...checkName(issuer).map((failure) => ({ field: "issuer", ...failure }) as const),
  ];
  const uriInit = {
    label,
    issuer,
    secret: generateSecret(randomBytes),
    digits: digits.ok ? digits.value : DEFAULT_DIGITS,
  };
  // Invalid names may not be encodable. The number of digits does not change the length.
  const otpUrl = failures.length === 0 ? keyUri(uriInit) : "";
  if (otpUrl.length > maxUrlLength) {
    failures.push(otpUrlTooLong(request, otpUrl.length, maxUrlLength));
  }
  if (!digits.ok) {
    failures.push({ field: "digits", ...digits.failure });
  }
  return failures.length > 0
    ? { ok: false, failure: failures }
    : { ok: true, value: { secret: uriInit.secret, otpUrl, digits: uriInit.digits } };
}

/** Reports the longer of the two names. */
function otpUrlTooLong({ label, issuer }: OtpRequest, length: number, maxLength: number): OtpRequestFailure {
  const issuerIsLonger = 2 * percentEncode(issuer).length > percentEncode(label).length;
  return {
    field: issuerIsLonger ? "issuer" : "label",
    reason: "OTP_URL_TOO_LONG",
    description:
      `must be shorter: otp_url would have ${length} characters, and its QR code holds at most ${maxLength}. ` +
      "The label stands in it once and the issuer twice; each character other than A-Z, a-z, 0-9, -, ., _ and ~ " +
      "takes 3 to 12 there",
  };
}

/** The size of a new secret in bytes: the length that RFC 4226 recommends (section 4, R6). */
const SECRET_SIZE = 20;

/**
 * Generates a shared secret: 160 random bits as 32 characters of base32, without padding.
 * https://www.rfc-editor.org/rfc/rfc4226#section-4
 */
export function generateSecret(randomBytes: GenerateOtpDeps["randomBytes"]): string {
  return encodeBase32(randomBytes(SECRET_SIZE));
}

/** The length limit of a label or an issuer in Unicode code points. */
export const MAX_NAME_LENGTH = 128;

/** Why a text is not a valid label or issuer. */
export type NameFailure = Failure<"TOO_LONG" | "CONTROL_CHARACTER" | "LONE_SURROGATE">;

/**
 * Returns all failures of a label or an issuer; none for a valid or empty one. Control characters are those of Unicode's
 * general category Cc, and those with the property Bidi_Control, which can display a name as another one. A lone surrogate
 * is not a character and cannot be percent-encoded.
 */
export function checkName(name: string): NameFailure[] {
  const failures: NameFailure[] = [];
  // A code point takes one or two UTF-16 units, so a text of more than twice the limit need not be counted.
  if (name.length > 2 * MAX_NAME_LENGTH || [...name].length > MAX_NAME_LENGTH) {
    failures.push({ reason: "TOO_LONG", description: `must have at most ${MAX_NAME_LENGTH} characters` });
  }
  if (/\p{Cc}/u.test(name)) {
    failures.push({
      reason: "CONTROL_CHARACTER",
      description: "must not contain control characters (U+0000 to U+001F, U+007F to U+009F)",
    });
  }
  if (/\p{Bidi_Control}/u.test(name)) {
    failures.push({
      reason: "CONTROL_CHARACTER",
      description:
        "must not contain characters that control the direction of text " +
        "(U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069)",
    });
  }
  if (/\p{Cs}/u.test(name)) {
    failures.push({
      reason: "LONE_SURROGATE",
      description: "must be well-formed Unicode, contains half of a surrogate pair",
    });
  }
  return failures;
}

/** The content of a key URI. */
export interface KeyUriInit {
  /** The account; may be empty. */
  readonly label: string;
  /** The service that the account belongs to; may be empty. */
  readonly issuer: string;
  /** The shared secret in base32, without padding. */
  readonly secret: string;
  readonly digits: Digits;
}

/**
 * Writes the URI that provisions an authenticator app: `otpauth://totp/Issuer:label?secret=…&issuer=…&…`. Throws a
 * URIError if the label or the issuer contains a lone surrogate.
 *
 * All five parameters are present, even an empty issuer; without an issuer the label has no prefix. Colons in the label
 * and the issuer are percent-encoded, so the only colon of the path separates the two.
 * https://github.com/google/google-authenticator/wiki/Key-Uri-Format
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

/** The path of the bar code service, below the base URL. */
const BARCODE_PATH = "/v1/barcode";

/**
 * Returns the absolute URL of the QR code of a text. Throws a URIError if the text contains a lone surrogate.
 *
 * @param baseUrl scheme and authority of this service, without a final slash
 */
export function qrcodeUrl(baseUrl: string, text: string): string {
  return `${baseUrl}${BARCODE_PATH}?type=qr_code&data=${percentEncode(text)}`;
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
