/** What a connection waits for. */
export type Activity =
  /** A request. */
  | "idle"
  /** The rest of a head. */
  | "head"
  /** The rest of a body. */
  | "body"
  /** The handler. */
  | "response"
  /** The handler, but the client has closed its half of the connection, or has disconnected. */
  | "half-closed response"
  /** The client, which must read the response. */
  | "output"
  /** The end of the client's half, after the last response. */
  | "end";

/** Timeouts in milliseconds. */
export interface Http1Times {
  /** Time for the rest of a head. */
  readonly headersTimeout: number;
  /** Time for the rest of a body, and in which the client must read part of a response. */
  readonly requestTimeout: number;
  /** Time without a request. */
  readonly idleTimeout: number;
}

/** The state of a connection at a check. */
export interface Snapshot {
  readonly activity: Activity;
  /** The number of requests so far. */
  readonly requests: number;
  /** The number of bytes that the operating system has not accepted. */
  readonly unsent: number;
  /** The number of bytes that it has accepted. */
  readonly sent: number;
  /** The number of bytes received. */
  readonly received: number;
  /** Whether the body is a stream of messages, which has no timeout. */
  readonly isOpenEnded: boolean;
  /** Whether the server shuts down. */
  readonly isStopping: boolean;
}

/** Which timeout has expired; "output" if the client does not read. */
export type Expired = Exclude<Activity, "response"> | undefined;

/** Milliseconds until the response to a client that has closed its half must start. */
const HALF_CLOSED_TIMEOUT = 1_000;
/** Milliseconds without data after which a client has stopped sending: that of a closed connection, or of any at shutdown. */
const QUIET_TIME = 500;
/** The maximum time for which a closed connection is still read in milliseconds. */
const LONGEST_LINGER = 5_000;

/**
 * Measures how long a connection stays in a state. It compares snapshots, because a timer for every request would cost more
 * than the rest; a timeout takes effect up to one interval of the checks late.
 */
export class Stopwatch {
  #latest: Snapshot | undefined;
  /** Since when activity and requests are unchanged. */
  #since = 0;
  #sentAt = 0;
  #receivedAt = 0;
  readonly #times: Http1Times;

  constructor(times: Http1Times) {
    this.#times = times;
  }

  /** Returns which timeout has expired. */
  check(snapshot: Snapshot, now: number): Expired {
    const latest = this.#latest;
    this.#latest = snapshot;
    if (latest === undefined || !isSameState(latest, snapshot)) {
      this.#since = now;
    }
    if (snapshot.unsent === 0 || snapshot.sent !== latest?.sent) {
      this.#sentAt = now;
    }
    if (snapshot.received !== latest?.received) {
      this.#receivedAt = now;
    }
    return now - this.#sentAt >= this.#times.requestTimeout ? "output" : this.#expired(snapshot, now);
  }

  /** Since when the connection is idle, as of the latest check; undefined if it has been used since. */
  idleSince(snapshot: Snapshot): number | undefined {
    const latest = this.#latest;
    return latest !== undefined && snapshot.activity === "idle" && isSameState(latest, snapshot)
      ? this.#since
      : undefined;
  }

  #expired({ activity, unsent, isOpenEnded, isStopping }: Snapshot, now: number): Expired {
    const { headersTimeout, requestTimeout, idleTimeout } = this.#times;
    const elapsed = now - this.#since;
    const isQuiet = isStopping && now - this.#receivedAt >= QUIET_TIME;
    switch (activity) {
      case "idle":
        return elapsed >= idleTimeout ? activity : undefined;
      case "head":
        return elapsed >= headersTimeout || isQuiet ? activity : undefined;
      case "body":
        return !isOpenEnded && (elapsed >= requestTimeout || isQuiet) ? activity : undefined;
      case "half-closed response":
        return elapsed >= HALF_CLOSED_TIMEOUT && unsent === 0 ? activity : undefined;
      case "end":
        return elapsed >= LONGEST_LINGER || now - this.#receivedAt >= QUIET_TIME ? activity : undefined;
      default:
        return undefined;
    }
  }
}

function isSameState(a: Snapshot, b: Snapshot): boolean {
  return a.activity === b.activity && a.requests === b.requests;
}
