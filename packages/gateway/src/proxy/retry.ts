import { setTimeout as wait } from "node:timers/promises";
import { Code, type ConnectError } from "@connectrpc/connect";

/** The delays before the second and the third try, in milliseconds. */
const DELAYS = [200, 1_000] as const;

/**
 * Calls a function until it succeeds: three times at most, if the error is `UNAVAILABLE` and the deadline leaves time. Delays vary by a
 * fifth, so that calls that have failed together are not repeated together.
 *
 * @param toError converts what the function throws
 * @param remaining the time until the deadline, in milliseconds; undefined for none
 */
export async function withRetries<T>(
  call: () => Promise<T>,
  toError: (thrown: unknown) => ConnectError,
  signal: AbortSignal,
  remaining: () => number | undefined,
): Promise<T> {
  for (const delay of DELAYS) {
    try {
      return await call();
    } catch (thrown) {
      const error = toError(thrown);
      const pause = delay * (0.8 + 0.4 * Math.random());
      if (
        error.code !== Code.Unavailable ||
        signal.aborted ||
        pause >= (remaining() ?? Number.POSITIVE_INFINITY)
      ) {
        throw error;
      }
      // An aborted call fails with its own error on the next try.
      await wait(pause, undefined, { signal }).catch(() => undefined);
    }
  }
  return call();
}
