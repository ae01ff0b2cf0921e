import { ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema } from "connect-transcoding/gen/google/rpc/error_details_pb.js";
import { limitRate, memoryStore, type RateLimit } from "../../src/service/access/rate-limit.js";
import { openSharedStore } from "../../src/service/access/rate-limit-store.js";

/** The outcome of a request, and the remaining requests by the header `RateLimit`. */
export interface Outcome {
  readonly outcome: "allowed" | "limited" | `failed: ${string}`;
  readonly remaining: number;
}

/** One of several replicas that share a limit. */
export interface Replica {
  readonly name: string;
  /** Sends a request as one of the clients of this run. Never rejects. */
  send(client: number): Promise<Outcome>;
  close(): Promise<unknown>;
}

/** Parses the remaining requests from the header `RateLimit`; NaN without one. */
export function remainingIn(rateLimit: string | null | undefined): number {
  return Number(/^"default";r=(\d+);t=\d+$/.exec(rateLimit ?? "")?.[1] ?? Number.NaN);
}

/** Creates a replica from the store and the hook alone, without a server. */
export function hookReplica(name: string, url: string, rateLimit: RateLimit): Replica {
  const store = openSharedStore({
    ...rateLimit,
    url,
    local: memoryStore(rateLimit.window),
    onState: (state, why) => console.log(`  ${name}: the store is ${state}: ${why}`),
  });
  if (!store.ok) {
    throw new Error(store.failure.description);
  }
  const { onRequest } = limitRate({ ...rateLimit, store: store.value, now: () => performance.now() });
  return {
    name,
    send: async (client) => {
      let rateLimitHeader: string | undefined;
      let outcome: Outcome["outcome"] = "allowed";
      try {
        await onRequest({
          protocol: "rest",
          httpMethod: "GET",
          path: "/v1/geoIp",
          clientAddress: "127.0.0.1",
          principal: `client-${client}`,
          header: () => undefined,
          addHeader: () => {},
          setHeader: (header, value) => {
            if (header === "ratelimit") {
              rateLimitHeader = value;
            }
          },
        });
      } catch (thrown) {
        const reason = ConnectError.from(thrown).findDetails(ErrorInfoSchema)[0]?.reason;
        outcome = reason === "RATE_LIMIT_EXCEEDED" ? "limited" : `failed: ${thrown}`;
      }
      return { outcome, remaining: remainingIn(rateLimitHeader) };
    },
    close: async () => store.value.close(),
  };
}
