import { type Failure, fail, ok, type Result } from "../../result.js";
import type { Consumption, LimitStore } from "./limit-store.js";
import type { RateLimit } from "./rate-limit.js";
import { type RedisCounter, type RedisCounterEvents, redisCounter } from "./redis-counter.js";
import { storeErrorText } from "./store-error-text.js";

/** A store that replicas share, with a local one that takes its place while it cannot be reached. */
export interface SharedStore extends LimitStore {
  /** Ends its connection. Requests go on under the local limit. */
  close(): void;
}

/** What {@link openSharedStore} goes by. */
export interface SharedStoreOptions extends RateLimit {
  /** `redis://[user[:password]@]host[:port][/database]`, or `rediss:` for TLS. */
  readonly url: string;
  /** Decides while the shared store cannot be reached. */
  readonly local: LimitStore;
  /**
   * Is told when the shared store takes over (`up`) and when the local one has to (`down`), once for each change, and
   * of the state at the start. `why` is for logs: an error code as a rule, never an address or a password.
   */
  readonly onState: (state: StoreState, why: string) => void;
  /** How long a request waits for the shared store, in milliseconds. */
  readonly deadline?: number;
  /** How often a store that is down is tried, in milliseconds. */
  readonly probeInterval?: number;
  /** Stands for the Redis client in tests. */
  readonly connect?: typeof redisCounter;
}

export type StoreState = "up" | "down";

/**
 * A store in the same network answers within a millisecond or two; what takes so much longer is as good as down. Only
 * requests that are under way when a store falls silent wait for that long.
 */
const DEADLINE = 500;
const PROBE_INTERVAL = 1_000;

/** Timers that make up the deadline, one after the other. */
const DEADLINE_PARTS = 4;

/** Under this key a store that is down is tried. No caller can have it: names and addresses have no space. */
const PROBE_KEY = "probe of the store";

/**
 * Opens a store in Redis or Valkey, and reconnects for as long as it is not closed. Whether the server is there does not
 * matter for that: requests never fail for its sake, nor wait for a server that is known to be down.
 *
 * The first error or the first answer that is late means down: from then on the local store decides at once, until a trial
 * count gets its answer in time. Requests that were waiting are decided locally too. The local counts begin anew at each
 * such time, so that every replica then allows the limit once more.
 */
export function openSharedStore(
  options: SharedStoreOptions,
): Result<SharedStore, Failure<"INVALID_STORE_URL">> {
  const { url, limit, window, local, onState, deadline = DEADLINE, probeInterval = PROBE_INTERVAL } = options;
  let state: StoreState | undefined;
  let isClosed = false;
  let isProbing = false;
  let timer: NodeJS.Timeout | undefined;

  function setState(next: StoreState, why: string): void {
    if (state === next || isClosed) {
      return;
    }
    state = next;
    clearInterval(timer);
    if (next === "down") {
      timer = setInterval(probe, probeInterval);
      timer.unref();
    }
    onState(next, why);
  }

  function probe(): void {
    if (isProbing || isClosed || !counter.isReady()) {
      return;
    }
    isProbing = true;
    const asked = counter.count(PROBE_KEY).finally(() => {
      isProbing = false;
    });
    // One that is late may still come: there is never more than one under way.
    within(deadline, asked).then(
      () => setState("up", "it answers"),
      (error: unknown) => setState("down", storeErrorText(error)),
    );
  }

  const events: RedisCounterEvents = {
    onReady: probe,
    onError: (error) => setState("down", storeErrorText(error)),
  };
  let counter: RedisCounter;
  try {
    counter = (options.connect ?? redisCounter)(url, { limit, window }, events);
  } catch {
    // The error may quote the URL, and with it a password.
    return fail(
      "INVALID_STORE_URL",
      "must be redis:// or rediss:// with a host, and a database number if any",
    );
  }

  return ok({
    consume(key, now): Consumption | Promise<Consumption> {
      if (state !== "up" || isClosed) {
        return local.consume(key, now);
      }
      return within(deadline, counter.count(key)).catch((error: unknown) => {
        setState("down", storeErrorText(error));
        return local.consume(key, now);
      });
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      counter.close();
    },
  });
}

/**
 * Rejects with a {@link DOMException} named `TimeoutError` when a promise takes longer than this many milliseconds. Time in
 * which this process was too busy to read an answer hardly counts: a timer that is late is still one timer.
 */
function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let parts = DEADLINE_PARTS;
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      timer = setTimeout(() => {
        if (--parts > 0) {
          wait();
        } else {
          reject(new DOMException(`no answer within ${milliseconds} ms`, "TimeoutError"));
        }
      }, milliseconds / DEADLINE_PARTS);
    };
    wait();
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
