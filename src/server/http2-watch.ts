import {
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import type { ConnectionWatch } from "./connections.js";
import { ResetBudget } from "./reset-budget.js";
import { unsentOctets } from "./unsent-octets.js";

/** How long an HTTP/2 connection and its streams may be of no use, in milliseconds. */
export interface Http2Times {
  /** Until the caller's part of the preface has come, and until a header section is complete. */
  readonly headersTimeout: number;
  /** Until a request has come in, and how long a caller may leave an answer lying without taking any of it. */
  readonly requestTimeout: number;
  /** How long there may be no stream, and how long nothing may come while there are some before the caller is asked. */
  readonly idleTimeout: number;
  /** How long a caller has to answer when it is asked, or to go when it is told to. */
  readonly pingTimeout: number;
  /** Whether a request may go on for longer than that. */
  readonly isOpenEnded: (headers: IncomingHttpHeaders) => boolean;
}

interface OpenStream {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** When a look found it first; nothing asks for the time when a stream opens. */
  seenAt: number | undefined;
  /** Octets of the answer that wait to be sent, and since when it has been so many. */
  unsent: number;
  unsentSince: number;
}

/** What may be written in passing while nothing of an answer is: PINGs, SETTINGS and their like, in octets. */
const INCIDENTAL_OCTETS = 1024;
/** How many streams that have closed are kept at most. */
const MAX_CLOSED = 64;
/**
 * How many times as long an answer may lie that its caller takes nothing of, as long as something else goes out: another
 * answer, or what the caller has sent for by PINGs.
 */
const PATIENCE_WHILE_MOVING = 4;

/** Looks after an HTTP/2 connection: everything that must not take for ever, and what Node's sessions count for ever. */
export class Http2Watch implements ConnectionWatch {
  readonly #session: ServerHttp2Session;
  readonly #socket: Socket;
  readonly #times: Http2Times;
  /** Those that are open, and some that have closed since they were sorted out, which is cheaper than to find each. */
  #streams: OpenStream[] = [];
  /** With how many of them that is done next. */
  #sortOutAt = MAX_CLOSED;
  readonly #budget = new ResetBudget();
  readonly #onStreamClose: (this: ServerHttp2Stream) => void;
  #isReady = false;
  #openedAt: number | undefined;
  #latestId = 0;
  /** The latest stream when there was none open at the latest look, and since when that has been so. */
  #idleAfter = -1;
  #idleSince: number | undefined;
  #octetsRead = 0;
  #silentSince = 0;
  #askedAt: number | undefined;
  #octetsWritten = 0;
  #stalledSince = 0;
  #toldToGoAt: number | undefined;

  /** `socket` is that of the system, also where TLS is spoken over it. */
  constructor(session: ServerHttp2Session, socket: Socket, times: Http2Times) {
    this.#session = session;
    this.#socket = socket;
    this.#times = times;
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

  /** Whether the caller's part of the preface has come. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get idleSince(): number | undefined {
    return this.#latestId === this.#idleAfter ? this.#idleSince : undefined;
  }

  /** The connection has a stream. */
  onStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    this.#latestId = stream.id ?? this.#latestId;
    this.#streams.push({ stream, headers, seenAt: undefined, unsent: 0, unsentSince: 0 });
    stream.on("close", this.#onStreamClose);
    if (this.#streams.length >= this.#sortOutAt) {
      this.#sortOut();
    }
  }

  look(now: number): void {
    this.#openedAt ??= now;
    this.#budget.refill(now);
    this.#sortOut();
    if (this.#isLost(now)) {
      this.#socket.destroy();
    } else if (this.#session.closed) {
      this.#toldToGoAt ??= now;
      this.#lookAtStreams(now);
    } else if (this.#isIdle(now)) {
      this.#tellToGo(now);
    } else {
      this.#lookAtStreams(now);
    }
  }

  /** Whether the caller never began, or does not go, or gives no sign of life. */
  #isLost(now: number): boolean {
    const { headersTimeout, pingTimeout } = this.#times;
    if (!this.#isReady && now - (this.#openedAt ?? now) >= headersTimeout) {
      return true;
    }
    if (this.#streams.length === 0 && now - (this.#toldToGoAt ?? now) >= pingTimeout) {
      return true;
    }
    const { bytesRead } = this.#socket;
    if (bytesRead !== this.#octetsRead) {
      this.#octetsRead = bytesRead;
      this.#silentSince = now;
    }
    if (this.#askedAt !== undefined) {
      return now - this.#askedAt >= pingTimeout;
    }
    const silentFor = now - this.#silentSince;
    if (this.#isReady && silentFor >= this.#patience(silentFor)) {
      this.#ask(now);
    }
    return false;
  }

  /**
   * How long the connection may be silent before its caller is asked for a sign of life. Where nghttp2 knows of a stream
   * that no handler has been told of, its header section may be incomplete; amid one, no answer to a PING may come (RFC 9113,
   * section 4.3), so that to ask ends such a connection, whichever way its caller takes it.
   */
  #patience(silentFor: number): number {
    const { headersTimeout, idleTimeout } = this.#times;
    if (this.#streams.length > 0 || silentFor < headersTimeout) {
      return this.#streams.length > 0 ? idleTimeout : Number.POSITIVE_INFINITY;
    }
    const { lastProcStreamID = 0 } = this.#session.state;
    if (lastProcStreamID <= this.#latestId) {
      return Number.POSITIVE_INFINITY;
    }
    this.#latestId = lastProcStreamID;
    return headersTimeout;
  }

  #ask(now: number): void {
    if (this.#session.closed) {
      return;
    }
    this.#askedAt = now;
    // It is refused when too many are under way, which cannot be, and fails when the session ends.
    this.#session.ping((error) => {
      if (error === null) {
        this.#askedAt = undefined;
      }
    });
  }

  /** PINGs and the like are no use of a connection: streams alone count. */
  #isIdle(now: number): boolean {
    if (this.#streams.length > 0) {
      this.#idleSince = undefined;
      return false;
    }
    if (this.#idleSince === undefined || this.#idleAfter !== this.#latestId) {
      this.#idleAfter = this.#latestId;
      this.#idleSince = now;
    }
    return now - this.#idleSince >= this.#times.idleTimeout;
  }

  #tellToGo(now: number): void {
    this.#toldToGoAt ??= now;
    this.#session.close();
  }

  #lookAtStreams(now: number): void {
    const { requestTimeout, isOpenEnded } = this.#times;
    const stallTimeout = this.#isStalled(now) ? requestTimeout : PATIENCE_WHILE_MOVING * requestTimeout;
    for (const open of this.#streams) {
      const { stream, headers } = open;
      open.seenAt ??= now;
      if (stream.writableLength === 0 || stream.writableLength !== open.unsent) {
        open.unsent = stream.writableLength;
        open.unsentSince = now;
      }
      const isOverdue = now - open.seenAt >= requestTimeout && isComing(stream) && !isOpenEnded(headers);
      if (isOverdue || now - open.unsentSince >= stallTimeout) {
        stream.close(constants.NGHTTP2_CANCEL);
      }
    }
  }

  /** Whether nothing of any answer has gone out for as long as callers may leave them lying. */
  #isStalled(now: number): boolean {
    const written = this.#socket.bytesWritten - unsentOctets(this.#socket);
    if (written > this.#octetsWritten + INCIDENTAL_OCTETS) {
      this.#octetsWritten = written;
      this.#stalledSince = now;
    }
    return now - this.#stalledSince >= this.#times.requestTimeout;
  }

  /** Forgets streams that have closed. */
  #sortOut(): void {
    this.#streams = this.#streams.filter(({ stream }) => !stream.destroyed);
    this.#sortOutAt = this.#streams.length + MAX_CLOSED;
  }

  /**
   * When too many streams were reset, the connection is done with once the others have ended, before Node refuses streams on
   * it or cuts it.
   */
  #onReset(stream: ServerHttp2Stream): void {
    // Later nothing tells any more how much of the answer was left.
    this.#budget.spend(stream.writableLength);
    if (this.#budget.isSpent && !this.#session.closed && !this.#session.destroyed) {
      this.#session.close();
    }
  }
}

/** Whether the end of a request has not come yet. */
function isComing(stream: ServerHttp2Stream): boolean {
  return !stream.endAfterHeaders && !stream.destroyed && stream.state.remoteClose === 0;
}
