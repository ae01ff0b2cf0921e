import type { BaseConnection } from "../core/base-connection.js";
import { ClientWatch, MIN_PROGRESS, QUIET_TIME } from "../core/client-watch.js";
import type { ConnectionOptions } from "../options.js";
import type { FrameConnection } from "./frames/control-frames.js";
import { ErrorCode, FrameType } from "./frames/frames.js";
import type { Http2Stream } from "./streams/stream.js";

/** The factor by which a response may wait longer while the client reads other responses. */
const STALL_FACTOR = 4;

/** What the timeouts need of their connection. */
export interface TimedHttp2Connection
  extends Pick<BaseConnection, "destroy" | "input" | "options" | "socket">,
    Pick<FrameConnection, "close" | "isClosing" | "isReady" | "sender" | "streams"> {
  /** Whether a frame or a header section is incomplete, and whether it is one of a body. */
  readonly incomplete: "none" | "body" | "other";
}

export class Http2Timeouts {
  readonly #connection: TimedHttp2Connection;
  readonly #options: ConnectionOptions;
  readonly #watch = new ClientWatch();
  #hasRequests = false;
  #openedAt = Number.POSITIVE_INFINITY;
  #incompleteSince: number | undefined;
  #idleSince: number | undefined;
  #pingedAt: number | undefined;
  #closingSince: number | undefined;

  constructor(connection: TimedHttp2Connection) {
    this.#connection = connection;
    this.#options = connection.options;
  }

  /** Called when frames are complete: a frame that is incomplete now has begun after the latest check. */
  onCompletion(): void {
    this.#incompleteSince = undefined;
  }

  onRequest(): void {
    this.#hasRequests = true;
  }

  onPong(): void {
    this.#pingedAt = undefined;
  }

  get idleSince(): number | undefined {
    return this.#hasRequests ? undefined : this.#idleSince;
  }

  check(now: number): void {
    const connection = this.#connection;
    this.#openedAt = Math.min(this.#openedAt, now);
    this.#watch.check(connection.socket, now);
    const isStuck = this.#watch.isStuck(now, this.#options.requestTimeout);
    if (isStuck || this.#isSlow(now) || this.#isUnresponsive(now)) {
      connection.destroy();
    } else if (this.#isIdle(now)) {
      connection.close();
    } else {
      this.#checkStreams(now);
    }
  }

  /** Whether the preface, a header section or a frame is incomplete for too long, or the client does not close. */
  #isSlow(now: number): boolean {
    const { headersTimeout, requestTimeout, pingTimeout } = this.#options;
    const { isReady, incomplete, isClosing, streams } = this.#connection;
    const isQuiet = this.#isQuiet(now);
    if (!isReady) {
      return isQuiet || now - this.#openedAt >= headersTimeout;
    }
    if (isClosing && streams.open === 0) {
      this.#closingSince ??= now;
      return now - this.#closingSince >= (isQuiet ? QUIET_TIME : pingTimeout);
    }
    if (incomplete === "none") {
      this.#incompleteSince = undefined;
      return false;
    }
    this.#incompleteSince ??= now;
    if (isQuiet && streams.open === 0) {
      return true;
    }
    return now - this.#incompleteSince >= (incomplete === "body" ? requestTimeout : headersTimeout);
  }

  /** Whether the client has stopped sending, and the server shuts down. It does not wait for such a client. */
  #isQuiet(now: number): boolean {
    return this.#options.isStopping() && !this.#connection.input.isWaiting && this.#watch.isQuiet(now);
  }

  /** Whether the client does not acknowledge a PING, which is sent if there are requests and no data arrives. */
  #isUnresponsive(now: number): boolean {
    const { idleTimeout, pingTimeout } = this.#options;
    if (this.#pingedAt !== undefined) {
      return now - this.#pingedAt >= pingTimeout;
    }
    if (this.#connection.streams.open > 0 && this.#watch.isQuiet(now, idleTimeout)) {
      this.#pingedAt = now;
      this.#connection.sender.control(FrameType.PING, 0, 0, Buffer.alloc(8));
    }
    return false;
  }

  /** Whether there has been no request for too long. Other frames do not count. */
  #isIdle(now: number): boolean {
    if (this.#connection.streams.open > 0) {
      this.#idleSince = undefined;
      this.#hasRequests = false;
      return false;
    }
    if (this.#hasRequests || this.#idleSince === undefined) {
      this.#hasRequests = false;
      this.#idleSince = now;
    }
    return now - this.#idleSince >= this.#options.idleTimeout;
  }

  #checkStreams(now: number): void {
    for (const stream of this.#connection.streams.values()) {
      stream.seenAt ??= now;
      if (this.#isOverdue(stream, now) || this.#isStalled(stream, now)) {
        this.#connection.streams.reset(stream, ErrorCode.CANCEL);
      }
    }
  }

  /** Whether a request is incomplete for too long. */
  #isOverdue(stream: Http2Stream, now: number): boolean {
    if (stream.isEnded) {
      return false;
    }
    const { requestTimeout, isOpenEnded } = this.#options;
    return (
      (this.#isQuiet(now) || now - (stream.seenAt ?? now) >= requestTimeout) && !isOpenEnded(stream.target)
    );
  }

  /** Whether the client opens the window of a response too slowly. */
  #isStalled(stream: Http2Stream, now: number): boolean {
    const { outgoing } = stream;
    if (outgoing === undefined) {
      return false;
    }
    if (outgoing.offset - outgoing.progress >= MIN_PROGRESS) {
      outgoing.progress = outgoing.offset;
      outgoing.progressAt = now;
    }
    const { requestTimeout } = this.#options;
    const { window } = this.#connection.sender;
    return now - outgoing.progressAt >= (window > 0 ? requestTimeout : STALL_FACTOR * requestTimeout);
  }
}
