import { createClient, ErrorReply } from "@redis/client";
import { knownOptions } from "@utility-tools/http-server/portable";
import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { type Failure, fail, ok, type Result } from "../failures/result.js";
import type { Consumption, LimitStore, RateLimit } from "./rate-limit.js";

/** A store that replicas share. A local store replaces it while it is unavailable. */
export interface SharedStore extends LimitStore {
  /** Closes the connection. Requests are counted locally from then on. */
  close(): void;
}

/** Whether the shared store (`up`) or the local one (`down`) counts requests. */
export type StoreState = "up" | "down";

/** Options of {@link openSharedStore}. */
export interface SharedStoreOptions extends RateLimit {
  /** `redis://[user[:password]@]host[:port][/database]`, or `rediss:` for TLS. */
  readonly url: string;
  /** Counts requests while the shared store is unavailable. */
  readonly local: LimitStore;
  /**
   * Called with the first state and then once per change. `why` is for logs: usually an error code, never an address or a
   * password.
   */
  readonly onState: (state: StoreState, why: string) => void;
  /** The maximum time that a request waits for the shared store, in milliseconds. */
  readonly timeout?: number;
  /** The interval at which an unavailable store is probed, in milliseconds. */
  readonly probeInterval?: number;
}

/** A store in the same network responds within a millisecond or two. Only requests in flight when it fails wait this long. */
const TIMEOUT = 500;
const PROBE_INTERVAL = 1_000;

/** The key that probes count for. It has spaces, so no client has the same key. */
const PROBE_KEY = "probe of the store";

/**
 * Opens a store in Redis or Valkey. The server does not have to be available: the client reconnects until the store is
 * closed, and requests neither fail because of the store nor wait for one that is known to be unavailable.
 *
 * The first error or timeout changes the state to `down`. The local store then counts requests, including those in flight,
 * until a probe succeeds. Local counts start at zero, so each replica allows the full limit once more.
 *
 * The `insuranceLimiter` of rate-limiter-flexible is not sufficient here: while a server hangs, every request waits for the
 * timeout, and the error that caused the change is lost.
 */
export function openSharedStore(
  options: SharedStoreOptions,
): Result<SharedStore, Failure<"INVALID_STORE_URL">> {
  const {
    url,
    limit,
    window,
    local,
    onState,
    timeout = TIMEOUT,
    probeInterval = PROBE_INTERVAL,
  } = knownOptions("openSharedStore", options, {
    url: true,
    limit: true,
    window: true,
    local: true,
    onState: true,
    timeout: true,
    probeInterval: true,
  });
  let client: ReturnType<typeof createRedisClient>;
  try {
    client = createRedisClient(url);
  } catch {
    // The error may quote the URL and its password.
    return fail(
      "INVALID_STORE_URL",
      "must be redis:// or rediss:// with a host, and a database number if any; in its password, %, #, / and ? " +
        "are percent-encoded as %25, %23, %2F and %3F",
    );
  }
  const limiter = new RateLimiterRedis({
    storeClient: client,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    // Counts for another limit are not comparable.
    keyPrefix: `utility-tools:limit:${limit}/${window}s`,
    points: limit,
    duration: window,
  });
  let state: StoreState | undefined;
  let isClosed = false;
  let isProbing = false;
  let timer: NodeJS.Timeout | undefined;
  let hasBeenUp = false;

  /** The limiter resolves below the limit and rejects above it, both with a RateLimiterRes. */
  const count = (key: string, cost = 1): Promise<Consumption> =>
    limiter.consume(key, cost).then(toConsumption, toConsumption);

  function setState(next: StoreState, why: string): void {
    if (state === next || isClosed) {
      return;
    }
    state = next;
    hasBeenUp ||= next === "up";
    clearInterval(timer);
    if (next === "down") {
      timer = setInterval(probe, probeInterval);
      timer.unref();
    }
    onState(next, explained(why, hasBeenUp ? undefined : new URL(url).protocol));
  }

  function probe(): void {
    if (isProbing || isClosed || !client.isReady) {
      return;
    }
    isProbing = true;
    // The next probe waits for the response even after the timeout, so that at most one is in flight.
    const probed = count(PROBE_KEY).finally(() => {
      isProbing = false;
    });
    withTimeout(timeout, probed).then(
      () => setState("up", "it responds"),
      (error: unknown) => setState("down", storeErrorText(error)),
    );
  }

  client.on("error", (error: unknown) => setState("down", storeErrorText(error)));
  client.on("ready", () => {
    // destroy() does not stop a client that is connecting.
    if (isClosed) {
      client.destroy();
    } else {
      probe();
    }
  });
  // Events report every outcome.
  client.connect().catch(() => {});

  return ok({
    consume(key, now, cost) {
      if (state !== "up" || isClosed) {
        return local.consume(key, now, cost);
      }
      return withTimeout(timeout, count(key, cost)).catch((error: unknown) => {
        setState("down", storeErrorText(error));
        return local.consume(key, now, cost);
      });
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      client.destroy();
    },
  });
}

function toConsumption(result: unknown): Consumption {
  if (!(result instanceof RateLimiterRes)) {
    throw result;
  }
  const { consumedPoints: count, msBeforeNext: resetMs } = result;
  if (!Number.isSafeInteger(count) || !Number.isFinite(resetMs)) {
    throw new TypeError("the response of the store is not a count");
  }
  return { count, resetMs };
}

/** The maximum number of counts in flight. More are rejected. */
const MAX_PENDING = 10_000;

/** The maximum delay between two attempts to connect, in milliseconds. */
const MAX_RECONNECT_DELAY = 2_000;
const CONNECT_TIMEOUT = 2_000;

/** An idle connection is pinged after 2 s and closed after 5 s without a response: the server may be gone without closing it. */
const PING_INTERVAL = 2_000;
const SOCKET_TIMEOUT = 5_000;

/** Creates a client that is not connected yet. Throws for an invalid URL, with an error that may quote it. */
function createRedisClient(url: string) {
  // The client would also accept Unix sockets, and a missing host as localhost.
  if (!/^rediss?:$/.test(new URL(url).protocol) || new URL(url).hostname === "") {
    throw new TypeError("not the URL of a Redis server");
  }
  return createClient({
    url,
    // All servers support RESP 2. An old server quotes the password in its response to the greeting of RESP 3.
    RESP: 2,
    maintNotifications: "disabled",
    disableClientInfo: true,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_PENDING,
    pingInterval: PING_INTERVAL,
    // The client's own timeout creates an AbortSignal per command, and ends when the command is written.
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: CONNECT_TIMEOUT,
      socketTimeout: SOCKET_TIMEOUT,
      // Exponential backoff with jitter, so that replicas do not reconnect at the same time.
      reconnectStrategy: (retries) =>
        Math.min(50 * 2 ** retries, MAX_RECONNECT_DELAY) * (1 + Math.random() / 5),
    },
  });
}

/** The number of consecutive timers in a timeout. */
const TIMEOUT_PARTS = 4;

/**
 * Rejects with a {@link DOMException} named `TimeoutError` if a promise takes longer than this many milliseconds. Uses several
 * timers in a row, because a response may be waiting to be read while this process is busy: a busy process delays one timer,
 * and the response is read before the next one.
 */
function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let parts = TIMEOUT_PARTS;
    let timer: NodeJS.Timeout;
    const wait = (): void => {
      timer = setTimeout(() => {
        if (--parts > 0) {
          wait();
        } else {
          reject(new DOMException(`no response within ${milliseconds} ms`, "TimeoutError"));
        }
      }, milliseconds / TIMEOUT_PARTS);
    };
    wait();
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The errors of a client that uses TLS at a port without it, and the other way round. Redis waits for more of the first message. */
const WITH_WRONG_TLS =
  /^(?:ConnectionTimeoutError|SocketClosedUnexpectedlyError|ECONNRESET|EPROTO|ERR_SSL_\w+)$/;

/** What the texts of {@link storeErrorText} mean for an operator. */
const EXPLANATIONS: readonly (readonly [why: RegExp, explanation: string])[] = [
  [/^ECONNREFUSED$/, "no server listens at this host and port"],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "the name of the host has no address"],
  [/ (?:WRONGPASS|NOAUTH)$/, "correct user and password"],
  [/ NOPERM$/, "the user needs eval, set, incrby, pttl, expire and select on utility-tools:limit:*"],
  [/ ERR$/, "check password and database number"],
  [/ READONLY$/, "it is a replica, use the primary server"],
  [/ OOM$/, "its memory is full"],
  [/ (?:MOVED|CLUSTERDOWN)$/, "it is part of a cluster, which needs a proxy"],
  [/CERT|UNABLE_TO_VERIFY/, "its certificate is not valid, or NODE_EXTRA_CA_CERTS lacks its authority"],
];

/**
 * Adds to the description of an error what to do.
 *
 * @param protocol of the URL if the server has never responded, so that the port may have TLS, or none
 */
function explained(why: string, protocol: string | undefined): string {
  if (protocol !== undefined && WITH_WRONG_TLS.test(why)) {
    return protocol === "rediss:"
      ? `${why}: rediss:// needs a port with TLS, and one without needs redis://`
      : `${why}: a port with TLS needs rediss://`;
  }
  const explanation = EXPLANATIONS.find(([pattern]) => pattern.test(why))?.[1];
  return explanation === undefined ? why : `${why}: ${explanation}`;
}

const ERROR_CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/**
 * Describes an error of the store for logs: the code of a system error or of a Redis error reply, the timeout, or else the
 * class of the error. Never includes other text, because servers and libraries may quote a password.
 */
export function storeErrorText(error: unknown): string {
  if (!(error instanceof Error)) {
    return "an unknown error";
  }
  if (error.name === "TimeoutError") {
    return error.message;
  }
  if ("code" in error && typeof error.code === "string" && ERROR_CODE.test(error.code)) {
    return error.code;
  }
  const [reply = ""] = error.message.split(" ", 1);
  return error instanceof ErrorReply && ERROR_CODE.test(reply)
    ? `it returned ${reply}`
    : error.constructor.name;
}
