import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import { isOpen, type UpstreamConnections, type UpstreamSession } from "./connection.js";
import { headError } from "./status.js";
import { notBegun, unavailable } from "./unavailable.js";
import type { WaitingCall } from "./waiting-calls.js";

/** What a call sends before its messages. */
export interface UpstreamCallHead {
  /** The path of the method. */
  readonly path: string;
  /** Metadata, and further headers. */
  readonly headers: OutgoingHttpHeaders;
  /** The time until the deadline in milliseconds; undefined without one. */
  readonly timeout?: number | undefined;
  /** How long the call may wait for a connection, in milliseconds; with 0, it fails if the next attempt to connect does. */
  readonly wait: number;
}

/** Receives the response of a call. After `onEnd` or `onError`, nothing follows. */
export interface CallListener {
  onHead(head: IncomingHttpHeaders): void;
  /** Called with a part of the body. The call must be paused if there are too many. */
  onData(bytes: Buffer): void;
  /** Called at the end with the trailers; those of a response without messages are its head. */
  onEnd(trailers: IncomingHttpHeaders): void;
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

/** The longest timeout in milliseconds: the header of gRPC has eight digits. */
const MAX_TIMEOUT = 99_999_999;
/** A call that the upstream resets at most so long before its deadline has exceeded it: clocks differ a little. In milliseconds. */
const DEADLINE_TOLERANCE = 20;

/**
 * Codes of streams that the upstream resets. https://github.com/grpc/grpc/blob/v1.70.0/doc/PROTOCOL-HTTP2.md#errors
 * There, CANCEL is CANCELLED. But the client has cancelled nothing: servers that stop reset their calls so.
 */
const CODES_OF_RESET: Readonly<Record<number, Code>> = {
  [constants.NGHTTP2_REFUSED_STREAM]: Code.Unavailable,
  [constants.NGHTTP2_CANCEL]: Code.Unavailable,
  [constants.NGHTTP2_ENHANCE_YOUR_CALM]: Code.ResourceExhausted,
  [constants.NGHTTP2_INADEQUATE_SECURITY]: Code.PermissionDenied,
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
class Http2Call implements UpstreamCall, WaitingCall {
  readonly #connections: UpstreamConnections;
  readonly #head: UpstreamCallHead;
  readonly #listener: CallListener;
  #stream: ClientHttp2Stream | undefined;
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
    if (session === undefined || !this.#open(session)) {
      connections.wait(this, head.wait);
    }
  }

  onSession(session: UpstreamSession): boolean {
    return this.#open(session);
  }

  onNoSession(error: ConnectError): void {
    this.#fail(error);
  }

  /** Returns false if the connection takes no call. */
  #open(session: UpstreamSession): boolean {
    const { path, headers, timeout } = this.#head;
    if (!isOpen(session)) {
      return false;
    }
    const all: OutgoingHttpHeaders = {
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc+proto",
      te: "trailers",
      ...headers,
    };
    if (timeout !== undefined) {
      all["grpc-timeout"] = `${Math.max(Math.ceil(this.#deadline - performance.now()), 1)}m`;
    }
    let stream: ClientHttp2Stream;
    try {
      stream = session.http2.request(all, { endStream: false });
    } catch (thrown) {
      this.#fail(new ConnectError("the request cannot be sent", Code.Internal, undefined, undefined, thrown));
      return true;
    }
    this.#stream = stream;
    session.calls += 1;
    this.#receive(stream, session);
    for (const bytes of this.#waiting) {
      stream.write(bytes);
    }
    if (this.#hasEnded) {
      stream.end();
    } else if (this.#waiting.length > 0) {
      this.#listener.onDrain?.();
    }
    this.#waiting = [];
    if (this.#isPaused) {
      stream.pause();
    }
    return true;
  }

  #receive(stream: ClientHttp2Stream, session: UpstreamSession): void {
    const listener = this.#listener;
    let head: IncomingHttpHeaders | undefined;
    let trailers: IncomingHttpHeaders | undefined;
    stream.on("response", (headers) => {
      head = headers;
      session.aliveAt = performance.now();
      const error = headError(headers);
      if (error !== undefined) {
        this.#fail(error);
      } else if (!this.#isOver) {
        listener.onHead(headers);
      }
    });
    stream.on("data", (bytes: Buffer) => {
      session.aliveAt = performance.now();
      if (!this.#isOver) {
        listener.onData(bytes);
      }
    });
    stream.on("trailers", (headers) => {
      trailers = headers;
    });
    stream.on("drain", () => {
      if (!this.#isOver) {
        listener.onDrain?.();
      }
    });
    const end = (): void => {
      const status = trailers ?? head;
      if (status?.["grpc-status"] !== undefined && this.#finish()) {
        listener.onEnd(status);
        if (!this.#hasEnded) {
          // The upstream needs no more messages.
          stream.close(constants.NGHTTP2_NO_ERROR);
        }
      }
    };
    stream.on("end", end);
    let problem: unknown;
    stream.on("error", (error) => {
      problem = error;
    });
    stream.on("close", () => {
      session.calls -= 1;
      if (stream.rstCode === constants.NGHTTP2_NO_ERROR && stream.readableEnded) {
        end();
      }
      if (!this.#isOver) {
        this.#fail(this.#errorOfClose(stream, session, head !== undefined, problem));
      }
    });
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
      this.#stream?.close(constants.NGHTTP2_CANCEL);
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

  /** The error of a call that has ended without a status. */
  #errorOfClose(
    stream: ClientHttp2Stream,
    { http2, lastCall }: UpstreamSession,
    hasHead: boolean,
    problem: unknown,
  ): ConnectError {
    const { rstCode = constants.NGHTTP2_NO_ERROR } = stream;
    const remaining = this.#deadline - performance.now();
    if (remaining <= (http2.destroyed ? 0 : DEADLINE_TOLERANCE)) {
      return deadlineExceeded();
    }
    const isRefused = rstCode === constants.NGHTTP2_REFUSED_STREAM && !hasHead;
    if (isRefused || stream.id === undefined || stream.id > lastCall) {
      return notBegun("the upstream server has refused the call", problem);
    }
    // Servers that stop reset their calls without an error before they close the connection.
    if (http2.destroyed || rstCode === constants.NGHTTP2_NO_ERROR) {
      return unavailable("the upstream server is unavailable", problem);
    }
    return new ConnectError(
      `the upstream server has reset the call with code ${rstCode}`,
      CODES_OF_RESET[rstCode] ?? Code.Internal,
      undefined,
      undefined,
      problem,
    );
  }
}

function deadlineExceeded(): ConnectError {
  return new ConnectError("the deadline has expired", Code.DeadlineExceeded);
}
