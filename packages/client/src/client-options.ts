import type { Interceptor } from "@connectrpc/connect";
import type { ApiKey } from "./api-key.js";
import type { RetryPolicy } from "./retry-policy.js";

/** What a client does over any transport. */
export interface ClientOptions {
  /** Goes out as `Authorization: Bearer …`, unless a call has that header already. */
  readonly apiKey?: ApiKey | undefined;
  /**
   * How many milliseconds a whole call may take, its retries included, a day at the most; 0 for no bound. Default: 10,000. A
   * call's own `timeoutMs` takes its place.
   */
  readonly timeout?: number | undefined;
  /** How calls of safe methods are tried again. Default: 3 times, waiting up to 100, 200 and 400 ms. */
  readonly retries?: { readonly [Name in keyof RetryPolicy]?: RetryPolicy[Name] | undefined } | undefined;
  /** Headers for every call; a call's own take their place. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a client goes by that makes its own transport. */
export interface TransportOptions extends ClientOptions {
  /** Messages in protobuf's binary format, or as JSON. Default: true. */
  readonly binary?: boolean | undefined;
  /**
   * Whether methods without side effects are called with GET, for caches in between; over Connect alone. Default: false, for what
   * is in a URL gets into the logs of proxies.
   */
  readonly httpGet?: boolean | undefined;
  /** Interceptors of connect; each attempt of a call goes through them. */
  readonly interceptors?: readonly Interceptor[] | undefined;
}

/** What a call may take unless something else is said, in milliseconds. */
export const DEFAULT_TIMEOUT = 10_000;

/** The longest time-out, in milliseconds: a day. gRPC's header has eight digits, and timers end at 24.8 days. */
const LONGEST_TIMEOUT = 86_400_000;

/** Throws a `RangeError` for numbers that mean nothing. */
export function checkNumbers({ timeout, retries = {} }: ClientOptions): void {
  const { count = 0, baseDelay = 0, maxDelay = 0 } = retries;
  if (timeout !== undefined && !(timeout >= 0 && timeout <= LONGEST_TIMEOUT)) {
    throw new RangeError(`timeout must be from 0 to ${LONGEST_TIMEOUT} milliseconds`);
  }
  if (!(Number.isInteger(count) && count >= 0 && count <= 100)) {
    throw new RangeError("retries.count must be a whole number from 0 to 100");
  }
  if (![baseDelay, maxDelay].every((delay) => delay >= 0 && delay <= LONGEST_TIMEOUT)) {
    throw new RangeError(`retries.baseDelay and retries.maxDelay must be from 0 to ${LONGEST_TIMEOUT}`);
  }
}
