import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { RawRequest } from "connect-transcoding";
import type { UpstreamCall, UpstreamCallHead } from "../grpc/call.js";
import { ACCEPTED_ENCODINGS } from "../grpc/frames.js";
import { requestMetadata } from "./metadata.js";

/** The request of a call, whose headers need no `Headers`. */
export const rawRequestKey = createContextKey<RawRequest | undefined>(undefined);

/** A call of a client while it is passed on. */
export interface ProxiedCall {
  /** What the next try sends first. */
  head(): UpstreamCallHead;
  /** Cancels a call of the upstream when the client has disconnected or has its response. */
  readonly follow: (upstream: UpstreamCall) => void;
  readonly isOver: () => boolean;
  readonly remaining: () => number | undefined;
}

/**
 * Prepares to pass on a call.
 *
 * @param timeout the time until the deadline in milliseconds; undefined for none
 * @param wait how long all tries together wait for connections, in milliseconds
 */
export function createProxiedCall(
  request: RawRequest,
  path: string,
  timeout: number | undefined,
  wait: number,
): ProxiedCall {
  const headers = requestMetadata(request);
  headers.push("grpc-accept-encoding", ACCEPTED_ENCODINGS);
  return followedCall(request, path, headers, timeout, wait);
}

/** As {@link createProxiedCall}, with headers that are complete. */
export function followedCall(
  request: RawRequest,
  path: string,
  headers: UpstreamCallHead["headers"],
  timeout: number | undefined,
  wait: number,
): ProxiedCall {
  const start = performance.now();
  const deadline = timeout === undefined ? undefined : start + timeout;
  const remaining = () => (deadline === undefined ? undefined : deadline - performance.now());
  let current: UpstreamCall | undefined;
  request.onClose(() => current?.cancel());
  return {
    head: () => ({
      path,
      headers,
      timeout: remaining(),
      wait: Math.max(wait - (performance.now() - start), 0),
    }),
    follow: (upstream) => {
      current = upstream;
      if (request.isClosed) {
        upstream.cancel();
      }
    },
    isOver: () => request.isClosed,
    remaining,
  };
}

export function rawRequestOf({ values }: HandlerContext): RawRequest {
  const request = values.get(rawRequestKey);
  if (request === undefined) {
    throw new Error("the context has no request");
  }
  return request;
}
