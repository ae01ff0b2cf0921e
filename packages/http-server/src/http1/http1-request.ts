import { BaseRequest, type RequestConnection, type WholeResponse } from "../core/base-request.js";
import { MAX_DISCARDED } from "../core/incoming-body.js";
import type { Input } from "../core/input.js";
import type { Rejection } from "../core/rejection.js";
import type { SectionLimits } from "../core/rules.js";
import { requestBytes } from "../core/weights.js";
import type { BodyWriter, HeaderList } from "../request.js";
import { ChunkedDecoder } from "./chunked-decoder.js";
import type { Http1Head } from "./head-parser.js";

/** What a request over HTTP/1 needs of its connection. */
export interface Http1RequestConnection extends RequestConnection {
  readonly input: Pick<Input, "resume">;
  respond(request: Http1Request, response: WholeResponse): void;
  openResponse(request: Http1Request, status: number, headers: HeaderList): BodyWriter;
  destroy(): void;
}

/** A request over HTTP/1. */
export class Http1Request extends BaseRequest {
  readonly httpVersion: "1.0" | "1.1";
  readonly connection: Http1RequestConnection;
  /** The bytes of memory of the request itself. */
  readonly ownBytes: number;
  readonly #chunks: ChunkedDecoder | undefined;
  /** The bytes of a body of known length that have not been received. */
  #left = 0;

  constructor(connection: Http1RequestConnection, head: Http1Head, limits: SectionLimits) {
    super(head, head.headers, head.contentLength === 0);
    this.connection = connection;
    this.httpVersion = head.httpVersion;
    this.ownBytes = requestBytes(head.headers.size, head.headers.length + head.target.length);
    this.#chunks = head.contentLength === undefined ? new ChunkedDecoder(limits) : undefined;
    this.#left = head.contentLength ?? 0;
  }

  /** Whether the rest of the body is known to be longer than what is discarded. */
  get isRestLong(): boolean {
    return this.#left > MAX_DISCARDED;
  }

  /** Whether the body is read now. After the response, the rest is discarded. */
  get isBodyWanted(): boolean {
    return this.isClosed || this.incoming?.isWanted === true;
  }

  /** Takes the whole body, if the input has it. Returns the position after it. */
  takeWholeBody(input: Buffer, at: number): number {
    const end = at + this.#left;
    if (this.#chunks !== undefined || end > input.length) {
      return at;
    }
    this.wholeBody = input.subarray(at, end);
    this.#left = 0;
    this.isEnded = true;
    return end;
  }

  /** Takes bytes of the body. Returns the position after them, the same if more bytes are needed; or why it is rejected. */
  take(input: Buffer, at: number): number | Rejection {
    const chunks = this.#chunks;
    if (chunks !== undefined) {
      const end = chunks.decode(input, at, (data) => this.#receive(data));
      if (chunks.isEnded) {
        this.trailers = chunks.trailers;
        this.end();
      }
      return end;
    }
    const end = Math.min(input.length, at + this.#left);
    this.#left -= end - at;
    this.#receive(input.subarray(at, end));
    if (this.#left === 0) {
      this.end();
    }
    return end;
  }

  #receive(data: Uint8Array): void {
    if (!this.isClosed) {
      this.body().receive(data);
    }
  }

  acknowledge(): void {
    this.connection.input.resume();
  }

  protected send(response: WholeResponse): void {
    this.connection.respond(this, response);
  }

  protected open(status: number, headers: HeaderList): BodyWriter {
    return this.connection.openResponse(this, status, headers);
  }

  abort(): void {
    if (!this.isClosed) {
      this.connection.destroy();
    }
  }
}
