import type { Body, BodyReader, BodyWriter, HeaderList, HeaderSection, ServerRequest } from "../request.js";
import { IncomingBody } from "./incoming-body.js";

const NO_BODY: Uint8Array = new Uint8Array();

/** What the requests of both HTTP versions share. A class, because one is created for every request. */
export abstract class BaseRequest implements ServerRequest {
  abstract readonly httpVersion: ServerRequest["httpVersion"];
  abstract readonly method: string;
  abstract readonly target: string;
  abstract readonly authority: string | undefined;
  abstract readonly headers: HeaderSection;
  abstract readonly connection: ServerRequest["connection"] & {
    /** Adds to the number of bytes that the connection holds. */
    hold(bytes: number): void;
  };
  trailers: HeaderSection | undefined;
  isClosed = false;
  hasResponse = false;
  rejectedWith: number | undefined;
  /** Whether the end of the request has been received. */
  isEnded: boolean;
  /** The whole body, if it arrived together with its header section: a view of the connection's input. */
  wholeBody: Uint8Array | undefined;
  incoming: IncomingBody | undefined;
  #listener: (() => void) | undefined;
  #listeners: (() => void)[] | undefined;

  constructor(isEnded: boolean) {
    this.isEnded = isEnded;
  }

  /** The announced length of the body in bytes; undefined if it is unknown. */
  protected abstract readonly contentLength: number | undefined;
  /** Asks the client for the body, if it waits for that (RFC 9110, section 10.1.1). */
  protected abstract sendContinue(): void;
  /** Called when bytes of the body have been consumed: the client may send more. */
  abstract acknowledge(): void;
  abstract abort(): void;
  /** Sends a whole response, the first one of an open request. */
  protected abstract send(
    status: number,
    headers: HeaderList,
    body: string | Uint8Array | undefined,
    trailers: HeaderList | undefined,
  ): void;
  abstract openResponse(status: number, headers: HeaderList): BodyWriter;

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
    const { contentLength } = this;
    if (contentLength === undefined || contentLength <= limit) {
      this.sendContinue();
    }
    this.body().collect(limit, contentLength, done);
  }

  openBody(onChange: () => void): BodyReader {
    if (!this.isClosed) {
      this.sendContinue();
    }
    const body = this.body();
    body.open(onChange);
    return body;
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
    this.send(status, headers, this.canHaveBody(status) ? body : undefined, trailers);
    return true;
  }

  hold(bytes: number): void {
    this.connection.hold(bytes);
  }

  /** Copies a body that has not been read yet: a view retains all of the input. */
  keepBody(): void {
    if (this.wholeBody !== undefined) {
      this.body();
    }
  }

  /** Called at the end of the request. */
  end(): void {
    this.isEnded = true;
    this.incoming?.end();
  }

  protected body(): IncomingBody {
    if (this.incoming === undefined) {
      this.incoming = new IncomingBody(this);
      if (this.wholeBody !== undefined && this.wholeBody.length > 0) {
        this.incoming.receive(this.wholeBody);
      }
      this.wholeBody = undefined;
      if (this.isEnded) {
        this.incoming.end();
      }
      if (this.isClosed) {
        this.incoming.destroy();
      }
    }
    return this.incoming;
  }

  /** Whether a response with a status has a body (RFC 9110, sections 9.3.2, 15.3.5 and 15.4.5). */
  protected canHaveBody(status: number): boolean {
    return status !== 204 && status !== 304 && this.method !== "HEAD";
  }

  holdMemory(bytes: number): void {
    if (!this.isClosed) {
      this.hold(bytes);
      this.onClose(() => this.hold(-bytes));
    }
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

  /** Called when the response has been sent, or when the request is over. */
  close(): void {
    if (this.isClosed) {
      return;
    }
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

/** A writer for the response of a request that is over: it discards the body. */
export const DISCARDING_WRITER: BodyWriter = {
  write: () => true,
  end: () => {},
};
