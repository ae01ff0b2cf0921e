import type { Consumption, LimitStore } from "./limit-store.js";

/** A store that answers at once. */
export interface MemoryStore extends LimitStore {
  consume(key: string, now: number): Consumption;
  /** How many keys it knows. */
  readonly size: number;
}

/** Keys that are known at the most: some 10 MB. */
const MAX_KEYS = 65_536;

/** Windows that have ended and are cleared away when one begins: more than one, so that they get fewer. */
const CLEARED_AT_ONCE = 2;

interface Window {
  readonly key: string;
  /** When it ends, on the caller's clock. */
  readonly end: number;
  count: number;
  /** The window that began after it. */
  next: Window | undefined;
}

/**
 * Counts requests in this process's memory.
 *
 * When there are as many keys as are allowed, a new one takes the place of the one whose window ends first: what is
 * forgotten by that is as little as can be. Whoever makes up addresses to fill the store can thus give others a fresh
 * window, never take one away. There is no timer: windows that have ended are cleared away as others begin.
 * (`RateLimiterMemory` of rate-limiter-flexible has a timer for each key, and no bound on keys.)
 *
 * @param window how long a window lasts, in seconds
 */
export function memoryStore(window: number, maxKeys = MAX_KEYS): MemoryStore {
  const duration = window * 1_000;
  const windows = new Map<string, Window>();
  // All windows last equally long, so that a list in the order of their beginnings is in that of their ends.
  let first: Window | undefined;
  let last: Window | undefined;

  function forget(forgotten: Window): void {
    first = forgotten.next;
    // The key may have a newer window by now.
    if (windows.get(forgotten.key) === forgotten) {
      windows.delete(forgotten.key);
    }
  }

  function makeRoom(now: number): void {
    for (let cleared = 0; cleared < CLEARED_AT_ONCE && first !== undefined && first.end <= now; cleared++) {
      forget(first);
    }
    while (windows.size >= maxKeys && first !== undefined) {
      forget(first);
    }
  }

  function begin(key: string, now: number): void {
    makeRoom(now);
    const begun: Window = { key, end: now + duration, count: 1, next: undefined };
    if (first === undefined || last === undefined) {
      first = begun;
    } else {
      last.next = begun;
    }
    last = begun;
    windows.set(key, begun);
  }

  return {
    consume(key, now) {
      const open = windows.get(key);
      if (open !== undefined && now < open.end) {
        open.count++;
        return { count: open.count, resetMs: open.end - now };
      }
      begin(key, now);
      return { count: 1, resetMs: duration };
    },
    get size() {
      return windows.size;
    },
  };
}
