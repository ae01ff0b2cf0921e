import { type Readable, Writable } from "node:stream";
import type { Body, HeaderList, HeaderSection, ResponseStream, ServerRequest } from "../../request.js";
import type { Http2Connection } from "../connection.js";
import { CANCEL } from "../frames/frames.js";
import { type BodyOwner, IncomingBody } from "./incoming-body.js";
import type { RequestHead } from "./request-head.js";

/** Data of a response that has not been sent yet. */
export interface Outgoing {
  readonly chunk: Uint8Array;
  /** The number of bytes of the chunk that have been sent. */
  offset: number;
  /** Set if the response ends after the chunk. */
  readonly end: { readonly trailers: HeaderList | undefined } | undefined;
  readonly onSent: (() => void) | undefined;
}

const NO_BODY: Uint8Array = new Uint8Array();

/** A request over HTTP/2. A class, because one is created for every request. */
export class Http2Stream implements ServerRequest, BodyOwner {
  readonly httpVersion = "2.0";
  readonly rejectedWith = undefined;
  readonly connection: Http2Connection;
  readonly id: number;
  readonly head: RequestHead;
  /** Whether END_STREAM has been received. */
  isEnded: boolean;
  /** The whole body, if it arrived together with its header section: a view of the connection's input. */
  wholeBody: Uint8Array | undefined;
  incoming: IncomingBody | undefined;
  /** Bytes of the body that have been received. */
  received = 0;
  /** Bytes of DATA frames for which the window has not been enlarged again. */
  unacknowledged = 0;
  trailers: HeaderSection | undefined;
  hasResponse = false;
  /** Whether the whole response has been sent, before the end of the request. */
  isSent = false;
  isClosed = false;
  /** The difference between the stream's window for responses and the initial window. It can be negative. */
  sendCredit = 0;
  outgoing: Outgoing | undefined;
  /** The time of the first check of timeouts that found the stream open. */
  seenAt: number | undefined;
  /** What was being sent at the latest progress, how many bytes of it had been sent, and when. */
  progressOf: Outgoing | undefined;
  progress = 0;
  progressAt = 0;
  #listener: (() => void) | undefined;
  #listeners: (() => void)[] | undefined;

  constructor(connection: Http2Connection, id: number, head: RequestHead, isEnded: boolean) {
    this.connection = connection;
    this.id = id;
    this.head = head;
    this.isEnded = isEnded;
  }

  get method(): string {
    return this.head.method;
  }

  get target(): string {
    return this.head.path;
  }

  get authority(): string | undefined {
    return this.head.authority;
  }

  get headers(): HeaderSection {
    return this.head;
  }

  readBody(limit: number, done: (body: Body) => void): void {
    if (this.isClosed) {
      return;
    }
    if (this.isEnded && this.incoming === undefined) {
      const body = this.wholeBody ?? NO_BODY;
      // The view retains all of the input, and the response may take long.
      this.wholeBody = undefined;
      done(body.length > limit ? "too large" : body);
      return;
    }
    const { contentLength, expectsContinue } = this.head;
    const isTooLong = contentLength !== undefined && contentLength > limit;
    if (expectsContinue && !this.isEnded && !this.hasResponse && !isTooLong) {
      this.connection.sender.inform(this, 100);
    }
    this.#body().collect(limit, contentLength, done);
  }

  readStream(): Readable {
    if (this.head.expectsContinue && !this.isEnded && !this.hasResponse && !this.isClosed) {
      this.connection.sender.inform(this, 100);
    }
    return this.#body().toReadable();
  }

  /** Copies a body that has not been read yet: a view retains all of the input. */
  keepBody(): void {
    if (this.wholeBody !== undefined) {
      this.#body();
    }
  }

  /** Called with the bytes of a DATA frame, unless they are the whole body. */
  receive(view: Uint8Array): void {
    // After the response, the client need not send more than the window allows, which is no longer enlarged.
    if (!this.isClosed && !this.isSent) {
      this.#body().receive(view);
    }
  }

  /** Called when the whole request has been received. */
  end(): void {
    this.isEnded = true;
    this.incoming?.end();
  }

  #body(): IncomingBody {
    if (this.incoming === undefined) {
      this.incoming = new IncomingBody(this);
      if (this.wholeBody !== undefined) {
        this.incoming.receive(this.wholeBody);
        this.wholeBody = undefined;
      }
      if (this.isClosed) {
        this.incoming.destroy();
      } else if (this.isEnded) {
        this.incoming.end();
      }
    }
    return this.incoming;
  }

  acknowledge(): void {
    if (!this.isEnded && !this.isClosed && !this.isSent) {
      this.connection.acknowledge(this);
    }
  }

  hold(bytes: number): void {
    this.connection.hold(bytes);
  }

  respond(
    status: number,
    headers: HeaderList,
    body: string | Uint8Array | undefined,
    trailers?: HeaderList,
  ): boolean {
    if (this.isClosed || this.hasResponse) {
      return false;
    }
    this.connection.sender.respond(
      this,
      status,
      headers,
      this.#canHaveBody(status) ? body : undefined,
      trailers,
    );
    return true;
  }

  respondStream(status: number, headers: HeaderList): ResponseStream {
    const { sender } = this.connection;
    const canHaveBody = this.#canHaveBody(status);
    const isFirst = !this.isClosed && !this.hasResponse;
    if (isFirst) {
      sender.begin(this, status, headers);
    }
    const stream = Object.assign(
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          if (canHaveBody && !this.isClosed) {
            sender.queue(this, chunk, undefined, done);
          } else {
            done();
          }
        },
        final: (done) => {
          if (this.isClosed) {
            done();
          } else {
            const { trailers } = stream;
            sender.queue(this, NO_BODY, { trailers: trailers.length === 0 ? undefined : trailers }, done);
          }
        },
        destroy: (error, done) => {
          if (isFirst) {
            this.abort();
          }
          done(error);
        },
      }),
      { trailers: [] as HeaderList },
    );
    if (isFirst) {
      this.onClose(() => stream.destroy());
    } else {
      stream.destroy();
    }
    return stream;
  }

  /** RFC 9110, sections 9.3.2, 15.3.5 and 15.4.5. */
  #canHaveBody(status: number): boolean {
    return status !== 204 && status !== 304 && this.head.method !== "HEAD";
  }

  holdMemory(bytes: number): void {
    this.connection.holdMemory(bytes);
    this.onClose(() => this.hold(-bytes));
  }

  onClose(listener: () => void): void {
    if (this.isClosed) {
      listener();
    } else if (this.#listener === undefined) {
      this.#listener = listener;
    } else {
      this.#listeners ??= [];
      this.#listeners.push(listener);
    }
  }

  abort(): void {
    if (this.isSent) {
      return;
    }
    this.connection.streams.reset(this, CANCEL);
  }

  /** Called once, when the stream is closed. */
  close(): void {
    this.isClosed = true;
    this.wholeBody = undefined;
    this.incoming?.destroy();
    this.#listener?.();
    if (this.#listeners !== undefined) {
      for (const listener of this.#listeners) {
        listener();
      }
    }
  }
}
