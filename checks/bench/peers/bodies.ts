import { Code } from "@utility-tools/protos/google/rpc/code_pb.js";
import {
  type BatchLookupIpsResponse,
  GeoIpService,
  type LookupIpResponse,
  LookupView,
} from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpService, type VerifyOtpResponse } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import type { Tool } from "../../../src/tools/tool.js";
import { peerHandler } from "./handlers.js";

// The JSON bodies of responses, for peers without protobuf. Members are in field order, so that the text equals ours
// byte for byte.

/** The bodies of `POST /v1/geoIp:batch` and `POST /v1/otp`. */
export interface Requests {
  readonly batch: { ip_addresses: string[] };
  readonly otp: { secret: string; digits?: number };
}

/** Returns functions that handle a request and return the body of its response. */
export function bodiesOf(tools: readonly Tool[]) {
  const lookupIp = peerHandler(tools, GeoIpService.method.lookupIp);
  const batchLookupIps = peerHandler(tools, GeoIpService.method.batchLookupIps);
  const verifyOtp = peerHandler(tools, OtpService.method.verifyOtp);
  const view = LookupView.BASIC;
  return {
    geoIp: (ipAddress: string) => geoIpBody(lookupIp({ ipAddress, view })),
    // The handler returns a promise for a batch that takes longer than one turn.
    geoIpBatch: async ({ ip_addresses: ipAddresses }: Requests["batch"]) =>
      geoIpBatchBody(await batchLookupIps({ ipAddresses, view })),
    otp: (body: Requests["otp"]) => otpBody(verifyOtp({ keyUri: "", ...body })),
  };
}

/** The response body of `GET /v1/geoIp`. */
function geoIpBody({ ip, metadata }: LookupIpResponse) {
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
function geoIpBatchBody({ results }: BatchLookupIpsResponse) {
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
function otpBody({ algorithm, digits, otpCodes, period, secret, type }: VerifyOtpResponse) {
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
