import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { type CallError, readError } from "./errors.js";
import {
  type ApiKeySource,
  authorization,
  type ClientOptions,
  DEFAULT_TIMEOUT,
  type RetryPolicy,
} from "./options.js";

export const DEFAULT_RETRIES: RetryPolicy = { count: 3, baseDelay: 100, maxDelay: 2_000 };

/** Longest delay that a call without a deadline accepts from the service, in milliseconds. */
const MAX_DELAY_WITHOUT_DEADLINE = 60_000;

/** Clock and randomness; tests replace them. */
export interface Timing {
  /** Monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Random number from 0 to 1, 1 excluded. */
  readonly random: () => number;
  /** Resolves after `ms` milliseconds. Rejects with the signal's reason when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const REAL_TIMING: Timing = {
  now: () => performance.now(),
  random: Math.random,
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", end);
        resolve();
      }, ms);
      function end(): void {
        clearTimeout(timer);
        reject(signal.reason);
      }
      signal.addEventListener("abort", end, { once: true });
    }),
};

/**
 * Returns whether a method may be retried: it is unary, and its proto declares an `idempotency_level`. Streams are not retried,
 * because the program may have received a part.
 */
export function isRetryable({ idempotency, methodKind }: DescMethod): boolean {
  return methodKind === "unary" && idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}

/**
 * Returns the milliseconds to wait after an error before the next attempt; undefined if the call should not be retried.
 *
 * Only `UNAVAILABLE` means that the same call may succeed soon (AIP-194). `RESOURCE_EXHAUSTED` is retried if the service says when. A
 * delay from the service is a minimum, like the server pushback of gRPC (proposal A6). Otherwise the delay is random up to a bound
 * that doubles ("full jitter"), so that clients that failed together do not retry together.
 *
 * @param retries Number of retries so far.
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
  return retryAfter === undefined ? random() * bound : retryAfter + random() * policy.baseDelay;
}

/** Size of a client's retry budget, and how many responses add one retry to it. */
const BUDGET = 100;
const RESPONSES_PER_RETRY = 10;

/**
 * Limits the retries of all calls of a client: 100 at first, and one more per ten responses. During an outage a client
 * therefore adds at most a tenth to the load. gRPC calls this retry throttling (proposal A6).
 */
function createRetryBudget() {
  const full = BUDGET * RESPONSES_PER_RETRY;
  let responses = full;
  return {
    /** Called for each response. */
    earn(): void {
      responses = Math.min(full, responses + 1);
    },
    /** Takes one retry; returns false if none is left. */
    spend(): boolean {
      if (responses < RESPONSES_PER_RETRY) {
        return false;
      }
      responses -= RESPONSES_PER_RETRY;
      return true;
    },
  };
}

/**
 * Wraps a transport: adds the client's headers and API key to each call, one deadline for all attempts, and retries.
 *
 * @param closed Aborting it cancels every call.
 */
export function retryingTransport(
  inner: Transport,
  { apiKey, headers, timeout = DEFAULT_TIMEOUT, retries }: ClientOptions,
  closed: AbortSignal,
  timing: Timing,
): Transport {
  const policy: RetryPolicy = {
    count: retries?.count ?? DEFAULT_RETRIES.count,
    baseDelay: retries?.baseDelay ?? DEFAULT_RETRIES.baseDelay,
    maxDelay: retries?.maxDelay ?? DEFAULT_RETRIES.maxDelay,
  };
  const budget = createRetryBudget();

  async function headersOf(own: HeadersInit | undefined, call: Call): Promise<Headers> {
    const all = new Headers(headers);
    new Headers(own).forEach((value, name) => {
      all.set(name, value);
    });
    if (apiKey !== undefined && !all.has("authorization")) {
      all.set("authorization", await authorizationInTime(apiKey, call, timing));
    }
    return all;
  }

  return {
    async unary(method, signal, timeoutMs = timeout, header, input, contextValues) {
      const linked = linkSignals(signal, closed);
      const call = startCall(linked.signal, timeoutMs, timing);
      try {
        for (let count = 0; ; count++) {
          try {
            const all = await headersOf(header, call);
            const response = await inner.unary(
              method,
              call.signal,
              call.timeoutMs(),
              all,
              input,
              contextValues,
            );
            budget.earn();
            return response;
          } catch (thrown) {
            const delay = isRetryable(method)
              ? retryDelay(readError(thrown), count, policy, timing.random)
              : undefined;
            const fits = delay !== undefined && delay < call.remaining() && !call.signal.aborted;
            if (!fits || !budget.spend()) {
              throw ConnectError.from(thrown);
            }
            await pause(delay, call.signal, timing);
          }
        }
      } finally {
        linked.unlink();
      }
    },

    async stream(method, signal, timeoutMs = timeout, header, input, contextValues) {
      const linked = linkSignals(signal, closed);
      const call = startCall(linked.signal, timeoutMs, timing);
      try {
        const all = await headersOf(header, call);
        const response = await inner.stream(method, call.signal, call.timeoutMs(), all, input, contextValues);
        return { ...response, message: withFinally(response.message, linked.unlink) };
      } catch (thrown) {
        linked.unlink();
        throw thrown;
      }
    },
  };
}

/** The function that returns the key may hang, so the deadline and the signal of the call apply to it. */
async function authorizationInTime(
  given: ApiKeySource,
  { signal, remaining }: Call,
  timing: Timing,
): Promise<string> {
  if (typeof given === "string") {
    return authorization(given);
  }
  const settled = new AbortController();
  const linked = linkSignals(signal, settled.signal);
  const timeUp = pause(remaining(), linked.signal, timing).then(() => {
    throw new ConnectError("timed out while getting the API key", Code.DeadlineExceeded);
  });
  try {
    return await Promise.race([authorization(given), timeUp]);
  } finally {
    settled.abort();
    linked.unlink();
  }
}

/** Calls `end` when the stream ends, fails, or is no longer read. */
async function* withFinally<Item>(items: AsyncIterable<Item>, end: () => void): AsyncGenerator<Item> {
  try {
    yield* items;
  } finally {
    end();
  }
}

/** Waits. Throws a `ConnectError` when the signal is aborted: its reason if that is one, `CANCELED` otherwise. */
async function pause(ms: number, signal: AbortSignal, { sleep }: Timing): Promise<void> {
  try {
    await sleep(ms, signal);
  } catch (reason) {
    throw ConnectError.from(reason, Code.Canceled);
  }
}

/** A call with all of its attempts. */
interface Call {
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  readonly remaining: () => number;
  /** Timeout for the next attempt, as transports take it: in whole milliseconds, 0 for none. */
  readonly timeoutMs: () => number;
}

function startCall(signal: AbortSignal, timeoutMs: number, { now }: Timing): Call {
  if (timeoutMs <= 0) {
    return { signal, remaining: () => MAX_DELAY_WITHOUT_DEADLINE, timeoutMs: () => 0 };
  }
  const deadline = now() + timeoutMs;
  const remaining = () => deadline - now();
  return { signal, remaining, timeoutMs: () => Math.max(1, Math.ceil(remaining())) };
}

/**
 * Returns a signal that aborts with the first of several. `unlink` removes the listeners: a source may live as long as the client,
 * and `AbortSignal.any` would keep a dependent signal in memory for that long.
 */
function linkSignals(...sources: readonly (AbortSignal | undefined)[]) {
  const linked = new AbortController();
  const unlinked = new AbortController();
  for (const source of sources) {
    const abort = () => linked.abort(source?.reason);
    if (source?.aborted) {
      abort();
    } else {
      source?.addEventListener("abort", abort, { signal: unlinked.signal });
    }
  }
  return { signal: linked.signal, unlink: () => unlinked.abort() };
}
