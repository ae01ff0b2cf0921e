import { type IncomingHttpHeaders, validateHeaderName, validateHeaderValue } from "node:http";
import type { Writable } from "node:stream";
import type { DescMethod } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { clientQueue, type HeaderList, turns } from "one-port";
import { rejectionCode } from "../errors/http-error.js";
import type { OutgoingResponse } from "../response/representation.js";
import type { BodyOutcome, NodeRequest, NodeResponse } from "./request-body.js";
import { plainAddress, type TrustedProxies } from "./trusted-proxies.js";

/** The protocol of a request. `page` is a page or a document that is the same for every client. */
export type Protocol = "rest" | "grpc" | "grpc-web" | "connect" | "page";

/** A request whose headers have been read, and whose body has not. */
export interface IncomingRequest {
  readonly protocol: Protocol;
  /** The HTTP method. */
  readonly httpMethod: string;
  /** The path of the request target, without the query. */
  readonly path: string;
  /** The IP address of the connection, or the one that a trusted proxy forwards. Empty if the connection has closed. */
  readonly clientAddress: string;
  /** Who sends the request, for example the name of an API key. Set by `onRequest`. */
  principal: string | undefined;
  /** The value of a request header (or gRPC metadata) by its lower-case name; several values are joined by a comma. */
  header(name: string): string | undefined;
  /** Adds a header to the response, whatever that turns out to be. */
  addHeader(name: string, value: string): void;
  /** Adds a header to the response, or replaces the value of one that was added. */
  setHeader(name: string, value: string): void;
}

/** A request with its outcome. */
export interface RequestRecord extends Omit<IncomingRequest, "addHeader" | "setHeader"> {
  /** The method that was called; undefined if none was found. */
  readonly method: DescMethod | undefined;
  /** The code of the error; undefined if the request succeeded. */
  readonly code: Code | undefined;
  /** The HTTP status; 499 if the client disconnected before there was a response. */
  readonly status: number;
  /** The `X-Request-Id` of the request, or a generated ID. */
  readonly requestId: string;
  /** When the request arrived, in milliseconds since the Unix epoch, with a fraction. */
  readonly startedAt: number;
  /** Milliseconds until the response was handed over or the client disconnected. */
  readonly duration: number;
}

/** Observes requests, for logs and metrics. Must not throw. */
export interface RequestObserver {
  /** Called when a request arrives. */
  onStart?(): void;
  /** Called once for every request, when it is over. */
  onEnd(record: RequestRecord): void;
}

/** Settings that the exchanges of one adapter share. */
export interface ExchangeOptions {
  /** Proxies whose forwarding headers are honored; undefined for none. */
  readonly proxies: TrustedProxies | undefined;
  /** Whether the server shuts down: HTTP/1.1 connections close after the next response. */
  readonly isStopping: () => boolean;
  /** Generates the ID of a request that has none. */
  readonly newRequestId: () => string;
}

/** The logged status of a request whose client disconnected before the response. Never sent. */
const CLIENT_CLOSED_REQUEST = 499;

/** Request IDs that clients may choose: visible ASCII, safe in a header and in a log. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * One HTTP request and its response, the same for HTTP/1.1 and HTTP/2. It is also the request's record: fields are set
 * along the way, and costly ones are computed on first use. A class, because one is created for every request.
 */
export abstract class Exchange implements IncomingRequest, RequestRecord {
  protocol: Protocol = "rest";
  path = "";
  method: DescMethod | undefined;
  code: Code | undefined;
  principal: string | undefined;
  /** Whether connect-node has passed the call to the implementation. */
  isCalled = false;
  readonly options: ExchangeOptions;
  /** Headers that `addHeader` and `setHeader` have added: name, value, name, value and so on. */
  protected extraHeaders: string[] | undefined;
  /** Whether the server works on this request now. */
  #isRunning = false;
  #isComplete = false;
  #onComplete: (() => void) | undefined;
  #status = 0;
  readonly #began = performance.now();
  #duration = 0;
  #clientAddress: string | undefined;
  #requestId: string | undefined;

  constructor(options: ExchangeOptions) {
    this.options = options;
  }

  abstract readonly httpVersion: "1.0" | "1.1" | "2.0";
  abstract readonly httpMethod: string;
  /** The request target as it was sent. */
  abstract readonly rawTarget: string;
  /** The name of the header with the authority, for error messages. */
  abstract readonly authorityHeader: string;
  /** Host and optional port, unchecked; undefined unless the request has exactly one. */
  abstract readonly authority: string | undefined;
  /** Whether the connection is encrypted. */
  abstract readonly isSecure: boolean;
  /** The address at the other end of the connection; empty if it has closed. */
  abstract readonly peerAddress: string;
  /** Whether the client has disconnected or the response has been sent. */
  abstract readonly isClosed: boolean;
  /** Whether the connection holds so many bytes that its next requests should wait. */
  get isOverdrawn(): boolean {
    return false;
  }

  abstract header(name: string): string | undefined;
  /** All headers, names in lower case. */
  abstract headers(): Iterable<readonly [name: string, value: string]>;
  /**
   * Collects the body and calls back once; never if the client disconnects before its end. A body longer than `limit` bytes is
   * read and discarded up to a bound: closing a connection while the client still sends loses the response.
   */
  protected abstract collectBody(limit: number, done: (outcome: BodyOutcome) => void): void;
  /** Returns the body as it arrives. It may be read in part: the connection discards the rest. */
  abstract bodyStream(): AsyncIterable<Uint8Array>;
  /** Sends a whole response, without its body for HEAD (RFC 9110, section 9.3.2). Does nothing after a first response. */
  abstract respond(response: OutgoingResponse): void;
  /** Sends a whole response to a request whose body is not read. */
  abstract reject(response: OutgoingResponse): void;
  /** Begins a response of unknown length, to write to the returned stream. */
  abstract open(status: number, headers: HeaderList): Writable;
  /** Sets the trailers of a response of unknown length, before it ends. */
  abstract setTrailers(trailers: HeaderList): void;
  /** Calls back when the client has disconnected or the response has been sent, whichever comes first. */
  abstract onClose(listener: () => void): void;
  /** Aborts the exchange. */
  abstract destroy(): void;

  /** Runs `receive` as soon as the event loop has time for this client. */
  start(receive: () => void): void {
    if (turns.timeLeft() > 0) {
      this.#run(receive);
    } else {
      this.#wait(receive);
    }
  }

  /**
   * Reads the body and calls back once, when the event loop has time for this client; never if the client disconnects before.
   * A body longer than `limit` bytes is read and discarded up to a bound.
   */
  readBody(limit: number, done: (outcome: BodyOutcome) => void): void {
    this.collectBody(limit, (body) => {
      if (this.#isRunning || turns.timeLeft() > 0) {
        done(body);
      } else {
        // The bytes are valid during this callback only.
        const copy = body === "too large" ? body : new Uint8Array(body);
        this.#wait(() => done(copy));
      }
    });
  }

  /** Waits until the event loop has time for this client; undefined if it has. */
  untilTurn(): Promise<void> | undefined {
    return turns.timeLeft() > 0 ? undefined : turns.wait(clientQueue(this.clientAddress));
  }

  #run(work: () => void): void {
    this.#isRunning = true;
    work();
    this.#isRunning = false;
  }

  #wait(work: () => void): void {
    turns.add(clientQueue(this.clientAddress), () => {
      if (!this.isClosed) {
        this.#run(work);
      }
      return true;
    });
  }

  /** Throws a ConnectError unless the server understands the transfer codings of the body, which only HTTP/1.1 has. */
  checkTransferCodings(): void {}

  get clientAddress(): string {
    this.#clientAddress ??=
      this.options.proxies?.clientOf(this.peerAddress, this.header("x-forwarded-for")) ??
      plainAddress(this.peerAddress);
    return this.#clientAddress;
  }

  /** Counts bytes of memory that the call holds until it ends, if the server limits the memory of all connections. */
  holdMemory(_bytes: number): void {}

  /** Computes the values that are no longer available after the connection closes. */
  remember(): void {
    void this.clientAddress;
  }

  /** The last value of a header that a trusted proxy sends; undefined otherwise. */
  forwarded(name: string): string | undefined {
    const { proxies } = this.options;
    const value = proxies === undefined ? undefined : this.header(name);
    return value !== undefined && proxies?.trusts(this.peerAddress)
      ? value.slice(value.lastIndexOf(",") + 1).trim()
      : undefined;
  }

  get requestId(): string {
    this.#requestId ??= this.givenRequestId ?? this.options.newRequestId();
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

  /** Throws a TypeError for an invalid header. */
  addHeader(name: string, value: string): void {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    this.extraHeaders ??= [];
    this.extraHeaders.push(name.toLowerCase(), value);
  }

  /** Throws a TypeError for an invalid header. */
  setHeader(name: string, value: string): void {
    const headers = this.extraHeaders ?? [];
    const lowerCaseName = name.toLowerCase();
    const index = headers.findIndex((each, at) => at % 2 === 0 && each === lowerCaseName);
    if (index < 0) {
      this.addHeader(name, value);
    } else {
      validateHeaderValue(name, value);
      headers[index + 1] = value;
    }
  }

  /** Called when the response has begun. */
  begun(status: number): void {
    this.#status = status;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Called when the whole response has been handed over. */
  complete(): void {
    this.#isComplete = true;
    this.#onComplete?.();
  }

  /** Calls back when the whole response has been handed over. */
  whenComplete(listener: () => void): void {
    this.#onComplete = listener;
  }

  /** The status with which the server has rejected an incomplete request; undefined otherwise. */
  protected get rejectedWith(): number | undefined {
    return undefined;
  }

  /** Called when the request is over. A client that has not received all of the response has cancelled the request. */
  conclude(): void {
    this.#duration = performance.now() - this.#began;
    const rejectedWith = this.#status === 0 ? this.rejectedWith : undefined;
    if (!this.#isComplete) {
      this.code ??= rejectedWith === undefined ? Code.Canceled : rejectionCode(rejectedWith);
    }
    if (this.#status === 0) {
      this.#status = rejectedWith ?? CLIENT_CLOSED_REQUEST;
    }
  }
}

const AUTHORIZATION = "authorization";

/**
 * The value of a header by its lower-case name; several values are joined by a comma (RFC 9110, section 5.3), also those of
 * `Authorization`. Node keeps only the first of them, but a proxy may have used another.
 *
 * @param rawHeaders names and values in turn, as they were sent
 */
export function headerIn(
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  name: string,
): string | undefined {
  const value = headers[name];
  if (name === AUTHORIZATION && value !== undefined) {
    const isAuthorization = (_: string, index: number): boolean =>
      index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === AUTHORIZATION;
    return rawHeaders.filter(isAuthorization).join(", ");
  }
  return Array.isArray(value) ? value.join(", ") : value;
}

/** An empty body. */
export const EMPTY_BODY: Uint8Array = new Uint8Array();

/** An exchange of one of Node's servers. */
export abstract class NodeExchange extends Exchange {
  /** The request as Node's request handlers take it, for reading only. */
  abstract readonly nodeRequest: NodeRequest;
  /** Hands request and response over to a library for Node; the exchange must not be used to respond afterwards. */
  abstract toNode(): { readonly request: NodeRequest; readonly response: NodeResponse };
}
