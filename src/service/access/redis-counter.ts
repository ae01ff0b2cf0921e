import { createClient } from "@redis/client";
import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Consumption } from "./limit-store.js";
import type { RateLimit } from "./rate-limit.js";

/** Counts in a Redis or Valkey server, over one connection that comes back by itself. */
export interface RedisCounter {
  /** Whether it is connected. */
  isReady(): boolean;
  /** Counts one request. Rejects at once while there is no connection, and when the connection ends before the answer. */
  count(key: string): Promise<Consumption>;
  /** Ends the connection for good. */
  close(): void;
}

export interface RedisCounterEvents {
  /** There is a connection. */
  onReady(): void;
  /** It failed, or could not be made; the next attempt is under way. */
  onError(error: unknown): void;
}

/** Counts that wait for their answer at the most; further ones are rejected. */
const MAX_PENDING = 10_000;

/** The longest time between two attempts to connect, in milliseconds. */
const MAX_RECONNECT_DELAY = 2_000;
const CONNECT_TIMEOUT = 2_000;

/**
 * A connection on which nothing moves is asked for a sign of life after two seconds, and given up after five: the other end
 * may have gone without a word.
 */
const PING_INTERVAL = 2_000;
const SOCKET_TIMEOUT = 5_000;

/** Begins to connect. Throws for a URL that is none of Redis, with an error that may quote it. */
export function redisCounter(
  url: string,
  { limit, window }: RateLimit,
  { onReady, onError }: RedisCounterEvents,
): RedisCounter {
  // The client takes sockets of the file system, too, and an absent host for this machine.
  if (!/^rediss?:$/.test(new URL(url).protocol) || new URL(url).hostname === "") {
    throw new TypeError("the URL is none of a Redis server");
  }
  let isClosed = false;
  const client = createClient({
    url,
    // What all servers know, old ones and stand-ins too. RESP 3 brings nothing here, and an old server quotes the password
    // in its answer to RESP 3's greeting.
    RESP: 2,
    maintNotifications: "disabled",
    disableClientInfo: true,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_PENDING,
    pingInterval: PING_INTERVAL,
    // The client's own time-out makes an AbortSignal for each command, and ends when the command is written.
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: CONNECT_TIMEOUT,
      socketTimeout: SOCKET_TIMEOUT,
      reconnectStrategy: reconnectDelay,
    },
  });
  client.on("error", onError);
  client.on("ready", () => {
    // A client that is destroyed while it connects would stay connected.
    if (isClosed) {
      client.destroy();
    } else {
      onReady();
    }
  });
  // All that can come of it is told by events.
  client.connect().catch(() => {});
  const limiter = new RateLimiterRedis({
    storeClient: client,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    // A count under another limit would not mean the same.
    keyPrefix: `utility-tools:limit:${limit}/${window}s`,
    points: limit,
    duration: window,
  });
  return {
    isReady: () => client.isReady,
    count: (key) => limiter.consume(key).then(readAnswer, readAnswer),
    close: () => {
      isClosed = true;
      client.destroy();
    },
  };
}

/** The limiter resolves with its answer below the limit, and rejects with it above. */
function readAnswer(answer: unknown): Consumption {
  if (!(answer instanceof RateLimiterRes)) {
    throw answer;
  }
  const { consumedPoints: count, msBeforeNext: resetMs } = answer;
  if (!Number.isSafeInteger(count) || !Number.isFinite(resetMs)) {
    throw new TypeError("the store's answer is not a count");
  }
  return { count, resetMs };
}

/** Twice as long each time, with up to a fifth more, so that replicas do not all come back at once. */
function reconnectDelay(retries: number): number {
  return Math.min(50 * 2 ** retries, MAX_RECONNECT_DELAY) * (1 + Math.random() / 5);
}
