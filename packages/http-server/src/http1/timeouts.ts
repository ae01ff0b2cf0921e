import type { BaseConnection } from "../core/base-connection.js";
import { ClientWatch } from "../core/client-watch.js";

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
  /**
   * The handler, which writes the response part by part, while further requests wait: they are not read, and so the server would
   * not notice that the client has disconnected.
   */
  | "blocking response"
  /** The client, which must read the response. */
  | "output"
  /** The end of the client's half, after the last response. */
  | "end";

/** What the timeouts need of their connection. */
export interface TimedConnection extends Pick<BaseConnection, "options" | "socket"> {
  /** What the connection waits for. */
  readonly activity: Activity;
  /** The number of requests that have begun. */
  readonly requests: number;
  /** Whether the body that is received is a stream of messages, which has no timeout. */
  readonly isOpenEnded: boolean;
}

/** The maximum time for which a closed connection is still read in milliseconds. */
const LONGEST_LINGER = 5_000;

/** The timeouts of one connection. */
export class Http1Timeouts {
  readonly #connection: TimedConnection;
  readonly #watch = new ClientWatch();
  /** The state at the latest check, and since when it is unchanged. */
  #activity: Activity | undefined;
  #requests = 0;
  #written = 0;
  #since = 0;

  constructor(connection: TimedConnection) {
    this.#connection = connection;
  }

  /** Returns the activity whose timeout has expired; "output" if the client does not read. */
  check(now: number): Activity | undefined {
    const { socket, options, activity, requests, isOpenEnded } = this.#connection;
    const { headersTimeout, requestTimeout, idleTimeout } = options;
    this.#watch.check(socket, now);
    if (!this.#isUnchanged()) {
      this.#activity = activity;
      this.#requests = requests;
      this.#written = socket.bytesWritten;
      this.#since = now;
    }
    if (this.#watch.isStuck(now, requestTimeout)) {
      return "output";
    }
    const elapsed = now - this.#since;
    const isQuiet = this.#watch.isQuiet(now);
    const hasGivenUp = isQuiet && options.isStopping();
    const isExpired = {
      idle: elapsed >= idleTimeout,
      head: elapsed >= headersTimeout || hasGivenUp,
      body: !isOpenEnded && (elapsed >= requestTimeout || hasGivenUp),
      response: false,
      "blocking response": elapsed >= requestTimeout,
      output: false,
      end: elapsed >= LONGEST_LINGER || isQuiet,
    };
    return isExpired[activity] ? activity : undefined;
  }

  /** Since when the connection is idle, as of the latest check; undefined if it has been used since. */
  get idleSince(): number | undefined {
    return this.#activity === "idle" && this.#isUnchanged() ? this.#since : undefined;
  }

  #isUnchanged(): boolean {
    const { activity, requests, socket } = this.#connection;
    return (
      this.#activity === activity &&
      this.#requests === requests &&
      (activity !== "blocking response" || this.#written === socket.bytesWritten)
    );
  }
}
