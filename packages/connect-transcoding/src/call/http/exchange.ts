import type { DescMethod } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import type {
  Body,
  BodyReader,
  BodyWriter,
  HeaderList,
  ServerConnection,
  ServerRequest,
} from "@utility-tools/http-server";
import {
  CALL,
  COSTLY_CALL,
  clientQueue,
  createQueue,
  plainAddress,
  type Queue,
  trimField,
  turns,
} from "@utility-tools/http-server/portable";
import { rejectionCode } from "../../errors/http-error.js";
import { checkBinaryHeader, validateHeader } from "../../errors/metadata.js";
import type { TrustedProxies } from "../../platform/platform.js";
import type { CallHead } from "../../protocols/format.js";
import type { OutgoingResponse } from "../../routes/encoding/representation.js";
import type { Protocol, RawRequest, RequestRecord } from "./request-record.js";

/** A request as a host passes it: that of `@utility-tools/http-server`'s server, or one in the same form. */
export interface HostRequest extends Omit<ServerRequest, "connection" | "trailers"> {
  readonly connection: Omit<ServerConnection, "socket" | "queue"> & {
    readonly queue?: Queue;
    readonly socket?: { readonly localAddress?: string | undefined; readonly localPort?: number | undefined };
  };
  /** Whether the host cannot send trailers. */
  readonly hasNoTrailers?: boolean | undefined;
  /** Why the request cannot be served, if its host accepts what this server does not. */
  readonly problem?: ConnectError | undefined;
}

/** Settings that the exchanges of one adapter share. */
export interface ExchangeOptions {
  /** Proxies whose forwarding headers are honored; undefined for none. */
  readonly proxies: TrustedProxies | undefined;
  /** The header in which they send the address of the client. */
  readonly clientAddressHeader: string;
  /** Generates the ID of a request that has none. */
  readonly newRequestId: () => string;
  /** The `WWW-Authenticate` of responses with the status 401 that have none. */
  readonly challenge: string;
}

/** The logged status of a request whose client disconnected before the response. Never sent. */
const CLIENT_CLOSED_REQUEST = 499;

/** The length in bytes from which parsing a body is costly. */
const LONG_BODY = 16_384;

/** Request IDs that clients may choose: visible ASCII, safe in a header and in a log. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * One HTTP request and its response, the same for every host. It is also the request's record: fields are set
 * along the way, and costly ones are computed on first use. A class, because one is created for every request.
 */
export class Exchange implements RawRequest, RequestRecord, CallHead {
  readonly request: HostRequest;
  /** That of the request, or the one that it overrides. */
  httpMethod: string;
  protocol: Protocol = "rest";
  /** How the client reaches this server: scheme and authority, no final slash. */
  baseUrl = "";
  path = "";
  query = "";
  method: DescMethod | undefined;
  code: Code | undefined;
  principal: string | undefined;
  /** Whether something else than a handler responds. */
  isRelayed = false;
  readonly #options: ExchangeOptions;
  /** Headers that `addHeader` and `setHeader` have added: name, value, name, value and so on. */
  #extraHeaders: string[] | undefined;
  /** Whether the server works on this request now. */
  #isRunning = false;
  #isComplete = false;
  #onComplete: (() => void) | undefined;
  #status = 0;
  readonly #began = performance.now();
  #duration = 0;
  #clientAddress: string | undefined;
  #queue: Queue | undefined;
  #requestId: string | undefined;

  constructor(request: HostRequest, options: ExchangeOptions) {
    this.request = request;
    this.httpMethod = request.method;
    this.#options = options;
  }

  get httpVersion(): "1.0" | "1.1" | "2.0" {
    return this.request.httpVersion;
  }

  /** The path and query of the request target, as they were sent. */
  get rawTarget(): string {
    return this.request.target;
  }

  /** Whether the client has disconnected or the response has been sent. */
  get isClosed(): boolean {
    return this.request.isClosed;
  }

  /** Whether the connection holds so many bytes that its next requests should wait. */
  get isOverdrawn(): boolean {
    return this.request.connection.isOverdrawn;
  }

  header(name: string): string | undefined {
    return this.request.headers.get(name);
  }

  /** All headers, names in lower case. Throws a ConnectError (400) for a binary one that is not base64. */
  *headers(): Iterable<readonly [name: string, value: string]> {
    const { headers } = this.request;
    for (const name of new Set(headers.list.filter((_, index) => index % 2 === 0))) {
      const value = headers.get(name) ?? "";
      checkBinaryHeader(name, value);
      yield [name, value];
    }
  }

  /** Runs `receive` as soon as the event loop has time for this client. */
  start(receive: () => void): void {
    if (turns.mayBegin()) {
      this.#run(receive);
    } else {
      this.#wait(receive);
    }
  }

  /**
   * Reads the body and calls back once, when the event loop has time for this client; never if the client disconnects before.
   * A body longer than `limit` bytes is read and discarded up to a bound. The bytes are valid during the callback only.
   *
   * @param goesFirst whether the request does not wait for the input of other connections of its client
   */
  readBody(limit: number, done: (body: Body) => void, goesFirst = false): void {
    this.request.readBody(limit, (body) => {
      const mayBegin = goesFirst || !turns.yields(this, body.length < LONG_BODY ? CALL : COSTLY_CALL);
      if (mayBegin && (this.#isRunning || turns.timeLeft() > 0)) {
        done(body);
      } else {
        const copy = body === "too large" ? body : new Uint8Array(body);
        this.#wait(() => done(copy));
      }
    });
  }

  /** Reads the body part by part; see `openBody` of {@link ServerRequest}. */
  openBody(onChange: () => void): BodyReader {
    return this.request.openBody(onChange);
  }

  async turn(milliseconds: number = CALL): Promise<void> {
    if (turns.yields(this, milliseconds) || turns.timeLeft() === 0) {
      await turns.wait(this.queue, () => this.isClosed);
    }
  }

  #run(work: () => void): void {
    this.#isRunning = true;
    work();
    this.#isRunning = false;
  }

  #wait(work: () => void): void {
    turns.add(this.queue, () => {
      if (!this.isClosed) {
        this.#run(work);
      }
      return true;
    });
  }

  /** Sends a whole response. Does nothing if the request is closed or has a response. Throws a TypeError for an invalid header. */
  respond({ status, headers, body, length, trailers }: OutgoingResponse): void {
    const { request } = this;
    if (request.isClosed || request.hasResponse) {
      return;
    }
    // The request may be closed once the response has been sent, which would otherwise look as if the client had disconnected.
    this.#status = status;
    this.#complete();
    const all = this.#withExtra(headers);
    const sent = status === 401 ? withChallenge(all, this.#options.challenge) : all;
    request.respond(status, sent, length === 0 ? undefined : body, trailers);
  }

  /** Begins a response of unknown length. Throws a TypeError for an invalid header. */
  openResponse(status: number, headers: HeaderList): BodyWriter {
    const writer = this.request.openResponse(status, this.#withExtra(headers));
    this.#status = status;
    return {
      write: (part, onReady) => writer.write(part, onReady),
      end: (part, trailers) => {
        this.#complete();
        writer.end(part, trailers);
      },
    };
  }

  #withExtra(headers: HeaderList): HeaderList {
    return this.#extraHeaders === undefined ? headers : [...headers, ...this.#extraHeaders];
  }

  /** Calls back when the client has disconnected or the response has been sent, whichever comes first. */
  onClose(listener: () => void): void {
    this.request.onClose(listener);
  }

  /** Aborts the request without the rest of a response. */
  abort(): void {
    this.request.abort();
  }

  /** Counts bytes of memory that the call holds until it ends, if the host limits the memory of all connections. */
  holdMemory(bytes: number): void {
    this.request.holdMemory(bytes);
  }

  get clientAddress(): string {
    const { peerAddress } = this.request.connection;
    this.#clientAddress ??=
      this.#options.proxies?.clientOf(peerAddress, this.header(this.#options.clientAddressHeader)) ??
      plainAddress(peerAddress);
    return this.#clientAddress;
  }

  /** The queue of the work of this request: that of its connection, unless a proxy has sent it for another client. */
  get queue(): Queue {
    if (this.#queue === undefined) {
      const client = clientQueue(this.clientAddress);
      const { queue } = this.request.connection;
      this.#queue = queue?.client === client ? queue : createQueue(client);
    }
    return this.#queue;
  }

  /** Computes the values that are no longer available after the connection closes. */
  remember(): void {
    void this.clientAddress;
  }

  /** The last value of a header that a trusted proxy sends; undefined otherwise. */
  forwarded(name: string): string | undefined {
    const { proxies } = this.#options;
    const value = proxies === undefined ? undefined : this.header(name);
    return value !== undefined && proxies?.trusts(this.request.connection.peerAddress)
      ? trimField(value.slice(value.lastIndexOf(",") + 1))
      : undefined;
  }

  /** Whether a trusted proxy has sent the request. */
  get isForwarded(): boolean {
    return this.#options.proxies?.trusts(this.request.connection.peerAddress) === true;
  }

  get requestId(): string {
    this.#requestId ??= this.givenRequestId ?? this.#options.newRequestId();
    return this.#requestId;
  }

  /** The ID that the client has sent, if it is valid. */
  get givenRequestId(): string | undefined {
    const given = this.header("x-request-id");
    return given !== undefined && REQUEST_ID.test(given) ? given : undefined;
  }

  get status(): number {
    return this.#status;
  }

  get startedAt(): number {
    // The clock may have been set since the process started, and performance.now() stops while the machine sleeps.
    return Date.now() - (performance.now() - this.#began);
  }

  get duration(): number {
    return this.#duration;
  }

  /** The headers that were added to the response: name, value, name, value and so on. */
  get extraHeaders(): HeaderList {
    return this.#extraHeaders ?? [];
  }

  /** Throws a TypeError for an invalid header. */
  addHeader(name: string, value: string): void {
    validateHeader(name, value);
    this.#extraHeaders ??= [];
    this.#extraHeaders.push(name.toLowerCase(), value);
  }

  /** Throws a TypeError for an invalid header. */
  setHeader(name: string, value: string): void {
    const headers = this.#extraHeaders ?? [];
    const lowerCaseName = name.toLowerCase();
    const index = headers.findIndex((each, at) => at % 2 === 0 && each === lowerCaseName);
    if (index < 0) {
      this.addHeader(name, value);
    } else {
      validateHeader(name, value);
      headers[index + 1] = value;
    }
  }

  /** Called when something else has responded to the request. */
  respondedElsewhere(status: number): void {
    this.#status = status;
    this.#complete();
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  #complete(): void {
    this.#isComplete = true;
    this.#onComplete?.();
  }

  /** Calls back when the whole response has been handed over. */
  whenComplete(listener: () => void): void {
    this.#onComplete = listener;
  }

  /** Called when the request is over. A client that has not received all of the response has cancelled the request. */
  conclude(): void {
    this.#duration = performance.now() - this.#began;
    const rejectedWith = this.#status === 0 ? this.request.rejectedWith : undefined;
    if (!this.#isComplete) {
      this.code ??= rejectedWith === undefined ? Code.Canceled : rejectionCode(rejectedWith);
    }
    if (this.#status === 0) {
      this.#status = rejectedWith ?? CLIENT_CLOSED_REQUEST;
    }
  }
}

/** Headers with a challenge, which a response with the status 401 must have (RFC 9110, section 11.6.1). */
function withChallenge(headers: HeaderList, challenge: string): HeaderList {
  const hasOne = headers.some((name, index) => index % 2 === 0 && name === "www-authenticate");
  return hasOne ? headers : [...headers, "www-authenticate", challenge];
}
