import type { IncomingMessage, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import type { HeaderList } from "one-port";
import { malformed, unsupportedTransferCoding } from "../errors/http-error.js";
import type { OutgoingResponse } from "../response/representation.js";
import { EMPTY_BODY, type ExchangeOptions, headerIn, NodeExchange } from "./exchange.js";
import { type BodyOutcome, bodyOf, collectBody, discardOnceAnswered } from "./request-body.js";
import { transferCodingsOf } from "./transfer-codings.js";

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/i;

/** An exchange of `node:http`. */
export class Http1Exchange extends NodeExchange {
  readonly httpVersion = "1.1";
  readonly authorityHeader = "Host header";
  readonly rawTarget: string;
  readonly authority: string | undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #hasBody: boolean;
  /** Whether the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1). */
  #expectsContinue: boolean;

  constructor(request: IncomingMessage, response: ServerResponse, options: ExchangeOptions) {
    super(options);
    this.#request = request;
    this.#response = response;
    const { rawHeaders } = request;
    let host: string | undefined;
    let hosts = 0;
    let hasBody = false;
    // Node's headers object keeps one of several Host headers.
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index] ?? "";
      if (name.length === 4 && isName(name, "Host")) {
        hosts += 1;
        host = rawHeaders[index + 1];
      } else if (
        (name.length === 14 && isName(name, "Content-Length")) ||
        (name.length === 17 && isName(name, "Transfer-Encoding"))
      ) {
        hasBody = true;
      }
    }
    this.#hasBody = hasBody;
    // Node itself rejects every other expectation with 417, and HTTP/1.0 has none.
    this.#expectsContinue = hasBody && request.headers.expect !== undefined && request.httpVersion === "1.1";
    const url = request.url ?? "";
    // The authority of a target in absolute form takes precedence (RFC 9112, section 3.2.2).
    const absolute = url.startsWith("/") ? null : ABSOLUTE_FORM.exec(url);
    // With several Host headers, it is unknown which one a proxy has used.
    this.authority = absolute?.[1] ?? (hosts === 1 ? host : undefined);
    this.rawTarget = absolute?.[2] ?? url;
  }

  get httpMethod(): string {
    return this.#request.method ?? "";
  }

  get peerAddress(): string {
    return this.#request.socket.remoteAddress ?? "";
  }

  get isSecure(): boolean {
    return "encrypted" in this.#request.socket;
  }

  get isClosed(): boolean {
    return this.#response.destroyed || this.#response.closed;
  }

  get nodeRequest(): IncomingMessage {
    return this.#request;
  }

  header(name: string): string | undefined {
    return headerIn(this.#request.headers, this.#request.rawHeaders, name);
  }

  *headers(): Iterable<readonly [string, string]> {
    for (const name of Object.keys(this.#request.headers)) {
      yield [name, this.header(name) ?? ""];
    }
  }

  override checkTransferCodings(): void {
    switch (transferCodingsOf(this.#request)) {
      case "unsupported":
        throw unsupportedTransferCoding();
      case "invalid":
        throw malformed(
          "MALFORMED_BODY",
          "the transfer codings of the body must end with chunked, over HTTP/1.1",
        );
    }
  }

  protected collectBody(limit: number, done: (outcome: BodyOutcome) => void): void {
    const request = this.#request;
    if (!this.#hasBody) {
      done(EMPTY_BODY);
      return;
    }
    const announced = request.headers["content-length"];
    if (this.#expectsContinue && Number(announced) > limit) {
      done("too large");
      return;
    }
    this.#sendContinue();
    collectBody(
      request,
      {
        limit,
        announced,
        isAborted: () => false,
        cut: () => request.socket.destroySoon(),
      },
      done,
    );
  }

  bodyStream(): AsyncIterable<Uint8Array> {
    this.#request.on("error", ignore);
    this.#sendContinue();
    discardOnceAnswered(this.#request, this.#response);
    return bodyOf(this.#request);
  }

  respond({ status, headers, body, length }: OutgoingResponse): void {
    const response = this.#response;
    if (response.headersSent) {
      return;
    }
    this.begun(status);
    response.writeHead(status, this.#complete(headers));
    if (length === 0 || this.#request.method === "HEAD") {
      response.end();
    } else if (typeof body === "string") {
      // ASCII text is the same in both encodings, and faster to write as Latin-1.
      response.end(body, length === body.length ? "latin1" : "utf8");
    } else {
      response.end(body);
    }
    this.complete();
  }

  reject(response: OutgoingResponse): void {
    this.respond(response);
    if (!this.#expectsContinue) {
      // Discards what the client still sends, so that the next request on the connection can be read.
      this.collectBody(0, ignore);
    }
  }

  #sendContinue(): void {
    if (this.#expectsContinue) {
      this.#expectsContinue = false;
      this.#response.writeContinue();
    }
  }

  open(status: number, headers: HeaderList): Writable {
    this.#response.on("error", ignore);
    this.begun(status);
    return this.#response.writeHead(status, this.#complete(headers));
  }

  setTrailers(trailers: HeaderList): void {
    this.#response.addTrailers(pairs(trailers));
  }

  onClose(listener: () => void): void {
    if (this.#response.closed) {
      listener();
    } else {
      this.#response.once("close", listener);
    }
  }

  protected override get rejectedWith(): number | undefined {
    const { headersSent, statusCode } = this.#response;
    return headersSent || statusCode === 200 ? undefined : statusCode;
  }

  destroy(): void {
    this.#response.destroy();
  }

  toNode() {
    const request = this.#request;
    const response = this.#response;
    // A broken connection is not a server error; without a listener it would be an uncaught exception.
    request.on("error", ignore);
    response.on("error", ignore);
    this.#sendContinue();
    const added = this.#complete([]);
    for (let index = 0; index < added.length; index += 2) {
      response.appendHeader(added[index] ?? "", added[index + 1] ?? "");
    }
    request.url = this.rawTarget;
    return { request, response };
  }

  /** The headers as `node:http` takes them; it does not modify them. */
  #complete(headers: HeaderList): string[] {
    const { extraHeaders = NONE } = this;
    if (this.options.isStopping()) {
      return [...headers, ...extraHeaders, "connection", "close"];
    }
    return extraHeaders === NONE ? (headers as string[]) : [...headers, ...extraHeaders];
  }
}

const NONE: HeaderList = [];

function ignore(): void {}

function pairs(list: HeaderList): [string, string][] {
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ""]] : []));
}

/** Compares a name with its usual spelling, regardless of case. */
function isName(name: string, usual: string): boolean {
  return name === usual || name.toLowerCase() === usual.toLowerCase();
}
