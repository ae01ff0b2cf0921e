import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { startService } from "../lib/service.js";
import { type Outcome, type Replica, remainingIn } from "./replica.js";

/**
 * Starts the service with settings. Requests alternate between HTTP and gRPC.
 *
 * @param keys the API key of each client
 */
export async function serviceReplica(
  name: string,
  environment: Readonly<Record<string, string>>,
  keys: readonly string[],
): Promise<Replica> {
  const { url, end } = await startService({ environment });
  const grpc = createClient(GeoIpService, createGrpcTransport({ baseUrl: url }));

  async function sendHttp(key: string): Promise<Outcome> {
    const response = await fetch(`${url}/v1/geoIp?ip_address=8.8.8.8`, { headers: { "x-api-key": key } });
    const text = await response.text();
    const remaining = remainingIn(response.headers.get("ratelimit"));
    if (response.status === 200) {
      return { outcome: "allowed", remaining };
    }
    const isLimited = response.status === 429 && text.includes('"RATE_LIMIT_EXCEEDED"');
    return { outcome: isLimited ? "limited" : `failed: HTTP ${response.status} ${text}`, remaining };
  }

  async function sendGrpc(key: string): Promise<Outcome> {
    let remaining = Number.NaN;
    try {
      await grpc.lookupIp(
        { ipAddress: "8.8.8.8" },
        {
          headers: { authorization: `Bearer ${key}` },
          onHeader: (headers) => {
            remaining = remainingIn(headers.get("ratelimit"));
          },
        },
      );
      return { outcome: "allowed", remaining };
    } catch (cause) {
      const error = ConnectError.from(cause);
      const reason = error.findDetails(ErrorInfoSchema)[0]?.reason;
      const isLimited = error.code === Code.ResourceExhausted && reason === "RATE_LIMIT_EXCEEDED";
      return {
        outcome: isLimited ? "limited" : `failed: gRPC ${error.message}`,
        remaining: remainingIn(error.metadata.get("ratelimit")),
      };
    }
  }

  let sent = 0;
  return {
    name,
    send: async (client) => {
      const key = keys[client] ?? "";
      try {
        return await (sent++ % 2 === 0 ? sendHttp(key) : sendGrpc(key));
      } catch (error) {
        return { outcome: `failed: ${error}`, remaining: Number.NaN };
      }
    },
    close: end,
  };
}
