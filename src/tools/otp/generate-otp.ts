import { type Failure, ok, type Result } from "../../failures/result.js";
import { checkName, type NameFailure } from "../../text/account-name.js";
import { encodeBase32 } from "../../text/otp/base32.js";
import { keyUri, percentEncode } from "../../text/otp/key-uri.js";
import {
  type GivenOptions,
  type OptionFailure,
  type Options,
  type OtpType,
  parseOtpOptions,
} from "../../text/otp/options.js";

/** The account that a new secret is for. The counter is the first one of counter-based codes. */
export interface OtpRequest extends GivenOptions {
  readonly label: string;
  readonly issuer: string;
  /** Default: time-based. */
  readonly type?: OtpType;
}

/** A new secret. */
export interface GeneratedOtp extends Options {
  /** The secret in base32: 32 characters. */
  readonly secret: string;
  /** The key URI, which contains the secret. */
  readonly otpUrl: string;
}

/** An invalid field of an {@link OtpRequest}. */
export type OtpRequestFailure =
  | (NameFailure & { readonly field: "label" | "issuer" })
  | (Failure<"OTP_URL_TOO_LONG"> & { readonly field: "label" | "issuer" })
  | OptionFailure;

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
  const options = parseOtpOptions(request);
  const secret = generateSecret(randomBytes);
  // Invalid names may not be encodable.
  const otpUrl = hasNames
    ? keyUri({ label, issuer, secret, digits: 6, ...(type && { type }), ...(options.ok && options.value) })
    : "";
  if (otpUrl.length > maxUrlLength) {
    failures.push(otpUrlTooLong(request, otpUrl.length, maxUrlLength));
  }
  if (options.ok && failures.length === 0) {
    return ok({ secret, otpUrl, ...options.value });
  }
  return { ok: false, failure: options.ok ? failures : [...failures, ...options.failure] };
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
