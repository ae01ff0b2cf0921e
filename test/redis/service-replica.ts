import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { type Answer, type Replica, remainingIn } from "./replica.js";

/** Milliseconds that the service has to start. */
const PATIENCE = 20_000;

/**
 * A replica that is the service in a process of its own, asked over HTTP and gRPC in turn. Its settings are the given ones,
 * and nothing of the environment.
 *
 * @param keys the API key of each caller
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

  async function askHttp(key: string): Promise<Answer> {
    const response = await fetch(`${url}/v1/geoIp?ip_address=8.8.8.8`, { headers: { "x-api-key": key } });
    const text = await response.text();
    const remaining = remainingIn(response.headers.get("ratelimit"));
    if (response.status === 200) {
      return { outcome: "allowed", remaining };
    }
    const isLimited = response.status === 429 && text.includes('"RATE_LIMIT_EXCEEDED"');
    return { outcome: isLimited ? "limited" : `failed: HTTP ${response.status} ${text}`, remaining };
  }

  async function askGrpc(key: string): Promise<Answer> {
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

  let asked = 0;
  return {
    name,
    ask: async (caller) => {
      const key = keys[caller] ?? "";
      try {
        return await (asked++ % 2 === 0 ? askHttp(key) : askGrpc(key));
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
