import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import {
  type FieldViolation,
  implement,
  invalidArgument,
  type ServiceImplementation,
} from "connect-transcoding";
import { type GenerateOtpDeps, generateOtp } from "./generate-otp.js";
import { ALGORITHM, PERIOD, TYPE } from "./parameters.js";
import { parseDigits } from "./parse-digits.js";
import { parseSecret } from "./parse-secret.js";
import { qrcodeUrl } from "./qrcode-url.js";
import { totpCodes } from "./totp-codes.js";

/** What the OTP service needs from the outside. */
export interface OtpServiceDeps extends GenerateOtpDeps {
  /** The time, in milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** The OTP service: new secrets, and the codes of a secret around the current time. */
export function otpService(deps: OtpServiceDeps): ServiceImplementation {
  return implement(OtpService, {
    generateOtp({ label, issuer, digits }, { baseUrl }) {
      const generated = generateOtp({ label, issuer, digits }, deps);
      if (!generated.ok) {
        throw invalidArgument(generated.failure);
      }
      const { secret, otpUrl } = generated.value;
      return {
        algorithm: ALGORITHM,
        digits: generated.value.digits,
        issuer,
        label,
        otpUrl,
        period: PERIOD,
        qrcodeUrl: qrcodeUrl(baseUrl, otpUrl),
        secret,
        type: TYPE,
      };
    },

    verifyOtp(request) {
      const key = parseSecret(request.secret);
      const digits = parseDigits(request.digits);
      if (!key.ok || !digits.ok) {
        const violations: FieldViolation[] = [];
        if (!key.ok) violations.push({ field: "secret", ...key.failure });
        if (!digits.ok) violations.push({ field: "digits", ...digits.failure });
        throw invalidArgument(violations);
      }
      return {
        algorithm: ALGORITHM,
        digits: digits.value,
        otpCodes: totpCodes(key.value, digits.value, deps.now()),
        period: PERIOD,
        secret: request.secret,
        type: TYPE,
      };
    },
  });
}
