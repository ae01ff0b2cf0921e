import type { ServerLimits } from "../options.js";

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

/** The state of a connection at a check. */
export interface Snapshot {
  readonly activity: Activity;
  /** The number of requests so far. */
  readonly requests: number;
  /** The number of bytes that the operating system has not accepted, and of those that it has. */
  readonly unsent: number;
  readonly sent: number;
  /** The number of bytes received. */
  readonly received: number;
  /** Whether the body is a stream of messages, which has no timeout. */
  readonly isOpenEnded: boolean;
  readonly isStopping: boolean;
}

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
  readonly #limits: Pick<ServerLimits, "headersTimeout" | "requestTimeout" | "idleTimeout">;

  constructor(limits: Pick<ServerLimits, "headersTimeout" | "requestTimeout" | "idleTimeout">) {
    this.#limits = limits;
  }

  /** Returns the activity whose timeout has expired; "output" if the client does not read. */
  check(snapshot: Snapshot, now: number): Activity | undefined {
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
    const { headersTimeout, requestTimeout, idleTimeout } = this.#limits;
    if (now - this.#sentAt >= requestTimeout) {
      return "output";
    }
    const { activity, isStopping } = snapshot;
    const elapsed = now - this.#since;
    const isQuiet = now - this.#receivedAt >= QUIET_TIME;
    const isExpired = {
      idle: elapsed >= idleTimeout,
      head: elapsed >= headersTimeout || (isStopping && isQuiet),
      body: !snapshot.isOpenEnded && (elapsed >= requestTimeout || (isStopping && isQuiet)),
      response: false,
      "half-closed response": elapsed >= HALF_CLOSED_TIMEOUT && snapshot.unsent === 0,
      output: false,
      end: elapsed >= LONGEST_LINGER || isQuiet,
    };
    return isExpired[activity] ? activity : undefined;
  }

  /** Since when the connection is idle, as of the latest check; undefined if it has been used since. */
  idleSince(snapshot: Snapshot): number | undefined {
    const latest = this.#latest;
    return latest !== undefined && snapshot.activity === "idle" && isSameState(latest, snapshot)
      ? this.#since
      : undefined;
  }
}

function isSameState(a: Snapshot, b: Snapshot): boolean {
  return a.activity === b.activity && a.requests === b.requests;
}
