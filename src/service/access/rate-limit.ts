import { Code } from "@connectrpc/connect";
import type { Admission, IncomingRequest, Refusal } from "connect-transcoding";
import { RpcError } from "connect-transcoding";
import { limitKey } from "./limit-key.js";
import type { Consumption, LimitStore } from "./limit-store.js";

/** How many requests are allowed in which time. */
export interface RateLimit {
  /** Requests in a window. */
  readonly limit: number;
  /** How long a window lasts, in whole seconds. */
  readonly window: number;
}

/** What {@link limitRate} goes by. */
export interface RateLimitRule extends RateLimit {
  readonly store: LimitStore;
  /** Milliseconds on a clock that does not go back. */
  readonly now: () => number;
  /** Is told of each request that was counted. */
  readonly onDecision?: (decision: RateLimitDecision) => void;
}

export type RateLimitDecision = "allowed" | "refused";

/**
 * The rule that a caller – an API key, or else an address ({@link limitKey}) – makes at most so many requests in a window
 * of time. Health and metrics are not counted: who watches the service must always be able to.
 *
 * The answer to each request that was counted has the fields of draft-ietf-httpapi-ratelimit-headers-10: `RateLimit-Policy`
 * says the limit, `RateLimit` what remains of it and after how many seconds it is whole again. A request beyond the limit
 * ends with `RESOURCE_EXHAUSTED` for the reason `RATE_LIMIT_EXCEEDED`, and says when to come back in a
 * `google.rpc.RetryInfo` and in `Retry-After` (RFC 9110, section 10.2.3).
 */
export function limitRate({ limit, window, store, now, onDecision }: RateLimitRule): Admission {
  const policy = `"default";q=${limit};w=${window}`;

  function decide(request: IncomingRequest, { count, resetMs }: Consumption): RpcError | undefined {
    const seconds = secondsOf(resetMs);
    request.addHeader("ratelimit-policy", policy);
    request.addHeader("ratelimit", `"default";r=${Math.max(0, limit - count)};t=${seconds}`);
    if (count <= limit) {
      onDecision?.("allowed");
      return undefined;
    }
    onDecision?.("refused");
    request.addHeader("retry-after", String(seconds));
    return limitExceeded({ limit, window }, resetMs);
  }

  return (request) => {
    if (request.area === "health" || request.area === "metrics") {
      return undefined;
    }
    const consumption = store.consume(limitKey(request), now());
    return consumption instanceof Promise
      ? consumption.then((settled) => decide(request, settled))
      : decide(request, consumption);
  };
}

/** What requests beyond a limit are refused with. */
export function rateLimitRefusal(rate: RateLimit): Refusal {
  return {
    error: limitExceeded(rate, rate.window * 1_000),
    description: `A caller has made more than ${rate.limit} requests in ${rate.window} s. \`Retry-After\` says when to come back.`,
  };
}

function limitExceeded({ limit, window }: RateLimit, resetMs: number): RpcError {
  const seconds = secondsOf(resetMs);
  return new RpcError({
    code: Code.ResourceExhausted,
    reason: "RATE_LIMIT_EXCEEDED",
    message: `too many requests; allowed: ${limit} in ${window} s; try again in ${seconds} s`,
    metadata: { limit: String(limit), window: `${window}s` },
    retryAfter: Math.max(1, Math.ceil(resetMs)),
  });
}

/** Rounded up, for who comes back as told must not be early. */
function secondsOf(resetMs: number): number {
  return Math.max(1, Math.ceil(resetMs / 1_000));
}
