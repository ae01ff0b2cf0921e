import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { type ApiKey, authorization } from "./api-key.js";
import { type ClientOptions, DEFAULT_TIMEOUT } from "./client-options.js";
import { linkSignals } from "./link-signals.js";
import { readError } from "./read-error.js";
import { createRetryBudget } from "./retry-budget.js";
import { DEFAULT_RETRIES, isSafe, type RetryPolicy, retryDelay } from "./retry-policy.js";
import type { World } from "./world.js";

/** The longest wait that a service may ask of a call without a deadline, in milliseconds. */
const LONGEST_WAIT = 60_000;

/**
 * A transport over another one that gives each call the client's headers and key, a deadline for all of its attempts, and
 * retries where its method is safe. `closed` ends every call.
 */
export function steadyTransport(
  inner: Transport,
  { apiKey, headers, timeout = DEFAULT_TIMEOUT, retries }: ClientOptions,
  closed: AbortSignal,
  world: World,
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
      const key = typeof apiKey === "string" ? authorization(apiKey) : authorizationInTime(apiKey, call);
      all.set("authorization", await key);
    }
    return all;
  }

  /** What gives the key may hang: the call's deadline and signal are its as well. */
  async function authorizationInTime(given: ApiKey, { signal, remaining }: Call): Promise<string> {
    const stop = new AbortController();
    const { signal: end, unlink } = linkSignals(signal, stop.signal);
    const timeUp = pause(remaining(), end, world).then(() => {
      throw new ConnectError("the API key did not come in time", Code.DeadlineExceeded);
    });
    try {
      return await Promise.race([authorization(given), timeUp]);
    } finally {
      stop.abort();
      unlink();
    }
  }

  return {
    async unary(method, signal, timeoutMs = timeout, header, input, contextValues) {
      const linked = linkSignals(signal, closed);
      const call = begin(linked.signal, timeoutMs, world);
      try {
        for (let count = 0; ; count++) {
          try {
            const all = await headersOf(header, call);
            const answer = await inner.unary(
              method,
              call.signal,
              call.timeoutMs(),
              all,
              input,
              contextValues,
            );
            budget.earn();
            return answer;
          } catch (thrown) {
            const delay = isSafe(method)
              ? retryDelay(readError(thrown), count, policy, world.random)
              : undefined;
            const fits = delay !== undefined && delay < call.remaining() && !call.signal.aborted;
            if (!fits || !budget.spend()) {
              throw ConnectError.from(thrown);
            }
            await pause(delay, call.signal, world);
          }
        }
      } finally {
        linked.unlink();
      }
    },

    async stream(method, signal, timeoutMs = timeout, header, input, contextValues) {
      const linked = linkSignals(signal, closed);
      const call = begin(linked.signal, timeoutMs, world);
      try {
        const all = await headersOf(header, call);
        const answer = await inner.stream(method, call.signal, call.timeoutMs(), all, input, contextValues);
        return { ...answer, message: beforeEnd(answer.message, linked.unlink) };
      } catch (thrown) {
        linked.unlink();
        throw thrown;
      }
    },
  };
}

/** Does something when a stream is over. */
async function* beforeEnd<Item>(items: AsyncIterable<Item>, end: () => void): AsyncGenerator<Item> {
  try {
    yield* items;
  } finally {
    end();
  }
}

/** Waits, and ends with `CANCELED`, or what else the signal ends with, as soon as that is aborted. */
async function pause(ms: number, signal: AbortSignal, { sleep }: World): Promise<void> {
  try {
    await sleep(ms, signal);
  } catch (reason) {
    throw ConnectError.from(reason, Code.Canceled);
  }
}

/** One call, with all of its attempts. */
interface Call {
  readonly signal: AbortSignal;
  /** Milliseconds that are left for waiting. */
  readonly remaining: () => number;
  /** The time-out for the next attempt, as transports take it: in whole milliseconds, and 0 for none. */
  readonly timeoutMs: () => number;
}

function begin(signal: AbortSignal, timeoutMs: number, { now }: World): Call {
  if (timeoutMs <= 0) {
    return { signal, remaining: () => LONGEST_WAIT, timeoutMs: () => 0 };
  }
  const deadline = now() + timeoutMs;
  const remaining = () => deadline - now();
  return { signal, remaining, timeoutMs: () => Math.max(1, Math.ceil(remaining())) };
}
