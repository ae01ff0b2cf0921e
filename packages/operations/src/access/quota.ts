import { createContextKey } from "@connectrpc/connect";

/** The rate limit of a call. The call has been counted once already, when its headers were read. */
export interface Quota {
  /** The limit itself: a call that counts more than this can never succeed. */
  readonly limit: number;
  /**
   * Counts the call this many times more. Throws a ConnectError if that exceeds the limit. Synchronous unless replicas share
   * the limit.
   */
  charge(cost: number): void | Promise<void>;
}

const UNLIMITED: Quota = { limit: Number.POSITIVE_INFINITY, charge: () => {} };

/** The rate limit of a call, for methods whose cost depends on the request message. */
export const quotaKey = createContextKey(UNLIMITED, { description: "quota" });
