import type {
  Http2ServerRequest,
  Http2ServerResponse,
  Http2Session,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Stream,
} from "node:http2";
import type { Writable } from "node:stream";
import type { HeaderList, OutgoingResponse } from "../response/representation.js";
import { EMPTY_BODY, Exchange, type ExchangeOptions, headerIn } from "./exchange.js";
import { type BodyOutcome, closeWhenQuiet, collectBody } from "./request-body.js";

/** Request and response of the compatibility API of `node:http2`. */
export interface Http2Pair {
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
}

/** An exchange over HTTP/2. */
export class Http2Exchange extends Exchange {
  readonly authorityHeader = ":authority";
  readonly #stream: ServerHttp2Stream;
  readonly #session: Http2Session | undefined;
  readonly #headers: IncomingHttpHeaders;
  readonly #rawHeaders: readonly string[];
  readonly #createPair: () => Http2Pair;
  #pair: Http2Pair | undefined;
  #isRead = false;

  /**
   * @param pair request and response of the compatibility API, or a function that creates them on first use
   */
  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
    pair: Http2Pair | (() => Http2Pair),
    options: ExchangeOptions,
  ) {
    super(options);
    this.#stream = stream;
    // A closed stream no longer has its session.
    this.#session = stream.session;
    this.#headers = headers;
    this.#rawHeaders = rawHeaders;
    this.#createPair = typeof pair === "function" ? pair : () => pair;
    this.#pair = typeof pair === "function" ? undefined : pair;
    // A broken stream is no error of the server; without a listener it would be an uncaught exception.
    stream.on("error", ignore);
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

  get nodeRequest(): Http2ServerRequest {
    return this.#nodePair().request;
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

  readBody(limit: number, done: (outcome: BodyOutcome) => void): void {
    const stream = this.#stream;
    this.#isRead = true;
    if (stream.endAfterHeaders) {
      done(EMPTY_BODY);
      return;
    }
    const announced = this.#headers["content-length"];
    const isWanted = !stream.headersSent && !(Number(announced) > limit);
    if (isWanted && this.#headers.expect?.toLowerCase() === "100-continue") {
      stream.additionalHeaders({ ":status": 100 });
    }
    // A stream that is reset ends too, with what it has received until then.
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

  respond({ status, headers, body, length }: OutgoingResponse): void {
    const isBare = length === 0 || this.httpMethod === "HEAD";
    const head = toHeaderObject({ ":status": status }, headers);
    if (this.#begin(head, { endStream: isBare })) {
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

  /** Sends a response that ends with trailers. */
  respondWithTrailers(headers: OutgoingHttpHeaders, body: Uint8Array, trailers: OutgoingHttpHeaders): void {
    if (this.#begin(headers, WITH_TRAILERS)) {
      const stream = this.#stream;
      if (this.#pair === undefined) {
        stream.on("wantTrailers", () => stream.sendTrailers(trailers));
      } else {
        // The compatibility API sends the trailers of its response by itself.
        this.#pair.response.addTrailers(trailers);
      }
      stream.end(body);
      this.complete();
    }
  }

  /** Sends a response that is a single header block. */
  respondWithHeaders(headers: OutgoingHttpHeaders): void {
    if (this.#begin(headers, { endStream: true })) {
      this.complete();
      this.#discardRest();
    }
  }

  /** Discards the rest of a request that was answered before its end. */
  #discardRest(): void {
    const stream = this.#stream;
    if (stream.readableEnded || stream.endAfterHeaders) {
      return;
    }
    if (!this.#isRead) {
      this.readBody(0, ignore);
    }
    closeWhenQuiet(stream);
  }

  open(status: number, headers: HeaderList): Writable {
    this.#begin(toHeaderObject({ ":status": status }, headers));
    return this.#stream;
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
    this.#stream.destroy();
  }

  toNode() {
    const { request, response } = this.#nodePair();
    request.on("error", ignore);
    response.on("error", ignore);
    const { extraHeaders = [] } = this;
    for (let index = 0; index < extraHeaders.length; index += 2) {
      response.appendHeader(extraHeaders[index] ?? "", extraHeaders[index + 1] ?? "");
    }
    return { request, response };
  }

  #nodePair(): Http2Pair {
    this.#pair ??= this.#createPair();
    return this.#pair;
  }
}

const WITH_TRAILERS = { waitForTrailers: true };

/** Adds a header list to the headers object of `node:http2`; a repeated name gets both values. */
export function toHeaderObject(target: OutgoingHttpHeaders, headers: HeaderList): OutgoingHttpHeaders {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? "";
    const value = headers[index + 1] ?? "";
    const earlier = target[name];
    target[name] = earlier === undefined ? value : [earlier, value].flat().map(String);
  }
  return target;
}

function ignore(): void {}
