import {
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import type { ConnectionWatch } from "./connections.js";
import { ResetBudget, sendShutdownNotice, sessionEnd, unsentOctets } from "./http2-session.js";

/** How long an HTTP/2 connection and its streams may be of no use, in milliseconds. */
export interface Http2Times extends StreamTimes {
  /** Until the caller's part of the preface has come, and until a header section is complete. */
  readonly headersTimeout: number;
  /** How long there may be no stream, and how long nothing may come while there are some before the caller is asked. */
  readonly idleTimeout: number;
  /** How long a caller has to answer when it is asked, or to go when it is told to. */
  readonly pingTimeout: number;
}

/** What may be written in passing while nothing of an answer is: PINGs, SETTINGS and their like, in octets. */
const INCIDENTAL_OCTETS = 1024;
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
  readonly #streams = new OpenStreams();
  readonly #budget = new ResetBudget();
  readonly #hasEnded: () => boolean;
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
    this.#hasEnded = sessionEnd(session);
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
    this.#streams.add(stream, headers);
    stream.on("close", this.#onStreamClose);
  }

  look(now: number): void {
    this.#openedAt ??= now;
    this.#budget.refill(now);
    this.#streams.sortOut();
    if (this.#hasEnded() || this.#hasNeverBegun(now) || this.#isSlowToGo(now) || this.#isLost(now)) {
      this.#socket.destroy();
    } else if (this.#isIdle(now)) {
      this.#session.close();
    } else {
      const { requestTimeout } = this.#times;
      const isStalled = this.#isStalled(now);
      this.#streams.look(
        now,
        this.#times,
        isStalled ? requestTimeout : PATIENCE_WHILE_MOVING * requestTimeout,
      );
    }
  }

  #hasNeverBegun(now: number): boolean {
    return !this.#isReady && now - (this.#openedAt ?? now) >= this.#times.headersTimeout;
  }

  /** Whether the caller was told to go, has no streams any more, and stays. */
  #isSlowToGo(now: number): boolean {
    if (!this.#isOver || !this.#streams.isEmpty) {
      return false;
    }
    this.#toldToGoAt ??= now;
    return now - this.#toldToGoAt >= this.#times.pingTimeout;
  }

  /** Whether the caller gives no sign of life, for which it is asked. */
  #isLost(now: number): boolean {
    const { idleTimeout, pingTimeout } = this.#times;
    const { bytesRead } = this.#socket;
    if (bytesRead !== this.#octetsRead) {
      this.#octetsRead = bytesRead;
      this.#silentSince = now;
    }
    const silentFor = now - this.#silentSince;
    if (this.#isOver) {
      // Node asks nothing over a session that takes no more streams.
      return silentFor >= idleTimeout + pingTimeout;
    }
    if (this.#askedAt !== undefined) {
      return now - this.#askedAt >= pingTimeout;
    }
    if (
      this.#isReady &&
      (this.#streams.isEmpty ? this.#isAmidHeaders(silentFor) : silentFor >= idleTimeout)
    ) {
      this.#ask(now);
    }
    return false;
  }

  /**
   * Whether nghttp2 has known for long of a stream that no handler was told of: its header section may be incomplete. Amid
   * one, no answer to a PING may come (RFC 9113, section 4.3), so that to ask ends such a connection, whichever way its
   * caller takes it.
   */
  #isAmidHeaders(silentFor: number): boolean {
    if (silentFor < this.#times.headersTimeout) {
      return false;
    }
    const { lastProcStreamID = 0 } = this.#session.state;
    const isUnknown = lastProcStreamID > this.#latestId;
    // One that was refused is asked about once.
    this.#latestId = Math.max(lastProcStreamID, this.#latestId);
    return isUnknown;
  }

  #ask(now: number): void {
    this.#askedAt = now;
    // It fails when the session ends, and only then.
    this.#session.ping((error) => {
      if (error === null) {
        this.#askedAt = undefined;
      }
    });
  }

  /** Whether the session takes no more streams; what it is spoken over may be there yet. */
  get #isOver(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  /** PINGs and the like are no use of a connection: streams alone count. */
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

  /** Whether nothing of any answer has gone out for as long as callers may leave them lying. */
  #isStalled(now: number): boolean {
    const written = this.#socket.bytesWritten - unsentOctets(this.#socket);
    if (written > this.#octetsWritten + INCIDENTAL_OCTETS) {
      this.#octetsWritten = written;
      this.#stalledSince = now;
    }
    return now - this.#stalledSince >= this.#times.requestTimeout;
  }

  /**
   * When too many streams were reset, the connection is done with once the others have ended, before Node refuses streams on
   * it or cuts it.
   */
  #onReset(stream: ServerHttp2Stream): void {
    // Later nothing tells any more how much of the answer was left.
    this.#budget.spend(stream.writableLength);
    if (this.#budget.isSpent && !this.#isOver) {
      this.#session.close();
    }
  }
}

/** The HTTP/2 connections of a port. */
export interface Http2Watches {
  /** Looks after a new one. `socket` is that of the system. */
  add(session: ServerHttp2Session, socket: Socket): Http2Watch;
  /** One of them has a stream. */
  onStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void;
  /**
   * Takes leave, a step each time that it is called: tells callers who have not heard it yet to send no more, and goes on
   * to take what they send; of those who were told so `linger` milliseconds ago it takes no more streams, and their
   * connections end with the last one. The time is in milliseconds.
   */
  takeLeave(now: number, linger: number): void;
}

/** One of them. */
interface Session {
  readonly watch: Http2Watch;
  readonly socket: Socket;
  /** When it was first to be told that the server stops, and when it was. */
  leaveSince: number | undefined;
  toldAt: number | undefined;
}

/** Makes what looks after HTTP/2 connections. Over TLS callers cannot be told beforehand that the server stops. */
export function createHttp2Watches(times: Http2Times, isTls: boolean): Http2Watches {
  const sessions = new Map<ServerHttp2Session, Session>();

  function takeLeaveOf(session: ServerHttp2Session, state: Session, now: number, linger: number): void {
    state.leaveSince ??= now;
    if (state.toldAt === undefined && !isTls && state.watch.isReady && sendShutdownNotice(state.socket)) {
      state.toldAt = now;
    }
    // Who cannot be told, for it does not read, is not waited for any longer than that.
    if (now - (state.toldAt ?? state.leaveSince) >= linger && !session.closed) {
      session.close();
    }
  }

  return {
    add: (session, socket) => {
      const watch = new Http2Watch(session, socket, times);
      sessions.set(session, { watch, socket, leaveSince: undefined, toldAt: undefined });
      session.once("close", () => sessions.delete(session));
      return watch;
    },
    onStream: (stream, headers) => {
      const session: unknown = stream.session;
      sessions.get(session as ServerHttp2Session)?.watch.onStream(stream, headers);
    },
    takeLeave: (now, linger) => {
      for (const [session, state] of sessions) {
        takeLeaveOf(session, state, now, linger);
      }
    },
  };
}

/** How long the streams of a connection may take, in milliseconds. */
export interface StreamTimes {
  /** Until a request has come in. */
  readonly requestTimeout: number;
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

/** How many streams that have closed are kept at most. */
const MAX_CLOSED = 64;

/** The streams of an HTTP/2 connection. Those that have closed are sorted out now and then: to find each would cost more. */
export class OpenStreams {
  #streams: OpenStream[] = [];
  /** With how many they are sorted out next. */
  #sortOutAt = MAX_CLOSED;

  /** There is a new one. */
  add(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    this.#streams.push({ stream, headers, seenAt: undefined, unsent: 0, unsentSince: 0 });
    if (this.#streams.length >= this.#sortOutAt) {
      this.sortOut();
    }
  }

  /** Forgets those that have closed. */
  sortOut(): void {
    this.#streams = this.#streams.filter(({ stream }) => !stream.destroyed);
    this.#sortOutAt = this.#streams.length + MAX_CLOSED;
  }

  /** Whether there are none, as they were when they were sorted out last. */
  get isEmpty(): boolean {
    return this.#streams.length === 0;
  }

  /**
   * Resets those whose request should have come in, and those of whose answer nothing has been taken for `stallTimeout`
   * milliseconds.
   */
  look(now: number, { requestTimeout, isOpenEnded }: StreamTimes, stallTimeout: number): void {
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
}

/** Whether the end of a request has not come yet. */
function isComing(stream: ServerHttp2Stream): boolean {
  return !stream.endAfterHeaders && !stream.destroyed && stream.state.remoteClose === 0;
}
