import { Code } from "@utility-tools/protos/google/rpc/code_pb.js";
import type {
  BatchLookupIpsResponse,
  LookupIpResponse,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import type { VerifyOtpResponse } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";

// The JSON bodies of responses, for peers without protobuf. Members are in field order, so that the text equals ours
// byte for byte.

/** The response body of `GET /v1/geoIp`. */
export function geoIpBody({ ip, metadata }: LookupIpResponse) {
  return {
    ip,
    metadata: {
      location: { country: metadata?.location?.country, eu: metadata?.location?.eu },
      asn: metadata?.asn,
      asn_name: metadata?.asnName,
      coords: { lat: metadata?.coords?.lat, lon: metadata?.coords?.lon },
      ip: metadata?.ip,
      subnet: metadata?.subnet,
    },
  };
}

/** The response body of `POST /v1/geoIp:batch`. */
export function geoIpBatchBody({ results }: BatchLookupIpsResponse) {
  return {
    results: results.map(({ input, outcome }) => {
      if (outcome.case === "answer") {
        return { input, answer: geoIpBody(outcome.value) };
      }
      const { code = 0, reason, message, metadata } = outcome.value ?? {};
      return { input, error: { code: Code[code], reason, message, metadata } };
    }),
  };
}

/** The response body of `POST /v1/otp` (verify). */
export function otpBody({ algorithm, digits, otpCodes, period, secret, type }: VerifyOtpResponse) {
  return {
    algorithm,
    digits,
    otp_codes: {
      "+30s": otpCodes?.next,
      current: otpCodes?.current,
      "-30s": otpCodes?.previous,
      "-60s": otpCodes?.secondPrevious,
    },
    period,
    secret,
    type,
  };
}
