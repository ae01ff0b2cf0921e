import {
  constants,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type Http2Session,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { Writable } from "node:stream";
import type { HeaderList } from "one-port";
import type { OutgoingResponse } from "../response/representation.js";
import { EMPTY_BODY, type ExchangeOptions, headerIn, NodeExchange } from "./exchange.js";
import {
  type BodyOutcome,
  bodyOf,
  closeWhenQuiet,
  collectBody,
  discardOnceAnswered,
  discardRest,
} from "./request-body.js";

/** An exchange of the compatibility API of `node:http2`. */
export class Http2Exchange extends NodeExchange {
  readonly httpVersion = "2.0";
  readonly authorityHeader = ":authority";
  readonly nodeRequest: Http2ServerRequest;
  readonly #response: Http2ServerResponse;
  readonly #stream: ServerHttp2Stream;
  readonly #session: Http2Session | undefined;
  readonly #headers: IncomingHttpHeaders;
  readonly #rawHeaders: readonly string[];
  #isRead = false;
  #isStreamed = false;

  constructor(request: Http2ServerRequest, response: Http2ServerResponse, options: ExchangeOptions) {
    super(options);
    const { stream, headers, rawHeaders } = request;
    this.nodeRequest = request;
    this.#response = response;
    this.#stream = stream;
    // A closed stream no longer has its session.
    this.#session = stream.session;
    this.#headers = headers;
    this.#rawHeaders = rawHeaders;
    // A broken stream is not an error of the server; without a listener it would be an uncaught exception.
    stream.on("error", ignore);
    request.on("error", ignore);
    response.on("error", ignore);
  }

  get httpMethod(): string {
    return this.header(":method") ?? "";
  }

  get rawTarget(): string {
    return this.header(":path") ?? "";
  }

  get authority(): string | undefined {
    const authority = this.header(":authority");
    const host = this.header("host");
    return authority !== undefined && host !== undefined && authority !== host
      ? undefined
      : (authority ?? host);
  }

  get peerAddress(): string {
    return this.#session?.socket?.remoteAddress ?? "";
  }

  get isSecure(): boolean {
    return this.#session?.encrypted === true;
  }

  get isClosed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  header(name: string): string | undefined {
    return headerIn(this.#headers, this.#rawHeaders, name);
  }

  *headers(): Iterable<readonly [string, string]> {
    for (const name of Object.keys(this.#headers)) {
      if (!name.startsWith(":")) {
        yield [name, this.header(name) ?? ""];
      }
    }
  }

  protected collectBody(limit: number, done: (outcome: BodyOutcome) => void): void {
    const stream = this.#stream;
    this.#isRead = true;
    if (stream.endAfterHeaders) {
      done(EMPTY_BODY);
      return;
    }
    const announced = this.#headers["content-length"];
    if (!(Number(announced) > limit)) {
      this.#sendContinue();
    }
    // A stream that is reset also ends, with the bytes received until then.
    collectBody(
      stream,
      {
        limit,
        announced,
        isAborted: () => stream.aborted,
        cut: () => stream.close(),
      },
      done,
    );
  }

  bodyStream(): AsyncIterable<Uint8Array> {
    this.#isStreamed = true;
    this.#sendContinue();
    discardOnceAnswered(this.nodeRequest, this.#response);
    return bodyOf(this.nodeRequest);
  }

  respond({ status, headers, body, length, trailers }: OutgoingResponse): void {
    const isBare = length === 0 || this.httpMethod === "HEAD";
    const head = toHeaderObject({ ":status": status }, headers);
    if (trailers !== undefined) {
      if (this.#begin(head, WITH_TRAILERS)) {
        this.setTrailers(trailers);
        this.#stream.end(body);
        this.complete();
      }
    } else if (this.#begin(head, { endStream: isBare })) {
      if (!isBare) {
        this.#stream.end(body);
      }
      this.complete();
      this.#discardRest();
    }
  }

  reject(response: OutgoingResponse): void {
    this.respond(response);
  }

  /** Asks the client for the body if it waits for that (RFC 9110, section 10.1.1). */
  #sendContinue(): void {
    if (!this.#stream.headersSent && this.#headers.expect?.toLowerCase() === "100-continue") {
      this.#stream.additionalHeaders({ ":status": 100 });
    }
  }

  /** Discards the rest of a request that was answered before its end. */
  #discardRest(): void {
    const stream = this.#stream;
    if (stream.readableEnded || stream.endAfterHeaders) {
      return;
    }
    if (this.#isStreamed) {
      discardRest(this.nodeRequest);
      return;
    }
    if (!this.#isRead) {
      this.collectBody(0, ignore);
    }
    closeWhenQuiet(stream);
  }

  open(status: number, headers: HeaderList): Writable {
    const hasTrailers = this.httpMethod !== "HEAD";
    this.#begin(toHeaderObject({ ":status": status }, headers), { waitForTrailers: hasTrailers });
    if (!hasTrailers) {
      this.#discardRest();
    }
    return this.#stream;
  }

  setTrailers(trailers: HeaderList): void {
    // The compatibility API sends the trailers of its response at the end of the stream.
    this.#response.addTrailers(toHeaderObject({}, trailers));
  }

  /** Sends the header block. Returns false if the stream is closed or has one already. */
  #begin(
    headers: OutgoingHttpHeaders,
    options?: { readonly endStream?: boolean; readonly waitForTrailers?: boolean },
  ): boolean {
    const stream = this.#stream;
    if (stream.destroyed || stream.closed || stream.headersSent) {
      return false;
    }
    const { extraHeaders } = this;
    this.begun(Number(headers[":status"]));
    stream.respond(
      extraHeaders === undefined ? headers : toHeaderObject({ ...headers }, extraHeaders),
      options,
    );
    return true;
  }

  onClose(listener: () => void): void {
    if (this.#stream.closed) {
      listener();
    } else {
      this.#stream.once("close", listener);
    }
  }

  destroy(): void {
    // `destroy()` would reset the stream without an error, as if the response were complete.
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  toNode() {
    const { extraHeaders = [] } = this;
    for (let index = 0; index < extraHeaders.length; index += 2) {
      this.#response.appendHeader(extraHeaders[index] ?? "", extraHeaders[index + 1] ?? "");
    }
    return { request: this.nodeRequest, response: this.#response };
  }
}

const WITH_TRAILERS = { waitForTrailers: true };

/** Adds a header list to the headers object of `node:http2`; a repeated name gets both values. */
function toHeaderObject(target: OutgoingHttpHeaders, headers: HeaderList): OutgoingHttpHeaders {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? "";
    const value = headers[index + 1] ?? "";
    const earlier = target[name];
    target[name] = earlier === undefined ? value : [earlier, value].flat().map(String);
  }
  return target;
}

function ignore(): void {}
