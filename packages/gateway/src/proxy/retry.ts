import { setTimeout as wait } from "node:timers/promises";
import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import { isInterrupted, isUnprocessed } from "../grpc/unavailable.js";

/** The delays before the second and the third try, in milliseconds. */
const DELAYS = [200, 1_000] as const;

/** The longest pause that an upstream can ask for, in milliseconds. For longer ones, clients wait themselves. */
const MAX_PUSHBACK = 10_000;

/** How many tokens an upstream has: enough for the calls that a restart interrupts at a time. */
const MAX_TOKENS = 1_000;

/**
 * Bounds the retries of an upstream that keeps failing, which would triple its load: a failure takes a token, a success returns a tenth of
 * one, and calls are repeated while more than half of the tokens are left.
 * https://github.com/grpc/proposal/blob/master/A6-client-retries.md#throttling-retry-attempts-and-hedged-rpcs
 */
export interface RetryBudget {
  tokens: number;
}

export function createRetryBudget(): RetryBudget {
  return { tokens: MAX_TOKENS };
}

/** What retries need to know of a call. */
export interface RetriedCall {
  /** Whether the client has disconnected or has its response. */
  readonly isOver: () => boolean;
  /** The time until the deadline, in milliseconds; undefined for none. */
  readonly remaining: () => number | undefined;
}

/** Whether the proto file says that a method can be called again. A GET rule does not: a method with side effects can have one. */
export function isDeclaredIdempotent({ idempotency }: DescMethod): boolean {
  return idempotency !== Idempotency.IDEMPOTENCY_UNKNOWN;
}

/**
 * Calls a function until it succeeds: three times at most, if the upstream is unavailable and the deadline leaves time. Delays vary by a
 * fifth, so that calls that have failed together are not repeated together. A call with side effects is repeated if the upstream has not
 * begun it. `budget` is that of the upstream.
 */
export async function withRetries<T>(
  send: () => Promise<T>,
  call: RetriedCall,
  isIdempotent: boolean,
  budget: RetryBudget,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      const result = await send();
      budget.tokens = Math.min(budget.tokens + 0.1, MAX_TOKENS);
      return result;
    } catch (thrown) {
      const isUnavailable = thrown instanceof ConnectError && isInterrupted(thrown);
      if (isUnavailable) {
        budget.tokens = Math.max(budget.tokens - 1, 0);
      }
      const delay = DELAYS[attempt] ?? Number.POSITIVE_INFINITY;
      const pushback = attempt < DELAYS.length ? pushbackOf(thrown) : undefined;
      const pause = pushback ?? delay * (0.8 + 0.4 * Math.random());
      const isRepeatable =
        isUnavailable && (isIdempotent || isUnprocessed(thrown)) && budget.tokens > MAX_TOKENS / 2;
      if (!isRepeatable || call.isOver() || pause >= (call.remaining() ?? Number.POSITIVE_INFINITY)) {
        throw thrown;
      }
      await wait(pause);
      if (call.isOver()) {
        throw thrown;
      }
    }
  }
}

/**
 * The pause before the next attempt that the upstream asks for, in milliseconds: infinite if the call must not be repeated.
 * https://github.com/grpc/proposal/blob/master/A6-client-retries.md#pushback
 */
function pushbackOf(thrown: unknown): number | undefined {
  const text = thrown instanceof ConnectError ? thrown.metadata.get("grpc-retry-pushback-ms") : null;
  if (text === null) {
    return undefined;
  }
  const pause = /^\d+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  return pause > MAX_PUSHBACK ? Number.POSITIVE_INFINITY : pause;
}
