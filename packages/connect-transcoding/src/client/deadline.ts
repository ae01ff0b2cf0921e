import { Code, ConnectError } from "@connectrpc/connect";

/** The longest timer of JavaScript, in milliseconds. */
const MAX_TIMER = 2 ** 31 - 1;

/** The longest timeout in milliseconds that the eight digits of gRPC can have. */
const MAX_MILLISECONDS = 99_999_999;

/** A timeout as in `grpc-timeout`, which grpc-gateway and Envoy read over REST as well. */
export function grpcTimeout(timeoutMs: number): string {
  const timeout = Math.ceil(Math.min(Math.max(timeoutMs, 1), MAX_TIMER));
  return timeout > MAX_MILLISECONDS ? `${Math.ceil(timeout / 1000)}S` : `${timeout}m`;
}

/** The end of a call before its response. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** The error of a call that has failed with something else. */
  errorOf(thrown: unknown): ConnectError;
  /** The messages of a response, with such errors. */
  guard<T>(messages: AsyncIterable<T>): AsyncIterable<T>;
}

/** Joins the signal of the caller and the timeout of a call. */
export function startDeadline(given: AbortSignal | undefined, timeoutMs: number | undefined): Deadline {
  // Timers have whole milliseconds.
  const timeout =
    timeoutMs === undefined
      ? undefined
      : AbortSignal.timeout(Math.ceil(Math.min(Math.max(timeoutMs, 0), MAX_TIMER)));

  function errorOf(thrown: unknown): ConnectError {
    if (timeout?.aborted === true) {
      return new ConnectError("the deadline of the call has expired", Code.DeadlineExceeded);
    }
    if (given?.aborted === true) {
      return ConnectError.from(given.reason, Code.Canceled);
    }
    // fetch rejects with a TypeError if it cannot connect, or if the connection breaks.
    return ConnectError.from(thrown, thrown instanceof TypeError ? Code.Unavailable : Code.Unknown);
  }

  return {
    signal: AbortSignal.any([given, timeout].filter((each) => each !== undefined)),
    errorOf,
    async *guard(messages) {
      try {
        yield* messages;
      } catch (thrown) {
        throw errorOf(thrown);
      }
    },
  };
}
