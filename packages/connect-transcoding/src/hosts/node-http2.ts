import {
  constants,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { Body, BodyReader, BodyWriter, HeaderList, HeaderSection } from "@utility-tools/http-server";
import type { HostRequest } from "../call/http/exchange.js";
import {
  bodyReaderOf,
  bodyWriterOf,
  closeWhenQuiet,
  collectBody,
  discardOnceAnswered,
  discardRest,
} from "./node-body.js";
import { headerSectionOf, type NodeHostRequest } from "./node-request.js";

const EMPTY_BODY: Uint8Array = new Uint8Array();

/** A request of the compatibility API of `node:http2`. */
export class Http2HostRequest implements NodeHostRequest {
  readonly httpVersion = "2.0";
  readonly headers: HeaderSection;
  readonly connection: HostRequest["connection"];
  readonly rejectedWith = undefined;
  readonly nodeRequest: Http2ServerRequest;
  readonly nodeResponse: Http2ServerResponse;
  readonly #stream: ServerHttp2Stream;
  #isRead = false;
  #isStreamed = false;

  constructor(request: Http2ServerRequest, response: Http2ServerResponse) {
    const { stream } = request;
    this.nodeRequest = request;
    this.nodeResponse = response;
    this.#stream = stream;
    this.headers = headerSectionOf(request);
    // A closed stream no longer has its session.
    const { session } = stream;
    this.connection = {
      peerAddress: session?.socket?.remoteAddress ?? "",
      isSecure: session?.encrypted === true,
      isOverdrawn: false,
    };
    // A broken stream is not an error of the server; without a listener it would be an uncaught exception.
    stream.on("error", ignore);
    request.on("error", ignore);
    response.on("error", ignore);
  }

  get method(): string {
    return this.headers.get(":method") ?? "";
  }

  get target(): string {
    return this.headers.get(":path") ?? "";
  }

  get authority(): string | undefined {
    const authority = this.headers.get(":authority");
    const host = this.headers.get("host");
    return authority !== undefined && host !== undefined && authority !== host
      ? undefined
      : (authority ?? host);
  }

  get isClosed(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  get hasResponse(): boolean {
    return this.#stream.headersSent;
  }

  readBody(limit: number, done: (body: Body) => void): void {
    const stream = this.#stream;
    this.#isRead = true;
    if (stream.endAfterHeaders) {
      done(EMPTY_BODY);
      return;
    }
    const announced = this.headers.get("content-length");
    if (!(Number(announced) > limit)) {
      this.sendContinue();
    }
    // A stream that is reset also ends, with the bytes received until then.
    collectBody(
      stream,
      { limit, announced, isAborted: () => stream.aborted, cut: () => stream.close() },
      done,
    );
  }

  openBody(onChange: () => void): BodyReader {
    this.#isStreamed = true;
    this.sendContinue();
    discardOnceAnswered(this.nodeRequest, this.nodeResponse);
    return bodyReaderOf(this.nodeRequest, () => this.#stream.aborted, onChange);
  }

  /** Asks the client for the body if it waits for that (RFC 9110, section 10.1.1). */
  sendContinue(): void {
    if (!this.#stream.headersSent && this.headers.get("expect")?.toLowerCase() === "100-continue") {
      this.#stream.additionalHeaders({ ":status": 100 });
    }
  }

  respond(
    status: number,
    headers: HeaderList,
    body: string | Uint8Array | undefined,
    trailers?: HeaderList,
  ): boolean {
    const stream = this.#stream;
    if (this.isClosed || stream.headersSent) {
      return false;
    }
    const isBare = body === undefined || this.method === "HEAD";
    if (trailers !== undefined) {
      this.#begin(status, headers, { waitForTrailers: true });
      this.nodeResponse.addTrailers(toHeaderObject({}, trailers));
      stream.end(body);
      return true;
    }
    this.#begin(status, headers, { endStream: isBare });
    if (!isBare) {
      stream.end(body);
    }
    this.#discardRest();
    return true;
  }

  openResponse(status: number, headers: HeaderList): BodyWriter {
    const stream = this.#stream;
    if (this.isClosed || stream.headersSent) {
      return { write: () => true, end: () => {} };
    }
    this.#begin(status, headers, { waitForTrailers: true });
    // The compatibility API sends the trailers of its response at the end of the stream.
    return bodyWriterOf(stream, (trailers) => this.nodeResponse.addTrailers(toHeaderObject({}, trailers)));
  }

  #begin(
    status: number,
    headers: HeaderList,
    options: { readonly endStream?: boolean; readonly waitForTrailers?: boolean },
  ): void {
    this.#stream.respond(toHeaderObject({ ":status": status }, headers), options);
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
      this.readBody(0, ignore);
    }
    closeWhenQuiet(stream);
  }

  holdMemory(): void {}

  onClose(listener: () => void): void {
    if (this.#stream.closed) {
      listener();
    } else {
      this.#stream.once("close", listener);
    }
  }

  abort(): void {
    // `destroy()` would reset the stream without an error, as if the response were complete.
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }
}

/**
 * Adds a header list to the headers object of `node:http2`. A repeated name gets both values in one (RFC 9110, section 5.3): Node throws for
 * two values of some names.
 */
function toHeaderObject(target: OutgoingHttpHeaders, headers: HeaderList): OutgoingHttpHeaders {
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? "";
    const value = headers[index + 1] ?? "";
    const earlier = target[name];
    target[name] =
      earlier === undefined
        ? value
        : name === "set-cookie"
          ? [earlier, value].flat().map(String)
          : `${earlier}, ${value}`;
  }
  return target;
}

function ignore(): void {}
