import type { HandlerContext } from "@connectrpc/connect";
import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { baseUrlKey, type FieldViolation, invalidArgument } from "connect-transcoding";
import { ok, type Result } from "../../failures/result.js";
import { createTool, type Tool, type ToolModule } from "../tool.js";
import { hotpCodes, totpCodes } from "./codes.js";
import {
  type GeneratedOtp,
  type GenerateOtpDeps,
  generateOtp,
  MAX_OTP_URL_LENGTH,
  qrcodeUrl,
} from "./generate-otp.js";
import { readKey } from "./read-key.js";

/** The dependencies of {@link otpService}. */
export interface OtpServiceDeps extends GenerateOtpDeps {
  /** Returns milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** Creates the OTP tool: new secrets, and the codes of a secret around the current time or after a counter. */
export function otpService(deps: OtpServiceDeps): Tool {
  return createTool(OtpService, {
    generateOtp({ label, issuer, digits, algorithm, period }, context) {
      const generated = valid(generateOtp({ label, issuer, digits, algorithm, period }, deps));
      return { ...newSecret(generated, context), issuer, label, period: generated.period, type: "totp" };
    },

    verifyOtp(request) {
      const { key, secret, digits, algorithm, period, encoder } = valid(readKey(request, "totp"));
      return {
        algorithm,
        digits,
        otpCodes: totpCodes(key, digits, deps.now(), { algorithm, period, encoder }),
        period,
        secret,
        type: "totp",
      };
    },

    generateHotp({ label, issuer, digits, algorithm, counter }, context) {
      const generated = valid(generateOtp({ type: "hotp", label, issuer, digits, algorithm, counter }, deps));
      return { ...newSecret(generated, context), issuer, label, counter: generated.counter, type: "hotp" };
    },

    verifyHotp(request) {
      const { key, secret, digits, algorithm, counter } = valid(readKey(request, "hotp"));
      return {
        algorithm,
        digits,
        otpCodes: hotpCodes(key, digits, counter, algorithm),
        counter,
        secret,
        type: "hotp",
      };
    },
  });
}

/** The fields of a new secret of both kinds. */
function newSecret({ algorithm, digits, otpUrl, secret }: GeneratedOtp, { values }: HandlerContext) {
  return { algorithm, digits, otpUrl, secret, qrcodeUrl: qrcodeUrl(values.get(baseUrlKey), otpUrl) };
}

/** Returns the value of a result. Throws its failures as violations of their fields. */
function valid<T>(result: Result<T, readonly FieldViolation[]>): T {
  if (!result.ok) {
    throw invalidArgument(result.failure);
  }
  return result.value;
}

export const load: ToolModule["load"] = ({ now, randomBytes }) =>
  ok(otpService({ now, randomBytes, maxUrlLength: MAX_OTP_URL_LENGTH }));
