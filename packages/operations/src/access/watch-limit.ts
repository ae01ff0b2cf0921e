import { Code } from "@connectrpc/connect";
import { createError, type IncomingRequest, methodPath } from "connect-transcoding";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { clientNetwork } from "./client-network.js";

/**
 * The open `Watch` calls of the health service that a client may have in a process. A gRPC client has one for each of its connections, and an
 * office has one address.
 */
export const MAX_WATCHES = 100;

const WATCH = methodPath(Health.method.watch);

/**
 * Limits the open `Watch` calls of each client network ({@link clientNetwork}): they need no API key, are not counted by the rate limit, and
 * stay open. Returns a function that throws a ConnectError for one too many.
 */
export function limitWatches(): (request: IncomingRequest) => void {
  const open = new Map<string, number>();
  return (request) => {
    // A gateway may have a prefix.
    if (!request.path.endsWith(WATCH)) {
      return;
    }
    const client = clientNetwork(request.clientAddress);
    const change = (by: number): void => {
      const count = (open.get(client) ?? 0) + by;
      if (count === 0) {
        open.delete(client);
      } else {
        open.set(client, count);
      }
    };
    if ((open.get(client) ?? 0) >= MAX_WATCHES) {
      throw createError({
        code: Code.ResourceExhausted,
        reason: "TOO_MANY_WATCHES",
        message: `too many open calls of ${WATCH.slice(1)}; allowed: ${MAX_WATCHES} per client`,
        metadata: { limit: String(MAX_WATCHES) },
      });
    }
    change(1);
    request.onClose(() => change(-1));
  };
}
