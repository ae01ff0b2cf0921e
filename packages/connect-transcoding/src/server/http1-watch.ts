import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionWatch } from "./connections.js";

/** Timeouts of an HTTP/1.1 connection in milliseconds. */
export interface Http1WatchTimes {
  /** Time without a request. */
  readonly idleTimeout: number;
  /** Time until the headers of a request must be complete. */
  readonly headersTimeout: number;
  /** Time until a request must be complete, and in which the client must read part of the response. */
  readonly requestTimeout: number;
}

/** The maximum number of requests that wait for earlier responses. */
const MAX_PIPELINED = 128;

/**
 * Closes a connection of `node:http` that is idle, whose request is incomplete for too long, or whose client does not read the
 * response. The timeouts of `node:http` itself need a server that listens.
 */
export class Http1Watch implements ConnectionWatch {
  /** The response to the latest request, while it may be in progress. */
  #latest: ServerResponse | undefined;
  /** The response to the request before, if it was in progress when the latest arrived. */
  #previous: ServerResponse | undefined;
  /** The number of requests that wait for earlier responses. */
  #pipelined = 0;
  readonly #socket: Socket;
  readonly #times: Http1WatchTimes;
  readonly #onIncomplete: () => void;
  /** Bytes read and written as of the latest check. */
  #bytes = -1;
  #idleSince: number | undefined;
  /** Since when there is no request, regardless of other data. */
  #unusedSince: number | undefined;
  /** Since when the latest request is incomplete. */
  #receivingSince: number | undefined;
  #unsent = 0;
  #stalledSince = 0;

  /**
   * @param socket carries HTTP: the TLS socket, or the connection itself
   * @param onIncomplete called at each check while the latest request has been incomplete for too long; must close the connection
   */
  constructor(socket: Socket, times: Http1WatchTimes, onIncomplete: () => void) {
    this.#socket = socket;
    this.#times = times;
    this.#onIncomplete = onIncomplete;
  }

  /**
   * Called with each request. Closes the connection and returns false if too many requests wait for responses: `node:http`
   * parses everything that one read returns at once, and blocks other connections meanwhile.
   */
  onRequest(response: ServerResponse): boolean {
    this.#previous = this.latest;
    this.#pipelined = this.#previous === undefined ? 0 : this.#pipelined + 1;
    this.#latest = response;
    this.#unusedSince = undefined;
    if (this.#pipelined < MAX_PIPELINED) {
      return true;
    }
    this.#socket.destroy();
    return false;
  }

  check(now: number): void {
    if (this.#isStalled(now) || this.#isIdle(now)) {
      this.#socket.destroy();
    } else if (this.#isIncomplete(now)) {
      this.#onIncomplete();
    }
  }

  #isIncomplete(now: number): boolean {
    if (!this.isReceiving) {
      this.#receivingSince = undefined;
      return false;
    }
    this.#receivingSince ??= now;
    return now - this.#receivingSince >= this.#times.requestTimeout;
  }

  #isStalled(now: number): boolean {
    const unsent = this.#socket.writableLength;
    if (unsent === 0 || unsent !== this.#unsent) {
      this.#unsent = unsent;
      this.#stalledSince = now;
      return false;
    }
    return now - this.#stalledSince >= this.#times.requestTimeout;
  }

  get idleSince(): number | undefined {
    return this.#hasRequest() || this.#bytesMoved() !== this.#bytes ? undefined : this.#idleSince;
  }

  #isIdle(now: number): boolean {
    const { idleTimeout, headersTimeout } = this.#times;
    const bytes = this.#bytesMoved();
    if (this.#hasRequest()) {
      this.#idleSince = undefined;
      this.#unusedSince = undefined;
    } else {
      this.#unusedSince ??= now;
      if (bytes !== this.#bytes || this.#idleSince === undefined) {
        this.#idleSince = now;
      }
    }
    this.#bytes = bytes;
    // Data can be part of the next request, but only until `headersTimeout`: empty lines are not a request.
    return (
      now - (this.#idleSince ?? now) >= idleTimeout ||
      now - (this.#unusedSince ?? now) >= idleTimeout + headersTimeout
    );
  }

  /** The response to the latest request, unless both are complete. */
  get latest(): ServerResponse | undefined {
    const latest = this.#latest;
    if ((latest?.closed === true || latest?.writableFinished === true) && latest.req.complete) {
      this.#latest = undefined;
    }
    return this.#latest;
  }

  /** The response to the request before the latest, while it is in progress. */
  get previous(): ServerResponse | undefined {
    return this.#previous?.closed === false ? this.#previous : undefined;
  }

  /** Whether the latest request is incomplete; it may have its response already. */
  get isReceiving(): boolean {
    return this.#latest?.req.complete === false;
  }

  #hasRequest(): boolean {
    return this.latest !== undefined;
  }

  #bytesMoved(): number {
    return this.#socket.bytesRead + this.#socket.bytesWritten;
  }
}
