import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { baseUrlKey, type FieldViolation, invalidArgument } from "connect-transcoding";
import { ok } from "../../failures/result.js";
import { MAX_DATA_LENGTH } from "../barcode/qr-code.js";
import { createTool, type Tool, type ToolModule } from "../tool.js";
import { type GenerateOtpDeps, generateOtp, qrcodeUrl } from "./generate-otp.js";
import { ALGORITHM, PERIOD, parseDigits, parseSecret, TYPE, totpCodes } from "./totp.js";

/** The dependencies of {@link otpService}. */
export interface OtpServiceDeps extends GenerateOtpDeps {
  /** Returns milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Creates the OTP tool: new secrets, and the codes of a secret around the current time. */
export function otpService(deps: OtpServiceDeps): Tool {
  return createTool(OtpService, {
    generateOtp({ label, issuer, digits }, { values }) {
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
        qrcodeUrl: qrcodeUrl(values.get(baseUrlKey), otpUrl),
        secret,
        type: TYPE,
      };
    },

    verifyOtp(request) {
      const key = parseSecret(request.secret);
      const digits = parseDigits(request.digits);
      if (!key.ok || !digits.ok) {
        const violations: FieldViolation[] = [];
        if (!key.ok) {
          violations.push({ field: "secret", ...key.failure });
        }
        if (!digits.ok) {
          violations.push({ field: "digits", ...digits.failure });
        }
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

export const load: ToolModule["load"] = ({ now, randomBytes }) =>
  ok(otpService({ now, randomBytes, maxUrlLength: MAX_DATA_LENGTH }));
