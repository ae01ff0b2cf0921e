import { Code, type ConnectError } from "@connectrpc/connect";
import { knownOptions } from "@utility-tools/http-server/portable";
import { createError, type IncomingRequest } from "connect-transcoding";
import type { DocumentedError } from "connect-transcoding/openapi";
import { lru } from "tiny-lru";
import { type RequestKind, requestKind } from "../request-kind.js";
import { clientNetwork } from "./client-network.js";
import type { Quota } from "./quota.js";

/** A rate limit: the number of requests allowed per time window. Some requests count several times. */
export interface RateLimit {
  /** The maximum number of requests in a window. */
  readonly limit: number;
  /** The length of a window in whole seconds. */
  readonly window: number;
}

// Count requests

/** The use of a limit, including the request that was just counted. */
export interface Consumption {
  /** The number of requests in the current window. */
  readonly count: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

/** Counts requests per key in windows of a fixed length. A window starts with the first request of a key. */
export interface LimitStore {
  /**
   * Counts a request. Never fails.
   *
   * @param key identifies the client; short
   * @param now milliseconds on a monotonic clock
   * @param cost how many times the request counts; default: 1
   */
  consume(key: string, now: number, cost?: number): Consumption | Promise<Consumption>;
}

export interface MemoryStore extends LimitStore {
  consume(key: string, now: number, cost?: number): Consumption;
  /** The number of keys in memory. */
  readonly size: number;
}

/** The maximum number of keys in memory, which take about 12 MB. */
const MAX_KEYS = 65_536;

/** The number of expired windows deleted per new window. Two, so that the number of expired windows decreases. */
const DELETED_AT_ONCE = 2;

/**
 * Creates a store that counts in the memory of this process.
 *
 * If there are `maxKeys` keys, a new key replaces the one whose window ends first. A client with many addresses can thus
 * reset the counts of others, but cannot block them. There are no timers: new windows delete expired ones.
 * (`RateLimiterMemory` of rate-limiter-flexible sets a timer per key and does not limit the number of keys.)
 *
 * @param window the length of a window in seconds
 */
export function memoryStore(window: number, maxKeys = MAX_KEYS): MemoryStore {
  const duration = window * 1_000;
  // All windows have the same length, and only new windows are moved to the end. So the first one ends first.
  const windows = lru<{ readonly end: number; count: number }>(maxKeys);
  return {
    consume(key, now, cost = 1) {
      const open = windows.peek(key);
      if (open !== undefined && now < open.end) {
        open.count += cost;
        return { count: open.count, resetMs: open.end - now };
      }
      windows.set(key, { end: now + duration, count: cost });
      for (
        let deleted = 0;
        deleted < DELETED_AT_ONCE && windows.first && windows.first.value.end <= now;
        deleted++
      ) {
        windows.evict();
      }
      return { count: cost, resetMs: duration };
    },
    get size() {
      return windows.size;
    },
  };
}

// Limit requests

/**
 * Returns the key that a request counts for: the name of its API key, or else the client address. An IPv6 address counts as
 * its /64 network, the smallest that a customer gets (RFC 6177); an IPv4-mapped one as the IPv4 address. Keys are short and
 * canonical. The three kinds of keys cannot be equal.
 */
export function limitKey({
  principal,
  clientAddress,
}: Pick<IncomingRequest, "principal" | "clientAddress">): string {
  if (principal !== undefined) {
    // The prefix keeps names apart from addresses.
    return `key:${principal}`;
  }
  return clientNetwork(clientAddress);
}

/** The outcome of a count. */
export type RateLimitDecision = "allowed" | "refused";

/** Options of {@link limitRate}. */
export interface RateLimitOptions extends RateLimit {
  readonly store: LimitStore;
  /** Returns milliseconds on a monotonic clock. */
  readonly now: () => number;
  /** Called once per count. */
  readonly onDecision?: (decision: RateLimitDecision) => void;
}

/** Limits the requests of clients. */
export interface RateLimiter {
  /** Counts a request when its headers have been read. Synchronous if the store is. */
  readonly onRequest: (request: IncomingRequest) => void | Promise<void>;
  /** Returns the limit and what counts a request more often, for methods whose cost depends on the message. */
  readonly quotaOf: (request: IncomingRequest) => Quota;
}

/** Kinds of requests that are not counted: health checks and scrapes must work while clients are limited. */
const UNLIMITED: ReadonlySet<RequestKind> = new Set(["health", "metrics"]);

/**
 * Limits the requests of each client ({@link limitKey}), except those of {@link UNLIMITED}.
 *
 * Responses to counted requests have the headers of draft-ietf-httpapi-ratelimit-headers-10: `RateLimit-Policy` is the limit,
 * `RateLimit` the remaining requests and the seconds until the window ends. Requests over the limit are rejected with
 * `RESOURCE_EXHAUSTED`, the reason `RATE_LIMIT_EXCEEDED`, a `google.rpc.RetryInfo`, and `Retry-After` (RFC 9110, section
 * 10.2.3).
 */
export function limitRate(options: RateLimitOptions): RateLimiter {
  const { limit, window, store, now, onDecision } = knownOptions("limitRate", options, {
    limit: true,
    window: true,
    store: true,
    now: true,
    onDecision: true,
  });
  const policy = `"default";q=${limit};w=${window}`;

  function decide(request: IncomingRequest, { count, resetMs }: Consumption, isCalled: boolean): void {
    const seconds = toSeconds(resetMs);
    request.setHeader("ratelimit-policy", policy);
    request.setHeader("ratelimit", `"default";r=${Math.max(0, limit - count)};t=${seconds}`);
    if (count <= limit) {
      onDecision?.("allowed");
      return;
    }
    onDecision?.("refused");
    const error = limitExceeded({ limit, window }, resetMs);
    if (isCalled) {
      // The headers of a stream may have been sent already; metadata of its error can still be sent.
      error.metadata.set("retry-after", String(seconds));
    } else {
      request.addHeader("retry-after", String(seconds));
    }
    throw error;
  }

  function count(request: IncomingRequest, cost: number, isCalled: boolean): void | Promise<void> {
    if (cost === 0 || UNLIMITED.has(requestKind(request))) {
      return;
    }
    const consumption = store.consume(limitKey(request), now(), cost);
    return consumption instanceof Promise
      ? consumption.then((settled) => decide(request, settled, isCalled))
      : decide(request, consumption, isCalled);
  }

  return {
    onRequest: (request) => count(request, 1, false),
    quotaOf: (request) => ({ limit, charge: (cost) => count(request, cost, true) }),
  };
}

/** Returns the error of {@link limitRate}, for the API document. */
export function rateLimitRejection(rate: RateLimit): DocumentedError {
  return {
    error: limitExceeded(rate, rate.window * 1_000),
    description:
      `The client has sent more than ${rate.limit} requests in ${rate.window} s. A batch counts as many times as it has items. ` +
      "`Retry-After` is the time to wait.",
  };
}

function limitExceeded({ limit, window }: RateLimit, resetMs: number): ConnectError {
  const seconds = toSeconds(resetMs);
  return createError({
    code: Code.ResourceExhausted,
    reason: "RATE_LIMIT_EXCEEDED",
    message: `too many requests; allowed: ${limit} in ${window} s; try again in ${seconds} s`,
    metadata: { limit: String(limit), window: `${window}s` },
    retryAfter: Math.max(1, Math.ceil(resetMs)),
  });
}

/** Rounds up, so that a client that waits this long does not retry too early. */
function toSeconds(resetMs: number): number {
  return Math.max(1, Math.ceil(resetMs / 1_000));
}
