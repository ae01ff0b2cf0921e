import type { IncomingMessage, ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import {
  type BodyOutcome,
  type Exchange,
  type ExchangeContext,
  ExchangeState,
  type HeaderList,
  NO_OCTETS,
  type Reply,
} from "./exchange.js";
import { collectBody, headerIn } from "./request-body.js";

const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/i;

/** A class, for one is made for every request: its methods are shared, which closures would not be. */
export class Http1Exchange extends ExchangeState implements Exchange {
  readonly authorityHeader = "Host header";
  readonly rawTarget: string;
  readonly authority: string | undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #hasBody: boolean;
  /** Whether the caller keeps its body back until it hears that somebody wants it (RFC 9110, section 10.1.1). */
  #isHeldBack: boolean;

  constructor(request: IncomingMessage, response: ServerResponse, context: ExchangeContext) {
    super(context);
    this.#request = request;
    this.#response = response;
    const { rawHeaders } = request;
    let host: string | undefined;
    let hosts = 0;
    let hasBody = false;
    // Node's object of the headers has one Host of several.
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
    // Node answers every other expectation with 417 by itself, and HTTP/1.0 has none.
    this.#isHeldBack = hasBody && request.headers.expect !== undefined && request.httpVersion === "1.1";
    const url = request.url ?? "";
    // A target in absolute form has an authority of its own, which then counts (RFC 9112, section 3.2.2).
    const absolute = url.startsWith("/") ? null : ABSOLUTE_FORM.exec(url);
    // Node keeps the first of several Host headers; which one a proxy went by is anyone's guess.
    this.authority = absolute?.[1] ?? (hosts === 1 ? host : undefined);
    this.rawTarget = absolute?.[2] ?? url;
  }

  get verb(): string {
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

  header(name: string): string | undefined {
    return headerIn(this.#request.headers, this.#request.rawHeaders, name);
  }

  *headers(): Iterable<readonly [string, string]> {
    for (const name of Object.keys(this.#request.headers)) {
      yield [name, this.header(name) ?? ""];
    }
  }

  readBody(limit: number, done: (outcome: BodyOutcome) => void): void {
    const request = this.#request;
    if (!this.#hasBody) {
      done(NO_OCTETS);
      return;
    }
    const announced = request.headers["content-length"];
    if (this.#isHeldBack && Number(announced) > limit) {
      done("too large");
      return;
    }
    this.#askForBody();
    collectBody(
      request,
      {
        limit,
        announced,
        isBroken: () => false,
        cut: () => request.socket.destroySoon(),
      },
      done,
    );
  }

  respond({ status, headers, body, length }: Reply): void {
    const response = this.#response;
    if (response.headersSent) {
      return;
    }
    this.begun(status);
    response.writeHead(status, this.#complete(headers));
    if (length === 0 || this.#request.method === "HEAD") {
      response.end();
    } else if (typeof body === "string") {
      // Text without other characters is the same octets in both, and quicker to write in Latin-1.
      response.end(body, length === body.length ? "latin1" : "utf8");
    } else {
      response.end(body);
    }
    this.complete();
  }

  refuse(reply: Reply): void {
    this.respond(reply);
    if (!this.#isHeldBack) {
      // What the caller still writes is read and dropped up to a bound, so that the next request can be read behind it.
      this.readBody(0, ignore);
    }
  }

  /** Tells a caller that keeps its body back to send it. */
  #askForBody(): void {
    if (this.#isHeldBack) {
      this.#isHeldBack = false;
      this.#response.writeContinue();
    }
  }

  open(status: number, headers: HeaderList): Writable {
    this.#response.on("error", ignore);
    this.begun(status);
    return this.#response.writeHead(status, this.#complete(headers));
  }

  onClose(listener: () => void): void {
    if (this.#response.closed) {
      listener();
    } else {
      this.#response.once("close", listener);
    }
  }

  protected override get refusedWith(): number | undefined {
    const { headersSent, statusCode } = this.#response;
    return headersSent || statusCode === 200 ? undefined : statusCode;
  }

  destroy(): void {
    this.#response.destroy();
  }

  toNode() {
    const request = this.#request;
    const response = this.#response;
    // A broken connection is the caller's business; without a listener it would be an uncaught exception.
    request.on("error", ignore);
    response.on("error", ignore);
    this.#askForBody();
    const added = this.#complete([]);
    for (let index = 0; index < added.length; index += 2) {
      response.appendHeader(added[index] ?? "", added[index + 1] ?? "");
    }
    request.url = this.rawTarget;
    return { request, response };
  }

  /** The headers as `node:http` takes them, which changes nothing in them. */
  #complete(headers: HeaderList): string[] {
    const { extraHeaders = NONE } = this;
    if (this.context.isStopping()) {
      return [...headers, ...extraHeaders, "connection", "close"];
    }
    return extraHeaders === NONE ? (headers as string[]) : [...headers, ...extraHeaders];
  }
}

const NONE: HeaderList = [];

function ignore(): void {}

/** Whether a name is another spelling of one that is mostly spelled so. */
function isName(name: string, usual: string): boolean {
  return name === usual || name.toLowerCase() === usual.toLowerCase();
}
