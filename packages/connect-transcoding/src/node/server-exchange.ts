import { isIPv6, type Socket } from "node:net";
import { Writable } from "node:stream";
import type { HeaderList, ServerRequest } from "one-port";
import type { OutgoingResponse } from "../response/representation.js";
import { Exchange, type ExchangeOptions } from "./exchange.js";
import type { BodyOutcome } from "./request-body.js";

/** An exchange of the HTTP server of this project. */
export class ServerExchange extends Exchange {
  readonly #request: ServerRequest;
  #trailers: HeaderList = [];

  constructor(request: ServerRequest, options: ExchangeOptions) {
    super(options);
    this.#request = request;
  }

  get httpVersion(): "1.0" | "1.1" | "2.0" {
    return this.#request.httpVersion;
  }

  get authorityHeader(): string {
    return this.#request.httpVersion === "2.0" ? ":authority" : "Host header";
  }

  get httpMethod(): string {
    return this.#request.method;
  }

  get rawTarget(): string {
    return this.#request.target;
  }

  get authority(): string | undefined {
    const { authority, httpVersion, connection } = this.#request;
    return authority ?? (httpVersion === "1.0" ? addressOf(connection.socket) : undefined);
  }

  get peerAddress(): string {
    return this.#request.connection.peerAddress;
  }

  get isSecure(): boolean {
    return this.#request.connection.isSecure;
  }

  get isClosed(): boolean {
    return this.#request.isClosed;
  }

  override get isOverdrawn(): boolean {
    return this.#request.connection.isOverdrawn;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name);
  }

  *headers(): Iterable<readonly [string, string]> {
    const { headers } = this.#request;
    const names = new Set(headers.list.filter((_, index) => index % 2 === 0));
    for (const name of names) {
      yield [name, headers.get(name) ?? ""];
    }
  }

  protected collectBody(limit: number, done: (outcome: BodyOutcome) => void): void {
    this.#request.readBody(limit, done);
  }

  async *bodyStream(): AsyncIterable<Uint8Array> {
    let wake = (): void => {};
    const body = this.#request.openBody(() => wake());
    this.#request.onClose(() => wake());
    while (!body.isTaken) {
      const part = body.take();
      if (part !== undefined) {
        yield part;
      } else if (this.#request.isClosed) {
        throw new Error("the request was closed before the end of its body");
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }

  respond({ status, headers, body, length, trailers }: OutgoingResponse): void {
    const { extraHeaders } = this;
    if (this.#request.isClosed || this.#request.hasResponse) {
      return;
    }
    // The request may be closed once the response has been sent, which would otherwise look as if the client had disconnected.
    this.begun(status);
    this.complete();
    this.#request.respond(
      status,
      extraHeaders === undefined ? headers : [...headers, ...extraHeaders],
      length === 0 ? undefined : body,
      trailers,
    );
  }

  reject(response: OutgoingResponse): void {
    this.respond(response);
  }

  open(status: number, headers: HeaderList): Writable {
    this.begun(status);
    const response = this.#request.openResponse(status, [...headers, ...(this.extraHeaders ?? [])]);
    let hasEnded = false;
    const stream = new Writable({
      write: (part: Uint8Array, _encoding, done) => {
        if (response.write(part, done)) {
          done();
        }
      },
      final: (done) => {
        hasEnded = true;
        response.end(undefined, this.#trailers);
        done();
      },
      destroy: (error, done) => {
        if (!hasEnded) {
          this.#request.abort();
        }
        done(error);
      },
    });
    // Without a listener, a client that disconnects would end the process.
    stream.on("error", () => {});
    this.#request.onClose(() => stream.destroy());
    return stream;
  }

  setTrailers(trailers: HeaderList): void {
    this.#trailers = trailers;
  }

  onClose(listener: () => void): void {
    this.#request.onClose(listener);
  }

  override holdMemory(bytes: number): void {
    this.#request.holdMemory(bytes);
  }

  protected override get rejectedWith(): number | undefined {
    return this.#request.rejectedWith;
  }

  destroy(): void {
    this.#request.abort();
  }
}

/** The address of this server in a URL. */
function addressOf({ localAddress, localPort }: Socket): string | undefined {
  if (localAddress === undefined) {
    return undefined;
  }
  return `${isIPv6(localAddress) ? `[${localAddress}]` : localAddress}:${localPort}`;
}
