import { Code, ConnectError } from "@connectrpc/connect";
import {
  type ClientStream,
  type CloseReason,
  ErrorCode,
  type HeaderList,
  type HeaderSection,
  type ResponseHead,
  type ResponseListener,
} from "@utility-tools/http-server/client";
import type { UpstreamConnections } from "./connection.js";
import { headError } from "./status.js";
import { interrupted, notBegun, unavailable } from "./unavailable.js";
import type { UpstreamSession, WaitingCall } from "./waiting-calls.js";

/** What a call sends before its messages. */
export interface UpstreamCallHead {
  readonly path: string;
  /** Metadata, and further headers. */
  readonly headers: HeaderList;
  /** The time until the deadline in milliseconds; undefined without one. */
  readonly timeout?: number | undefined;
  /** How long the call may wait for a connection, in milliseconds; with 0, it fails if the next attempt to connect does. */
  readonly wait: number;
}

/** Receives the response of a call. After `onEnd` or `onError`, nothing follows. */
export interface CallListener {
  onHead(head: HeaderSection): void;
  /** Called with a part of the body. The call must be paused if there are too many. */
  onData(bytes: Buffer): void;
  /** Called at the end with the trailers and the head, which are the same for a response without messages. */
  onEnd(trailers: HeaderSection, head: HeaderSection): void;
  /** Called when the call has ended without trailers. */
  onError(error: ConnectError): void;
  /** Called when more can be written. */
  onDrain?(): void;
}

/** A call in progress. Calling it after its end does nothing. */
export interface UpstreamCall {
  /** Sends a part of the body. Returns false if further parts should wait for `onDrain`. */
  write(bytes: Uint8Array): boolean;
  end(bytes?: Uint8Array): void;
  pause(): void;
  resume(): void;
  /** Ends the call with `error`, by default `CANCELED`. */
  cancel(error?: ConnectError): void;
}

/** The longest timer in milliseconds, nearly 25 days. */
const MAX_TIMEOUT = 2 ** 31 - 1;
/** The most milliseconds in the header of a timeout, which has eight digits. Longer timeouts are in seconds. */
const MAX_MILLISECONDS = 99_999_999;
/** A call that the upstream resets at most so long before its deadline has exceeded it: clocks differ a little. In milliseconds. */
const DEADLINE_TOLERANCE = 20;

/** Codes of streams that the upstream resets: https://github.com/grpc/grpc/blob/v1.70.0/doc/PROTOCOL-HTTP2.md#errors */
const CODES_OF_RESET: Readonly<Record<number, Code>> = {
  [ErrorCode.REFUSED_STREAM]: Code.Unavailable,
  [ErrorCode.CANCEL]: Code.Canceled,
  [ErrorCode.ENHANCE_YOUR_CALM]: Code.ResourceExhausted,
  [ErrorCode.INADEQUATE_SECURITY]: Code.PermissionDenied,
};

/** Starts a call. Errors go to the listener. Without a connection, what is written waits for one. */
export function startUpstreamCall(
  connections: UpstreamConnections,
  head: UpstreamCallHead,
  listener: CallListener,
): UpstreamCall {
  return new Http2Call(connections, head, listener);
}

/** A class, because one is created for every call. */
class Http2Call implements UpstreamCall, WaitingCall, ResponseListener {
  readonly #connections: UpstreamConnections;
  readonly #head: UpstreamCallHead;
  readonly #listener: CallListener;
  #session: UpstreamSession | undefined;
  #stream: ClientStream | undefined;
  #responseHead: ResponseHead | undefined;
  #deadline = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;
  /** What was written before there was a connection. */
  #waiting: Uint8Array[] = [];
  #hasEnded = false;
  #isPaused = false;

  constructor(connections: UpstreamConnections, head: UpstreamCallHead, listener: CallListener) {
    this.#connections = connections;
    this.#head = head;
    this.#listener = listener;
    if (head.timeout !== undefined) {
      const timeout = Math.min(Math.max(head.timeout, 0), MAX_TIMEOUT);
      this.#deadline = performance.now() + timeout;
      this.#timer = setTimeout(() => this.cancel(deadlineExceeded()), timeout);
    }
    const session = connections.session();
    if (session === undefined) {
      connections.wait(this, head.wait);
    } else {
      this.onSession(session);
    }
  }

  onSession(session: UpstreamSession): void {
    const { path, headers, timeout } = this.#head;
    const all = ["content-type", "application/grpc+proto", "te", "trailers", ...headers];
    if (timeout !== undefined) {
      const left = Math.max(Math.ceil(this.#deadline - performance.now()), 1);
      all.push("grpc-timeout", left <= MAX_MILLISECONDS ? `${left}m` : `${Math.ceil(left / 1_000)}S`);
    }
    let stream: ClientStream;
    try {
      stream = session.connection.request(this.#connections.pseudoHeaders(path), all, this);
    } catch (thrown) {
      this.#fail(new ConnectError("the request cannot be sent", Code.Internal, undefined, undefined, thrown));
      return;
    }
    this.#session = session;
    this.#stream = stream;
    this.#sendWaiting(stream);
    if (this.#isPaused) {
      stream.pause();
    }
  }

  #sendWaiting(stream: ClientStream): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (this.#hasEnded) {
      stream.end(Buffer.concat(waiting));
    } else if (waiting.length > 0 && stream.write(Buffer.concat(waiting))) {
      this.#listener.onDrain?.();
    }
  }

  onNoSession(error: ConnectError): void {
    this.#fail(error);
  }

  onHead(head: ResponseHead): void {
    this.#responseHead = head;
    this.#notice();
    const error = headError(head);
    if (error !== undefined) {
      this.#fail(error);
    } else {
      this.#listener.onHead(head);
    }
  }

  onData(bytes: Buffer): void {
    this.#notice();
    this.#listener.onData(bytes);
  }

  #notice(): void {
    if (this.#session !== undefined) {
      this.#session.aliveAt = performance.now();
    }
  }

  onDrain(): void {
    this.#listener.onDrain?.();
  }

  onEnd(trailers: HeaderSection | undefined): void {
    const head = this.#responseHead;
    const status = trailers ?? head;
    if (head === undefined || status?.get("grpc-status") === undefined) {
      this.#fail(new ConnectError("the upstream server has sent no status", Code.Unknown));
    } else if (status === head && this.#isCancelledByStop(status)) {
      this.#fail(unavailable("the upstream server stops"));
    } else if (this.#finish()) {
      this.#listener.onEnd(status, head);
    }
  }

  /** Whether a server that stops has cancelled a call that its handlers have not seen, as those in C++ and Python do. */
  #isCancelledByStop(status: HeaderSection): boolean {
    return (
      status.get("grpc-status") === String(Code.Canceled) && this.#session?.connection.isRetired === true
    );
  }

  onClose(reason: CloseReason): void {
    this.#fail(this.#errorOf(reason));
  }

  write(bytes: Uint8Array): boolean {
    if (this.#stream === undefined) {
      this.#keep(bytes);
      return false;
    }
    return this.#isOver || this.#stream.write(bytes);
  }

  end(bytes?: Uint8Array): void {
    this.#hasEnded = true;
    if (this.#stream === undefined) {
      if (bytes !== undefined) {
        this.#keep(bytes);
      }
    } else if (!this.#isOver) {
      this.#stream.end(bytes);
    }
  }

  /** Keeps what is written until there is a connection. */
  #keep(bytes: Uint8Array): void {
    if (this.#isOver) {
      return;
    }
    if (this.#connections.hold(this, bytes.length)) {
      this.#waiting.push(bytes);
    } else {
      this.#fail(notBegun("too many bytes wait for the upstream server"));
    }
  }

  pause(): void {
    this.#isPaused = true;
    this.#stream?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#stream?.resume();
  }

  cancel(error?: ConnectError): void {
    if (!this.#isOver) {
      this.#fail(error ?? new ConnectError("the call has been cancelled", Code.Canceled));
    }
  }

  #fail(error: ConnectError): void {
    if (this.#finish()) {
      this.#stream?.reset(ErrorCode.CANCEL);
      this.#listener.onError(error);
    }
  }

  /** Returns whether the call has ended now. */
  #finish(): boolean {
    if (this.#isOver) {
      return false;
    }
    this.#isOver = true;
    this.#waiting = [];
    if (this.#stream === undefined) {
      this.#connections.forget(this);
    }
    clearTimeout(this.#timer);
    return true;
  }

  /** The error of a call whose stream has closed without a status. */
  #errorOf(reason: CloseReason): ConnectError {
    const { kind } = reason;
    const remaining = this.#deadline - performance.now();
    if (remaining <= (kind === "closed" ? 0 : DEADLINE_TOLERANCE)) {
      return deadlineExceeded();
    }
    if (kind === "closed") {
      return unavailable("the upstream server is unavailable");
    }
    if (kind === "invalid") {
      return new ConnectError(
        `the response of the upstream server is invalid: ${reason.problem}`,
        Code.Internal,
      );
    }
    const code = kind === "reset" ? reason.code : ErrorCode.REFUSED_STREAM;
    if (code === ErrorCode.REFUSED_STREAM && this.#responseHead === undefined) {
      return notBegun("the upstream server has refused the call");
    }
    const error = new ConnectError(
      `the upstream server has reset the call with code ${code}`,
      CODES_OF_RESET[code] ?? Code.Internal,
    );
    // Servers that stop reset their calls so before they close the connection.
    return code === ErrorCode.NO_ERROR || code === ErrorCode.CANCEL ? interrupted(error) : error;
  }
}

function deadlineExceeded(): ConnectError {
  return new ConnectError("the deadline has expired", Code.DeadlineExceeded);
}
