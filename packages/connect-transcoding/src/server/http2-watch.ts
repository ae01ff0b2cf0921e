import {
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import type { ConnectionWatch } from "./connections.js";
import { ResetBudget, sendShutdownNotice, sessionEnd, unsentBytes } from "./http2-session.js";

/** Timeouts of an HTTP/2 connection in milliseconds. */
export interface Http2Times extends StreamTimes {
  /** Time until the preface of the client, and then each header section, must be complete. */
  readonly headersTimeout: number;
  /** Time without a stream until the session closes, and without data, if there are streams, until a PING is sent. */
  readonly idleTimeout: number;
  /** Time until the client must acknowledge a PING, or close a connection after a GOAWAY. */
  readonly pingTimeout: number;
}

/** Bytes that are written without any part of a response: PINGs, SETTINGS and the like. */
const CONTROL_BYTES = 1024;
/**
 * The factor by which the timeout of a response that the client does not read is longer while the client reads other data:
 * another response, or acknowledgments of PINGs.
 */
const STALL_FACTOR = 4;

/** Enforces the timeouts of an HTTP/2 connection, and the limits of what a session of Node counts forever. */
export class Http2Watch implements ConnectionWatch {
  readonly #session: ServerHttp2Session;
  readonly #socket: Socket;
  readonly #times: Http2Times;
  readonly #streams = new OpenStreams();
  readonly #budget = new ResetBudget();
  readonly #hasFailed: () => boolean;
  readonly #onStreamClose: (this: ServerHttp2Stream) => void;
  #isReady = false;
  #openedAt: number | undefined;
  #latestId = 0;
  /** The ID of the latest stream when the connection became idle, and the time of the check that found it so. */
  #idleAfter = -1;
  #idleSince: number | undefined;
  #bytesRead = 0;
  #quietSince = 0;
  #pingedAt: number | undefined;
  #bytesWritten = 0;
  #stalledSince = 0;
  #closedAt: number | undefined;

  /** `socket` is the TCP connection, also with TLS. */
  constructor(session: ServerHttp2Session, socket: Socket, times: Http2Times) {
    this.#session = session;
    this.#socket = socket;
    this.#times = times;
    this.#hasFailed = sessionEnd(session);
    const onReset = (stream: ServerHttp2Stream): void => this.#onReset(stream);
    this.#onStreamClose = function () {
      if (this.rstCode !== constants.NGHTTP2_NO_ERROR) {
        onReset(this);
      }
    };
    session.once("remoteSettings", () => {
      this.#isReady = true;
    });
  }

  /** Whether the preface of the client is complete. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get idleSince(): number | undefined {
    return this.#latestId === this.#idleAfter ? this.#idleSince : undefined;
  }

  /** Called with each new stream. */
  onStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    this.#latestId = stream.id ?? this.#latestId;
    this.#streams.add(stream, headers);
    stream.on("close", this.#onStreamClose);
  }

  check(now: number): void {
    this.#openedAt ??= now;
    this.#budget.refill(now);
    this.#streams.removeClosed();
    if (
      this.#hasFailed() ||
      this.#isMissingPreface(now) ||
      this.#isSlowToClose(now) ||
      this.#isUnresponsive(now)
    ) {
      this.#socket.destroy();
    } else if (this.#isIdle(now)) {
      this.#session.close();
    } else {
      const { requestTimeout } = this.#times;
      const isStalled = this.#isStalled(now);
      this.#streams.check(now, this.#times, isStalled ? requestTimeout : STALL_FACTOR * requestTimeout);
    }
  }

  #isMissingPreface(now: number): boolean {
    return !this.#isReady && now - (this.#openedAt ?? now) >= this.#times.headersTimeout;
  }

  /** Whether the client keeps the connection open after a GOAWAY, without streams. */
  #isSlowToClose(now: number): boolean {
    if (!this.#isClosed || !this.#streams.isEmpty) {
      return false;
    }
    this.#closedAt ??= now;
    return now - this.#closedAt >= this.#times.pingTimeout;
  }

  /** Whether the client does not acknowledge a PING, which is sent when no data arrives. */
  #isUnresponsive(now: number): boolean {
    const { idleTimeout, pingTimeout } = this.#times;
    const { bytesRead } = this.#socket;
    if (bytesRead !== this.#bytesRead) {
      this.#bytesRead = bytesRead;
      this.#quietSince = now;
    }
    const quietFor = now - this.#quietSince;
    if (this.#isClosed) {
      // Node sends no PING on a closed session.
      return quietFor >= idleTimeout + pingTimeout;
    }
    if (this.#pingedAt !== undefined) {
      return now - this.#pingedAt >= pingTimeout;
    }
    if (
      this.#isReady &&
      (this.#streams.isEmpty ? this.#hasIncompleteHeaders(quietFor) : quietFor >= idleTimeout)
    ) {
      this.#ping(now);
    }
    return false;
  }

  /**
   * Whether nghttp2 has a stream that has not reached a handler in time: its header section may be incomplete. Inside a header
   * section the client must not acknowledge a PING (RFC 9113, section 4.3), so that sending one ends the connection either
   * way.
   */
  #hasIncompleteHeaders(quietFor: number): boolean {
    if (quietFor < this.#times.headersTimeout) {
      return false;
    }
    const { lastProcStreamID = 0 } = this.#session.state;
    const isUnknown = lastProcStreamID > this.#latestId;
    // The stream may have been rejected: this sends one PING only.
    this.#latestId = Math.max(lastProcStreamID, this.#latestId);
    return isUnknown;
  }

  #ping(now: number): void {
    this.#pingedAt = now;
    // Fails only when the session ends.
    this.#session.ping((error) => {
      if (error === null) {
        this.#pingedAt = undefined;
      }
    });
  }

  /** Whether the session accepts no more streams; its connection may still be open. */
  get #isClosed(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  /** Whether there is no stream for too long; PINGs and the like do not count. */
  #isIdle(now: number): boolean {
    if (!this.#streams.isEmpty) {
      this.#idleSince = undefined;
      return false;
    }
    if (this.#idleSince === undefined || this.#idleAfter !== this.#latestId) {
      this.#idleAfter = this.#latestId;
      this.#idleSince = now;
    }
    return now - this.#idleSince >= this.#times.idleTimeout;
  }

  /** Whether no part of any response was sent within `requestTimeout`. */
  #isStalled(now: number): boolean {
    const written = this.#socket.bytesWritten - unsentBytes(this.#socket);
    if (written > this.#bytesWritten + CONTROL_BYTES) {
      this.#bytesWritten = written;
      this.#stalledSince = now;
    }
    return now - this.#stalledSince >= this.#times.requestTimeout;
  }

  /**
   * Closes the session gracefully after too many resets, before Node rejects streams on it or nghttp2 ends it.
   */
  #onReset(stream: ServerHttp2Stream): void {
    // The number of unsent bytes is not available later.
    this.#budget.spend(stream.writableLength);
    if (this.#budget.isSpent && !this.#isClosed) {
      this.#session.close();
    }
  }
}

/** The HTTP/2 connections of a port. */
export interface Http2Watches {
  /** Adds a new session. `socket` is the TCP connection. */
  add(session: ServerHttp2Session, socket: Socket): Http2Watch;
  /** Called with each new stream of a session. */
  onStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void;
  /**
   * Does the next step of a graceful shutdown each time it is called. Sends a first GOAWAY to clients without one, and still
   * accepts their streams. `linger` milliseconds later, the session accepts no more streams, and its connection closes after
   * the last one. `now` is in milliseconds.
   */
  shutDown(now: number, linger: number): void;
}

/** A session and the state of its shutdown. */
interface Session {
  readonly watch: Http2Watch;
  readonly socket: Socket;
  /** When the shutdown of the session began. */
  shutdownAt: number | undefined;
  /** When the first GOAWAY was sent. */
  noticeSentAt: number | undefined;
}

/** Creates the watches of HTTP/2 connections. With TLS, the first GOAWAY of a shutdown cannot be sent. */
export function createHttp2Watches(times: Http2Times, isTls: boolean): Http2Watches {
  const sessions = new Map<ServerHttp2Session, Session>();

  function shutDownSession(session: ServerHttp2Session, state: Session, now: number, linger: number): void {
    state.shutdownAt ??= now;
    if (
      state.noticeSentAt === undefined &&
      !isTls &&
      state.watch.isReady &&
      sendShutdownNotice(state.socket)
    ) {
      state.noticeSentAt = now;
    }
    // A client that does not read, so that nothing can be sent, gets no more time.
    if (now - (state.noticeSentAt ?? state.shutdownAt) >= linger && !session.closed) {
      session.close();
    }
  }

  return {
    add: (session, socket) => {
      const watch = new Http2Watch(session, socket, times);
      sessions.set(session, { watch, socket, shutdownAt: undefined, noticeSentAt: undefined });
      session.once("close", () => sessions.delete(session));
      return watch;
    },
    onStream: (stream, headers) => {
      const session: unknown = stream.session;
      sessions.get(session as ServerHttp2Session)?.watch.onStream(stream, headers);
    },
    shutDown: (now, linger) => {
      for (const [session, state] of sessions) {
        shutDownSession(session, state, now, linger);
      }
    },
  };
}

/** Timeouts of the streams of a connection in milliseconds. */
export interface StreamTimes {
  /** Time until a request must be complete. */
  readonly requestTimeout: number;
  /** Whether a request may take longer. */
  readonly isOpenEnded: (headers: IncomingHttpHeaders) => boolean;
}

interface OpenStream {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** The time of the first check; reading the clock for every stream would be slower. */
  seenAt: number | undefined;
  /** Unsent bytes of the response, and since when the number has not changed. */
  unsent: number;
  unsentSince: number;
}

/** The number of closed streams to keep before they are removed. */
const MAX_CLOSED = 64;

/** The streams of an HTTP/2 connection. Closed ones are removed in batches, which is cheaper than one by one. */
class OpenStreams {
  #streams: OpenStream[] = [];
  /** The number of streams at which closed ones are removed next. */
  #removeAt = MAX_CLOSED;

  /** Adds a new stream. */
  add(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    this.#streams.push({ stream, headers, seenAt: undefined, unsent: 0, unsentSince: 0 });
    if (this.#streams.length >= this.#removeAt) {
      this.removeClosed();
    }
  }

  /** Removes closed streams. */
  removeClosed(): void {
    this.#streams = this.#streams.filter(({ stream }) => !stream.destroyed);
    this.#removeAt = this.#streams.length + MAX_CLOSED;
  }

  /** Whether there are no streams, as of the latest `removeClosed`. */
  get isEmpty(): boolean {
    return this.#streams.length === 0;
  }

  /**
   * Resets streams whose request is not complete in time, and those with a response of which nothing was sent for
   * `stallTimeout` milliseconds.
   */
  check(now: number, { requestTimeout, isOpenEnded }: StreamTimes, stallTimeout: number): void {
    for (const open of this.#streams) {
      const { stream, headers } = open;
      open.seenAt ??= now;
      if (stream.writableLength === 0 || stream.writableLength !== open.unsent) {
        open.unsent = stream.writableLength;
        open.unsentSince = now;
      }
      const isOverdue = now - open.seenAt >= requestTimeout && isIncomplete(stream) && !isOpenEnded(headers);
      if (isOverdue || now - open.unsentSince >= stallTimeout) {
        stream.close(constants.NGHTTP2_CANCEL);
      }
    }
  }
}

/** Whether the end of a request has not arrived yet. */
function isIncomplete(stream: ServerHttp2Stream): boolean {
  return !stream.endAfterHeaders && !stream.destroyed && stream.state.remoteClose === 0;
}
