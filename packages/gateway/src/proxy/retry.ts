import { setTimeout as wait } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { isUnprocessed } from "../grpc/unavailable.js";

/** The delays before the second and the third try, in milliseconds. */
const DELAYS = [200, 1_000] as const;

/** What retries need to know of a call. */
export interface RetriedCall {
  /** Whether the client has disconnected or has its response. */
  readonly isOver: () => boolean;
  /** The time until the deadline, in milliseconds; undefined for none. */
  readonly remaining: () => number | undefined;
}

/**
 * Calls a function until it succeeds: three times at most, if the error is `UNAVAILABLE` and the deadline leaves time. Delays vary by a
 * fifth, so that calls that have failed together are not repeated together. A call with side effects is repeated if the upstream has not
 * begun it.
 */
export async function withRetries<T>(
  send: () => Promise<T>,
  call: RetriedCall,
  isIdempotent: boolean,
): Promise<T> {
  for (const delay of DELAYS) {
    try {
      return await send();
    } catch (thrown) {
      const pause = delay * (0.8 + 0.4 * Math.random());
      const isRepeatable =
        thrown instanceof ConnectError &&
        thrown.code === Code.Unavailable &&
        (isIdempotent || isUnprocessed(thrown));
      if (!isRepeatable || call.isOver() || pause >= (call.remaining() ?? Number.POSITIVE_INFINITY)) {
        throw thrown;
      }
      await wait(pause);
      if (call.isOver()) {
        throw thrown;
      }
    }
  }
  return send();
}
