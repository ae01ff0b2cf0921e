import type { Failure, Result } from "../../failures/result.js";
import { encodeBase32 } from "../../text/base32.js";
import { keyUri, percentEncode } from "../../text/key-uri.js";
import {
  type Algorithm,
  type Digits,
  type OtpType,
  parseAlgorithm,
  parseCounter,
  parseDigits,
  parsePeriod,
} from "./options.js";

/** The account that a new secret is for. */
export interface OtpRequest {
  readonly label: string;
  readonly issuer: string;
  /** Default: time-based. */
  readonly type?: OtpType;
  readonly digits?: number | undefined;
  readonly algorithm?: string | undefined;
  /** The time step in seconds, for time-based codes. */
  readonly period?: number | undefined;
  /** The first counter, for counter-based codes. */
  readonly counter?: number | undefined;
}

/** A new secret. */
export interface GeneratedOtp {
  /** The secret in base32: 32 characters. */
  readonly secret: string;
  /** The key URI, which contains the secret. */
  readonly otpUrl: string;
  readonly digits: Digits;
  readonly algorithm: Algorithm;
  /** The time step in seconds. */
  readonly period: number;
  /** The first counter. */
  readonly counter: number;
}

/** An invalid field of an {@link OtpRequest}. */
export type OtpRequestFailure =
  | (NameFailure & { readonly field: "label" | "issuer" })
  | (Failure<"OTP_URL_TOO_LONG"> & { readonly field: "label" | "issuer" })
  | (Failure<"INVALID_DIGITS"> & { readonly field: "digits" })
  | (Failure<"INVALID_ALGORITHM"> & { readonly field: "algorithm" })
  | (Failure<"INVALID_PERIOD"> & { readonly field: "period" })
  | (Failure<"INVALID_COUNTER"> & { readonly field: "counter" });

/** The dependencies of {@link generateOtp}. */
export interface GenerateOtpDeps {
  /** Returns cryptographically secure random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** The length limit of the key URI in characters. */
  readonly maxUrlLength: number;
}

/** Generates a secret for an account, with its key URI. Fails with all invalid fields. */
export function generateOtp(
  request: OtpRequest,
  { randomBytes, maxUrlLength }: GenerateOtpDeps,
): Result<GeneratedOtp, readonly OtpRequestFailure[]> {
  const { label, issuer, type } = request;
  const failures: OtpRequestFailure[] = [
    ...checkName(label).map((failure) => ({ field: "label", ...failure }) as const),
    ...checkName(issuer).map((failure) => ({ field: "issuer", ...failure }) as const),
  ];
  const hasNames = failures.length === 0;
  const digits = parseDigits(request.digits);
  const algorithm = parseAlgorithm(request.algorithm);
  const period = parsePeriod(request.period);
  const counter = parseCounter(request.counter);
  const options = {
    ...(digits.ok && { digits: digits.value }),
    ...(algorithm.ok && { algorithm: algorithm.value }),
    ...(period.ok && { period: period.value }),
    ...(counter.ok && { counter: counter.value }),
  };
  const secret = generateSecret(randomBytes);
  // Invalid names may not be encodable.
  const otpUrl = hasNames
    ? keyUri({ label, issuer, secret, digits: 6, ...(type && { type }), ...options })
    : "";
  if (otpUrl.length > maxUrlLength) {
    failures.push(otpUrlTooLong(request, otpUrl.length, maxUrlLength));
  }
  if (!digits.ok) {
    failures.push({ field: "digits", ...digits.failure });
  }
  if (!algorithm.ok) {
    failures.push({ field: "algorithm", ...algorithm.failure });
  }
  if (!period.ok) {
    failures.push({ field: "period", ...period.failure });
  }
  if (!counter.ok) {
    failures.push({ field: "counter", ...counter.failure });
  }
  return failures.length > 0 || !digits.ok || !algorithm.ok || !period.ok || !counter.ok
    ? { ok: false, failure: failures }
    : {
        ok: true,
        value: {
          secret,
          otpUrl,
          digits: digits.value,
          algorithm: algorithm.value,
          period: period.value,
          counter: counter.value,
        },
      };
}

/** The length limit of `otp_url` in characters. Phones read its QR code well, unlike that of the longest possible text. */
export const MAX_OTP_URL_LENGTH = 2048;

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
export type NameFailure = Failure<"TOO_LONG" | "COLON" | "CONTROL_CHARACTER" | "LONE_SURROGATE">;

/**
 * Returns all failures of a label or an issuer; none for a valid or empty one. A colon separates the two in a key URI, also if it
 * is percent-encoded, so it must be in neither. Control characters are those of Unicode's
 * general category Cc, and those with the property Bidi_Control, which can display a name as another one. A lone surrogate
 * is not a character and cannot be percent-encoded.
 */
export function checkName(name: string): NameFailure[] {
  const failures: NameFailure[] = [];
  // A code point takes one or two UTF-16 units, so a text of more than twice the limit need not be counted.
  if (name.length > 2 * MAX_NAME_LENGTH || [...name].length > MAX_NAME_LENGTH) {
    failures.push({ reason: "TOO_LONG", description: `must have at most ${MAX_NAME_LENGTH} characters` });
  }
  if (name.includes(":")) {
    failures.push({
      reason: "COLON",
      description: "must not contain a colon, which separates issuer and label in otp_url",
    });
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
