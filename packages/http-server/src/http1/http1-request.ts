import type { Readable } from "node:stream";
import type { Body, HeaderList, ResponseStream, ServerConnection, ServerRequest } from "../request.js";
import type { RequestSection } from "./header-section.js";

/** The interface of a connection that its current request uses. */
export interface RequestOwner extends ServerConnection {
  readBody(request: Http1Request, limit: number, done: (body: Body) => void): void;
  readStream(request: Http1Request): Readable;
  respond(
    request: Http1Request,
    status: number,
    headers: HeaderList,
    body: string | Uint8Array | undefined,
  ): void;
  abort(): void;
  /** Adds to the number of bytes that the handler of the request in progress holds. */
  hold(bytes: number): void;
  respondStream(request: Http1Request, status: number, headers: HeaderList): ResponseStream;
}

/** A request over HTTP/1.1. */
export class Http1Request implements ServerRequest {
  readonly httpVersion = "1.1";
  readonly trailers = undefined;
  readonly method: string;
  readonly target: string;
  readonly headers: RequestSection;
  readonly connection: RequestOwner;
  isClosed = false;
  hasResponse = false;
  rejectedWith: number | undefined;
  #listeners: (() => void)[] | undefined;

  constructor(connection: RequestOwner, method: string, target: string, headers: RequestSection) {
    this.connection = connection;
    this.method = method;
    this.target = target;
    this.headers = headers;
  }

  get authority(): string {
    return this.headers.host;
  }

  readBody(limit: number, done: (body: Body) => void): void {
    if (!this.isClosed) {
      this.connection.readBody(this, limit, done);
    }
  }

  readStream(): Readable {
    return this.connection.readStream(this);
  }

  respond(status: number, headers: HeaderList, body: string | Uint8Array | undefined): boolean {
    if (this.isClosed || this.hasResponse) {
      return false;
    }
    this.connection.respond(this, status, headers, body);
    return true;
  }

  respondStream(status: number, headers: HeaderList): ResponseStream {
    return this.connection.respondStream(this, status, headers);
  }

  holdMemory(bytes: number): void {
    if (!this.isClosed) {
      this.connection.hold(bytes);
      this.onClose(() => this.connection.hold(-bytes));
    }
  }

  onClose(listener: () => void): void {
    if (this.isClosed) {
      listener();
    } else {
      this.#listeners ??= [];
      this.#listeners.push(listener);
    }
  }

  abort(): void {
    if (!this.isClosed) {
      this.connection.abort();
    }
  }

  /** Called when the response has been sent or the client has disconnected. */
  close(): void {
    if (this.isClosed) {
      return;
    }
    this.isClosed = true;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) {
      listener();
    }
  }
}
