import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionWatch } from "./connections.js";
import { unsentOctets } from "./http2-session.js";

/** How long an HTTP/1.1 connection may be of no use, in milliseconds. */
export interface Http1Times {
  readonly idleTimeout: number;
  /** How long the headers of a request may be on their way. */
  readonly headersTimeout: number;
  /** How long a caller may leave an answer lying without taking any of it. */
  readonly stallTimeout: number;
}

/** How many requests may come before the answers to those before them are out. */
const MAX_PIPELINED = 128;

/**
 * Looks after an HTTP/1.1 connection: ends it when nobody uses it, in the place of `keepAliveTimeout` of `node:http`, which
 * sets a timer anew for each request; and cuts it when its caller takes none of an answer. Requests that are slow to come
 * in are `node:http`'s business.
 */
export class Http1Watch implements ConnectionWatch {
  /** The response to the latest request, while that may be under way. */
  #latest: ServerResponse | undefined;
  /** How many requests came before the answers to those before them were out. */
  #pipelined = 0;
  readonly #socket: Socket;
  readonly #times: Http1Times;
  /** Octets that had moved either way at the latest look. */
  #octets = -1;
  #idleSince: number | undefined;
  /** Since when there has been no request, whatever else came. */
  #unusedSince: number | undefined;
  #unsent = 0;
  #stalledSince = 0;

  /** `socket` is that of the system, also where TLS is spoken over it. */
  constructor(socket: Socket, times: Http1Times) {
    this.#socket = socket;
    this.#times = times;
  }

  /**
   * The connection has a request. False when it is one too many behind others that are not answered yet: the connection is
   * cut, for `node:http` takes all of a read at once, and meanwhile nobody else's.
   */
  onRequest(response: ServerResponse): boolean {
    this.#pipelined = this.#hasRequest() ? this.#pipelined + 1 : 0;
    this.#latest = response;
    this.#unusedSince = undefined;
    if (this.#pipelined < MAX_PIPELINED) {
      return true;
    }
    this.#socket.destroy();
    return false;
  }

  look(now: number): void {
    if (this.#isStalled(now) || this.#isIdle(now)) {
      this.#socket.destroy();
    }
  }

  #isStalled(now: number): boolean {
    const unsent = unsentOctets(this.#socket);
    if (unsent === 0 || unsent !== this.#unsent) {
      this.#unsent = unsent;
      this.#stalledSince = now;
      return false;
    }
    return now - this.#stalledSince >= this.#times.stallTimeout;
  }

  get idleSince(): number | undefined {
    return this.#hasRequest() || this.#octetsMoved() !== this.#octets ? undefined : this.#idleSince;
  }

  #isIdle(now: number): boolean {
    const { idleTimeout, headersTimeout } = this.#times;
    const octets = this.#octetsMoved();
    if (this.#hasRequest()) {
      this.#idleSince = undefined;
      this.#unusedSince = undefined;
    } else {
      this.#unusedSince ??= now;
      if (octets !== this.#octets || this.#idleSince === undefined) {
        this.#idleSince = now;
      }
    }
    this.#octets = octets;
    // Octets may be those of the next request, but not for longer than its headers may take: empty lines are none.
    return (
      now - (this.#idleSince ?? now) >= idleTimeout ||
      now - (this.#unusedSince ?? now) >= idleTimeout + headersTimeout
    );
  }

  /** The response to the latest request, unless both are over. */
  get latest(): ServerResponse | undefined {
    const latest = this.#latest;
    if ((latest?.closed === true || latest?.writableFinished === true) && latest.req.complete) {
      this.#latest = undefined;
    }
    return this.#latest;
  }

  /** Whether the latest request has not come to its end, though it may have been answered. */
  get isReceiving(): boolean {
    return this.#latest?.req.complete === false;
  }

  #hasRequest(): boolean {
    return this.latest !== undefined;
  }

  #octetsMoved(): number {
    return this.#socket.bytesRead + this.#socket.bytesWritten;
  }
}
