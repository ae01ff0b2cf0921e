import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { type Outcome, type Replica, remainingIn } from "./replica.js";

/** The maximum time to start, in milliseconds. */
const PATIENCE = 20_000;

/**
 * Starts the service in its own process, with the given settings and without the environment. Requests alternate between HTTP
 * and gRPC.
 *
 * @param keys the API key of each client
 */
export async function serviceReplica(
  name: string,
  settings: Readonly<Record<string, string>>,
  keys: readonly string[],
): Promise<Replica> {
  const child = spawn(process.execPath, ["dist/src/main.js"], {
    env: { PATH: process.env.PATH, PORT: "0", ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    lines.on("line", (line) => {
      const found = / ready on (http:[^\s"]+)/.exec(line)?.[1];
      if (found !== undefined) {
        resolve(found);
      }
    });
    ended.then(() => reject(new Error(`${name} did not start`)), reject);
  });
  clearTimeout(timer);

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
    close: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
