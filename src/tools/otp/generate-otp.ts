import type { Failure, Result } from "../../result.js";
import { generateSecret, type RandomBytes } from "./generate-secret.js";
import { keyUri } from "./key-uri.js";
import { type NameFailure, nameFailures } from "./name-failures.js";
import { DEFAULT_DIGITS, type Digits, parseDigits } from "./parse-digits.js";
import { percentEncode } from "./percent-encode.js";

/** What a new secret is for, as a caller says it. */
export interface OtpRequest {
  readonly label: string;
  readonly issuer: string;
  readonly digits?: number | undefined;
}

/** A new secret and how to hand it to an authenticator app. */
export interface GeneratedOtp {
  /** Base32, 32 characters. */
  readonly secret: string;
  /** The key URI; contains the secret. */
  readonly otpUrl: string;
  readonly digits: Digits;
}

/** What is wrong with one field of an {@link OtpRequest}. */
export type OtpRequestFailure =
  | (NameFailure & { readonly field: "label" | "issuer" })
  | (Failure<"OTP_URL_TOO_LONG"> & { readonly field: "label" | "issuer" })
  | (Failure<"INVALID_DIGITS"> & { readonly field: "digits" });

/** What {@link generateOtp} needs from the outside. */
export interface GenerateOtpDeps {
  readonly randomBytes: RandomBytes;
  /** The most characters that the key URI may have: what fits in the bar code that is made of it. */
  readonly maxUrlLength: number;
}

/** Makes a new secret for an account, with its key URI; or says everything that is wrong with the request. */
export function generateOtp(
  request: OtpRequest,
  { randomBytes, maxUrlLength }: GenerateOtpDeps,
): Result<GeneratedOtp, readonly OtpRequestFailure[]> {
  const { label, issuer } = request;
  const digits = parseDigits(request.digits);
  const failures: OtpRequestFailure[] = [
    ...nameFailures(label).map((failure) => ({ field: "label", ...failure }) as const),
    ...nameFailures(issuer).map((failure) => ({ field: "issuer", ...failure }) as const),
  ];
  const uriInit = {
    label,
    issuer,
    secret: generateSecret(randomBytes),
    digits: digits.ok ? digits.value : DEFAULT_DIGITS,
  };
  // Only usable names can be encoded; the number of digits does not change the length.
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

/** Blames the name that takes up more of the URI. */
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
