import {
  constants,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import type { ConnectionWatch } from "./connections.js";
import { OpenStreams, type StreamTimes } from "./open-streams.js";
import { ResetBudget } from "./reset-budget.js";
import { sessionEnd } from "./session-end.js";
import { unsentOctets } from "./unsent-octets.js";

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
