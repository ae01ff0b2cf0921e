import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import type { CallError } from "./read-error.js";

/** How often, and after how long, a call is tried again. */
export interface RetryPolicy {
  /** How many times at most, beyond the first; 0 for never. */
  readonly count: number;
  /** The longest wait before the first time, in milliseconds. It doubles each time. */
  readonly baseDelay: number;
  /** The longest wait before any time, in milliseconds, unless the service asks for a longer one. */
  readonly maxDelay: number;
}

export const DEFAULT_RETRIES: RetryPolicy = { count: 3, baseDelay: 100, maxDelay: 2_000 };

/**
 * Whether a method may be tried again: it is unary, and its proto says that to call it twice is as good as once
 * (`idempotency_level`). A stream is not tried again: its caller may have had a part of it.
 */
export function isSafe({ idempotency, methodKind }: DescMethod): boolean {
  return methodKind === "unary" && idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}

/**
 * How many milliseconds to wait after an error before a safe method is called again; undefined where that would be of no use.
 *
 * `UNAVAILABLE` alone says that the same call may succeed soon (AIP-194). A caller that is told when to come back is meant to,
 * which makes `RESOURCE_EXHAUSTED` the second; and then nobody comes sooner, as with the server's pushback in gRPC (proposal
 * A6). Otherwise the wait is anything up to a bound that doubles ("full jitter"), so that callers whom one failure has struck
 * do not all come back at once.
 *
 * @param retries How many times it was tried again before.
 */
export function retryDelay(
  { code, retryAfter }: Pick<CallError, "code" | "retryAfter">,
  retries: number,
  policy: RetryPolicy,
  random: () => number,
): number | undefined {
  const mayPass = code === Code.Unavailable || (code === Code.ResourceExhausted && retryAfter !== undefined);
  if (!mayPass || retries >= policy.count) {
    return undefined;
  }
  const bound = Math.min(policy.maxDelay, policy.baseDelay * 2 ** retries);
  // Who was told a time comes a little later, each at another moment.
  return retryAfter === undefined ? random() * bound : retryAfter + random() * policy.baseDelay;
}
