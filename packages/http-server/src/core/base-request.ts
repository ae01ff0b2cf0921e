import type {
  Body,
  BodyReader,
  BodyWriter,
  HeaderList,
  HeaderSection,
  ServerConnection,
  ServerRequest,
} from "../request.js";
import { type BodyOwner, IncomingBody } from "./incoming-body.js";

const NO_BODY: Uint8Array = new Uint8Array();

/** What requests of both HTTP versions read from their heads. */
export interface RequestFields extends Pick<ServerRequest, "method" | "target" | "authority"> {
  /** The announced length of the body in bytes; undefined if it is unknown. */
  readonly contentLength: number | undefined;
  readonly expect: string | undefined;
}

/** The arguments of `ServerRequest.respond`. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string | Uint8Array | undefined;
  readonly trailers: HeaderList | undefined;
}

export interface RequestConnection extends ServerConnection {
  hold(bytes: number): void;
  /** Asks for the body of a request (RFC 9110, section 10.1.1). */
  inform(request: BaseRequest): void;
}

/** What the requests of both HTTP versions share. A class, because one is created for every request. */
export abstract class BaseRequest implements ServerRequest, BodyOwner {
  abstract readonly httpVersion: ServerRequest["httpVersion"];
  abstract readonly connection: RequestConnection;
  readonly method: string;
  readonly target: string;
  readonly authority: string | undefined;
  readonly headers: HeaderSection;
  /** Whether the client waits for status 100 before it sends the body. */
  expectsContinue: boolean;
  trailers: HeaderSection | undefined;
  isClosed = false;
  hasResponse = false;
  rejectedWith: number | undefined;
  isEnded: boolean;
  /** The whole body, if it arrived together with its header section: a view of the connection's input. */
  wholeBody: Uint8Array | undefined;
  incoming: IncomingBody | undefined;
  #listeners: (() => void)[] | undefined;

  readonly #contentLength: number | undefined;

  constructor(fields: RequestFields, headers: HeaderSection, isEnded: boolean) {
    this.method = fields.method;
    this.target = fields.target;
    this.authority = fields.authority;
    this.headers = headers;
    this.isEnded = isEnded;
    this.expectsContinue = fields.expect !== undefined && !isEnded;
    this.#contentLength = fields.contentLength;
  }

  abstract acknowledge(): void;
  abstract abort(): void;
  /** Sends a whole response, the first one of an open request. */
  protected abstract send(response: WholeResponse): void;
  /** Begins a response, the first one of an open request. */
  protected abstract open(status: number, headers: HeaderList): BodyWriter;

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
    const contentLength = this.#contentLength;
    if (contentLength === undefined || contentLength <= limit) {
      this.#sendContinue();
    }
    this.body().collect(limit, contentLength, done);
  }

  openBody(onChange: () => void): BodyReader {
    if (!this.isClosed) {
      this.#sendContinue();
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
    this.send({ status, headers, body: this.canHaveBody(status) ? body : undefined, trailers });
    return true;
  }

  openResponse(status: number, headers: HeaderList): BodyWriter {
    return this.isClosed || this.hasResponse ? DISCARDING_WRITER : this.open(status, headers);
  }

  /** Asks the client for the body, if it waits for that (RFC 9110, section 10.1.1). */
  #sendContinue(): void {
    if (this.expectsContinue && !this.hasResponse && !this.isEnded && this.incoming === undefined) {
      this.expectsContinue = false;
      this.connection.inform(this);
    }
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
    if (this.#listeners !== undefined) {
      for (const listener of this.#listeners) {
        listener();
      }
    }
  }
}

/** A writer for the response of a request that is over: it discards the body. */
const DISCARDING_WRITER: BodyWriter = {
  write: () => true,
  end: () => {},
};
