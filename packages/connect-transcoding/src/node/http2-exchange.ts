import type { Http2Session, IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
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
import {
  closeWhenQuiet,
  collectBody,
  headerIn,
  type NodeRequest,
  type NodeResponse,
} from "./request-body.js";

/** Makes a stream a request and a response of the compatibility API. */
export type CompatibilityBridge = () => { readonly request: NodeRequest; readonly response: NodeResponse };

/** A class, for one is made for every request: its methods are shared, which closures would not be. */
export class Http2Exchange extends ExchangeState implements Exchange {
  readonly authorityHeader = ":authority";
  /** The stream itself, for a protocol that needs trailers. */
  readonly stream: ServerHttp2Stream;
  readonly #session: Http2Session | undefined;
  readonly #headers: IncomingHttpHeaders;
  readonly #rawHeaders: readonly string[];
  readonly #bridge: CompatibilityBridge;
  /** Whether somebody has begun to read the body. */
  #isRead = false;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
    bridge: CompatibilityBridge,
    context: ExchangeContext,
  ) {
    super(context);
    this.stream = stream;
    // A stream that has closed no longer knows its session.
    this.#session = stream.session;
    this.#headers = headers;
    this.#rawHeaders = rawHeaders;
    this.#bridge = bridge;
    // A stream that breaks is the caller's business; without a listener it would be an uncaught exception.
    stream.on("error", ignore);
  }

  get verb(): string {
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
    return this.stream.destroyed || this.stream.closed;
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
    const { stream } = this;
    this.#isRead = true;
    if (stream.endAfterHeaders) {
      done(NO_OCTETS);
      return;
    }
    const announced = this.#headers["content-length"];
    const isWanted = !stream.headersSent && !(Number(announced) > limit);
    if (isWanted && this.#headers.expect?.toLowerCase() === "100-continue") {
      stream.additionalHeaders({ ":status": 100 });
    }
    // A stream that is reset ends too, with what had come until then.
    collectBody(
      stream,
      {
        limit,
        announced,
        isBroken: () => stream.aborted,
        cut: () => stream.close(),
      },
      done,
    );
  }

  respond({ status, headers, body, length }: Reply): void {
    const isBare = length === 0 || this.verb === "HEAD";
    const head = toHeaderObject({ ":status": status }, headers);
    if (this.begin(head, { endStream: isBare })) {
      if (!isBare) {
        this.stream.end(body);
      }
      this.complete();
      this.letGo();
    }
  }

  refuse(reply: Reply): void {
    this.respond(reply);
  }

  /** Sees to it that a caller whose request was answered before its end need not write the rest. */
  letGo(): void {
    const { stream } = this;
    if (stream.readableEnded || stream.endAfterHeaders) {
      return;
    }
    if (!this.#isRead) {
      this.readBody(0, ignore);
    }
    closeWhenQuiet(stream);
  }

  open(status: number, headers: HeaderList): Writable {
    this.begin(toHeaderObject({ ":status": status }, headers));
    return this.stream;
  }

  /** Sends the header block; false when the stream has gone or has one already. */
  begin(
    headers: OutgoingHttpHeaders,
    options?: { readonly endStream?: boolean; readonly waitForTrailers?: boolean },
  ): boolean {
    const { stream } = this;
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
    if (this.stream.closed) {
      listener();
    } else {
      this.stream.once("close", listener);
    }
  }

  destroy(): void {
    this.stream.destroy();
  }

  toNode() {
    const { request, response } = this.#bridge();
    request.on("error", ignore);
    response.on("error", ignore);
    const { extraHeaders = [] } = this;
    for (let index = 0; index < extraHeaders.length; index += 2) {
      response.appendHeader(extraHeaders[index] ?? "", extraHeaders[index + 1] ?? "");
    }
    return { request, response };
  }
}

/** Adds a list of headers to those that `node:http2` takes; a name that is there twice has both values. */
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
