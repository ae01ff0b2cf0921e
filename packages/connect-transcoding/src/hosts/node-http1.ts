import type { IncomingMessage, ServerResponse } from "node:http";
import type { Body, BodyReader, BodyWriter, HeaderList, HeaderSection } from "@utility-tools/http-server";
import { transferCodingsOf } from "@utility-tools/http-server/portable";
import type { HostRequest } from "../call/http/exchange.js";
import { bodyConsumed, malformed, unsupportedTransferCoding } from "../errors/http-error.js";
import {
  bodyReaderOf,
  bodyWriterOf,
  collectBody,
  discardOnceAnswered,
  discardRest,
  isConsumed,
  parsedBody,
  wholeBodyReader,
} from "./node-body.js";
import { headerSectionOf, type NodeHostRequest } from "./node-request.js";

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/i;

const EMPTY_BODY: Uint8Array = new Uint8Array();

/** A request of `node:http`. */
export class Http1HostRequest implements NodeHostRequest {
  readonly target: string;
  readonly authority: string | undefined;
  readonly headers: HeaderSection;
  readonly connection: HostRequest["connection"];
  readonly nodeRequest: IncomingMessage;
  readonly nodeResponse: ServerResponse;
  readonly #hasBody: boolean;
  /** Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). */
  #expectsContinue: boolean;
  /** Whether the handler reads the body. */
  #isRead = false;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.nodeRequest = request;
    this.nodeResponse = response;
    // What has read the body has inflated it.
    this.headers = headerSectionOf(request, isConsumed(request) ? "content-encoding" : undefined);
    const { socket } = request;
    this.connection = {
      peerAddress: socket.remoteAddress ?? "",
      isSecure: "encrypted" in socket,
      isOverdrawn: false,
      socket,
    };
    const { list } = this.headers;
    // Node's headers object keeps one of several Host headers.
    const hosts = list.flatMap((name, index) =>
      index % 2 === 0 && name === "host" ? [list[index + 1]] : [],
    );
    const { "content-length": length, "transfer-encoding": codings, expect } = request.headers;
    this.#hasBody = length !== undefined || codings !== undefined;
    // Node itself rejects every other expectation with 417, and HTTP/1.0 has none.
    this.#expectsContinue = this.#hasBody && expect !== undefined && request.httpVersion === "1.1";
    const url = request.url ?? "";
    // The authority of a target in absolute form takes precedence (RFC 9112, section 3.2.2).
    const absolute = url.startsWith("/") ? null : ABSOLUTE_FORM.exec(url);
    // With several Host headers, it is unknown which one a proxy has used.
    this.authority = absolute?.[1] ?? (hosts.length === 1 ? hosts[0] : undefined);
    this.target = absolute?.[2] ?? url;
    // A broken connection is not an error of the server; without a listener it would be an uncaught exception.
    request.on("error", ignore);
    response.on("error", ignore);
  }

  get httpVersion(): "1.0" | "1.1" {
    return this.nodeRequest.httpVersion === "1.0" ? "1.0" : "1.1";
  }

  get method(): string {
    return this.nodeRequest.method ?? "";
  }

  get isClosed(): boolean {
    return this.nodeResponse.destroyed || this.nodeResponse.closed;
  }

  get hasResponse(): boolean {
    return this.nodeResponse.headersSent;
  }

  get rejectedWith(): number | undefined {
    const { headersSent, statusCode } = this.nodeResponse;
    return headersSent || statusCode === 200 ? undefined : statusCode;
  }

  get problem() {
    if (this.#hasBody && isConsumed(this.nodeRequest) && parsedBody(this.nodeRequest) === undefined) {
      return bodyConsumed();
    }
    const { headers, httpVersion } = this.nodeRequest;
    const codings = headers["transfer-encoding"];
    switch (codings === undefined ? "supported" : transferCodingsOf(codings, httpVersion)) {
      case "unsupported":
        return unsupportedTransferCoding();
      case "invalid":
        return malformed(
          "MALFORMED_BODY",
          "the transfer codings of the body must end with chunked, over HTTP/1.1",
        );
      default:
        return undefined;
    }
  }

  readBody(limit: number, done: (body: Body) => void): void {
    const request = this.nodeRequest;
    this.#isRead = true;
    if (!this.#hasBody) {
      done(EMPTY_BODY);
      return;
    }
    if (isConsumed(request)) {
      const body = parsedBody(request) ?? EMPTY_BODY;
      done(body.length > limit ? "too large" : body);
      return;
    }
    const announced = request.headers["content-length"];
    if (this.#expectsContinue && Number(announced) > limit) {
      done("too large");
      return;
    }
    this.sendContinue();
    collectBody(
      request,
      { limit, announced, isAborted: () => false, cut: () => request.socket.destroySoon() },
      done,
    );
  }

  openBody(onChange: () => void): BodyReader {
    this.#isRead = true;
    if (isConsumed(this.nodeRequest)) {
      return wholeBodyReader(parsedBody(this.nodeRequest) ?? EMPTY_BODY);
    }
    this.sendContinue();
    discardOnceAnswered(this.nodeRequest, this.nodeResponse);
    return bodyReaderOf(this.nodeRequest, () => false, onChange);
  }

  /** Asks the client for the body if it waits for that (RFC 9110, section 10.1.1). */
  sendContinue(): void {
    if (this.#expectsContinue) {
      this.#expectsContinue = false;
      this.nodeResponse.writeContinue();
    }
  }

  respond(
    status: number,
    headers: HeaderList,
    body: string | Uint8Array | undefined,
    trailers?: HeaderList,
  ): boolean {
    const response = this.nodeResponse;
    if (response.headersSent || this.isClosed) {
      return false;
    }
    response.writeHead(status, [...headers]);
    if (trailers !== undefined) {
      response.addTrailers(pairs(trailers));
    }
    response.end(this.method === "HEAD" ? undefined : body);
    if (!this.#isRead && !this.#expectsContinue) {
      // Discards what the client still sends, so that the next request on the connection can be read.
      discardRest(this.nodeRequest);
    }
    return true;
  }

  openResponse(status: number, headers: HeaderList): BodyWriter {
    const response = this.nodeResponse;
    response.writeHead(status, [...headers]);
    return bodyWriterOf(response, (trailers) => response.addTrailers(pairs(trailers)));
  }

  holdMemory(): void {}

  onClose(listener: () => void): void {
    if (this.nodeResponse.closed) {
      listener();
    } else {
      this.nodeResponse.once("close", listener);
    }
  }

  abort(): void {
    this.nodeResponse.destroy();
  }
}

function ignore(): void {}

function pairs(list: HeaderList): [string, string][] {
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ""]] : []));
}
