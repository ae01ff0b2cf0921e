import { lru } from "tiny-lru";
import type { Consumption, LimitStore } from "./rate-limit.js";

/** Counts that a process has taken from the store for a client. */
interface Lease {
  /** When the window ends, in milliseconds on the clock of the requests. */
  end: number;
  /** The counts of all processes when a block was taken last. More than the limit: all requests of the window are rejected. */
  taken: number;
  /** How many of them this process has not used. */
  left: number;
  /** Resolves when a block arrives. */
  pending: Promise<void> | undefined;
}

/** The maximum number of clients with a lease. */
const MAX_LEASES = 65_536;

/**
 * Takes counts from a shared store in blocks, so that most requests, and all that are rejected, need no round trip. A client never exceeds
 * the limit. It can be rejected before it, by less than a block for each process that it uses.
 *
 * @param block the number of counts in a block
 */
export function leasedStore(store: LimitStore, limit: number, block: number): LimitStore {
  const leases = lru<Lease>(MAX_LEASES);

  async function take(lease: Lease, key: string, now: number, missing: number): Promise<void> {
    const size = Math.max(Math.min(block, limit), missing);
    const { count, resetMs } = await store.consume(key, now, size);
    const before = count - size;
    // Less than a whole block may be left.
    const granted = before + missing > limit ? 0 : Math.min(size, limit - before);
    lease.taken = granted === 0 ? limit + 1 : before + granted;
    lease.left += granted;
    lease.end = now + resetMs;
    lease.pending = undefined;
  }

  function consume(key: string, now: number, cost = 1): Consumption | Promise<Consumption> {
    let lease = leases.get(key);
    if (lease === undefined || (now >= lease.end && lease.pending === undefined)) {
      lease = { end: Number.POSITIVE_INFINITY, taken: 0, left: 0, pending: undefined };
      leases.set(key, lease);
    }
    if (lease.pending === undefined && lease.taken > limit) {
      return { count: lease.taken, resetMs: lease.end - now };
    }
    if (lease.pending === undefined && lease.left >= cost) {
      lease.left -= cost;
      return { count: lease.taken - lease.left, resetMs: lease.end - now };
    }
    lease.pending ??= take(lease, key, now, cost - lease.left);
    return lease.pending.then(() => consume(key, now, cost));
  }
  return { consume };
}
