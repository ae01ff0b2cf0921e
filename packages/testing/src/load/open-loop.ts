import { percentile } from "../statistics.js";
import type { Answer, Connection, ConnectionOptions, Listener } from "./connection.js";
import { connectHttp1 } from "./http1.js";
import { connectHttp2 } from "./http2.js";
import type { Encoded } from "./workload.js";

export interface Outcome {
  /** Why it failed. Undefined if the response was correct. */
  readonly failure: string | undefined;
  /** Whether it was retried, which HTTP permits if the server has not, or most likely not, read the request. */
  readonly isRetried: boolean;
  /** The local port of the connection, if known. */
  readonly localPort: number | undefined;
  /** The response. Undefined if there was none. */
  readonly answer?: Answer | undefined;
}

export interface LoadClient {
  /** How many of the requests it sends, in relation to other clients. A whole number, by default 1. */
  readonly share?: number;
  /** Sends the next request. Never rejects. */
  send(): Promise<Outcome>;
  close(): void;
}

export interface ClientOptions extends ConnectionOptions {
  /** Whether requests are retried where HTTP permits it. */
  readonly retries?: boolean;
  /** The timeout of a response, in milliseconds. */
  readonly deadline?: number;
  /** The index of the first request. Default: 0. */
  readonly first?: number;
}

/** A failed request, with the times of sending and failure (`performance.now`). */
export interface Failed extends Outcome {
  readonly protocol: string;
  readonly sentAt: number;
  readonly failedAt: number;
}

/** The result of a load test. Times are in milliseconds. */
export interface LoadResult {
  readonly requests: number;
  /** Sent requests per second. */
  readonly rate: number;
  readonly retried: number;
  readonly failed: readonly Failed[];
  readonly p99: number;
  readonly worst: number;
}

/** The interval at which due requests are sent, in milliseconds. */
const TICK = 2;
/** A prime number, which mixes the turns of clients with different shares. */
const STRIDE = 617;
/** Streams of a connection of HTTP/2, unless the server allows fewer. */
const MAX_STREAMS = 100;

/**
 * Sends requests at a fixed rate, independent of responses, by clients in turn, until `work` completes. Resolves after the last
 * response.
 */
export async function load(
  clients: Readonly<Record<string, LoadClient>>,
  rate: number,
  work: () => Promise<void>,
): Promise<LoadResult> {
  const turns = Object.entries(clients).flatMap((each) => Array<typeof each>(each[1].share ?? 1).fill(each));
  const durations: number[] = [];
  const failed: Failed[] = [];
  const pending = new Set<Promise<void>>();
  let sent = 0;
  let retried = 0;
  const start = performance.now();
  const send = async ([protocol, client]: readonly [string, LoadClient]): Promise<void> => {
    const sentAt = performance.now();
    const outcome = await client.send();
    const failedAt = performance.now();
    durations.push(failedAt - sentAt);
    retried += outcome.isRetried ? 1 : 0;
    if (outcome.failure !== undefined) {
      failed.push({ ...outcome, protocol, sentAt, failedAt });
    }
  };
  const ticks = setInterval(() => {
    for (const due = ((performance.now() - start) * rate) / 1000 - 1; sent < due; sent++) {
      const turn = turns[(sent * STRIDE) % turns.length];
      if (turn !== undefined) {
        const response = send(turn).finally(() => pending.delete(response));
        pending.add(response);
      }
    }
  }, TICK);
  try {
    await work();
  } finally {
    clearInterval(ticks);
  }
  const seconds = (performance.now() - start) / 1000;
  await Promise.all(pending);
  for (const client of Object.values(clients)) {
    client.close();
  }
  const sorted = durations.toSorted((a, b) => a - b);
  const [p99, worst] = [percentile(sorted, 0.99), percentile(sorted, 1)];
  return { requests: sent, rate: sent / seconds, retried, failed, p99, worst };
}

/** A pending request. */
interface Job {
  readonly index: number;
  readonly end: (failure: string | undefined, localPort: number | undefined, answer?: Answer) => void;
  isRetried: boolean;
  isOver: boolean;
  connection: Connection<Job> | undefined;
  /** The new connection of a request that is sent again. */
  fresh: Connection<Job> | undefined;
}

/**
 * Sends requests in turn on persistent connections. One on a connection that the server closed as idle, or that the server
 * rejected without reading it, is retried once (RFC 9110, section 9.2.2; RFC 9113, section 8.7), as in every client library. After a
 * GOAWAY, a new connection replaces the old one.
 *
 * @param isRight whether a response to the request at an index is correct
 */
export function createClient(
  address: string,
  encoded: Encoded,
  isRight: (index: number, answer: Answer) => boolean,
  connections: number,
  { retries = true, deadline = 5_000, first = 0, ...options }: ClientOptions = {},
): LoadClient {
  const url = new URL(address);
  const pool: (Connection<Job> | undefined)[] = Array.from({ length: connections }, () => undefined);
  const all = new Set<Connection<Job>>();
  const waiting: Job[] = [];
  let sent = first;
  let dispatched = 0;

  function open(): Connection<Job> {
    const listener: Listener<Job> = {
      answered: (job, answer) => {
        const { status, grpcStatus } = answer;
        const failure = `HTTP ${status}${grpcStatus === undefined ? "" : `, grpc-status ${grpcStatus}`}`;
        job.end(isRight(job.index, answer) ? undefined : failure, connection.localPort(), answer);
      },
      lost: (job, problem, isUnread) => {
        if (isUnread && retries && !job.isRetried && !job.isOver) {
          job.isRetried = true;
          waiting.push(job);
        } else {
          job.end(problem, connection.localPort());
        }
      },
      idle: () => {
        isUsable = true;
        dispatch();
      },
      closed: (problem) => {
        all.delete(connection);
        const slot = pool.indexOf(connection);
        if (slot >= 0) {
          pool[slot] = undefined;
        }
        // Those that wait for a server that does not listen would do so again and again.
        for (const job of isUsable ? [] : waiting.splice(0)) {
          job.end(problem, undefined);
        }
        dispatch();
      },
    };
    let isUsable = encoded.http === 1;
    const connection =
      encoded.http === 1
        ? connectHttp1(url, encoded, listener, options)
        : connectHttp2(url, encoded, listener, options, MAX_STREAMS);
    all.add(connection);
    return connection;
  }

  /** Returns a connection with room: of HTTP/1.1 an open one, of HTTP/2 the next one, and for a retry always a new one. */
  function choose(job: Job): Connection<Job> | undefined {
    const free = encoded.http === 1 ? pool.find((each) => each !== undefined && each.room() > 0) : undefined;
    if (free !== undefined && !job.isRetried) {
      return free;
    }
    const isEmpty = (each: Connection<Job> | undefined) => each === undefined || !each.isOpen();
    const slot = encoded.http === 1 ? pool.findIndex(isEmpty) : dispatched++ % connections;
    if (slot === -1) {
      return free;
    }
    const known = pool[slot];
    // Other connections may be about to receive a GOAWAY, and this one stays for the requests that it has.
    job.fresh ??= job.isRetried ? open() : undefined;
    const next = job.fresh ?? (known === undefined || isEmpty(known) ? open() : known);
    pool[slot] = next;
    return next.room() > 0 ? next : undefined;
  }

  function dispatch(): void {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      if (job.isOver) {
        continue;
      }
      const connection = choose(job);
      if (connection === undefined) {
        waiting.unshift(job);
        return;
      }
      job.connection = connection;
      connection.send(job.index, job);
    }
  }

  return {
    send: () =>
      new Promise<Outcome>((resolve) => {
        // The connection waits for the response: a new one would cost a busy server more.
        const timer = setTimeout(() => job.end("deadline", job.connection?.localPort()), deadline);
        const job: Job = {
          index: sent++ % encoded.requests.length,
          isRetried: false,
          isOver: false,
          connection: undefined,
          fresh: undefined,
          end: (failure, localPort, answer) => {
            if (!job.isOver) {
              job.isOver = true;
              clearTimeout(timer);
              resolve({ failure, isRetried: job.isRetried, localPort, answer });
            }
          },
        };
        waiting.push(job);
        dispatch();
      }),
    close: () => {
      for (const connection of all) {
        connection.destroy();
      }
    },
  };
}
