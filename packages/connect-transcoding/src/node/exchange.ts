import { validateHeaderName, validateHeaderValue } from "node:http";
import type { Writable } from "node:stream";
import type { DescMethod } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { RpcError } from "../errors/rpc-error.js";
import type { NodeRequest, NodeResponse } from "./request-body.js";
import { plainAddress, type TrustedProxies } from "./trusted-proxies.js";

/** Headers of an answer: name, value, name, value and so on; names in lower case. */
export type HeaderList = readonly string[];

/** An answer on its way out, without what the connection adds to it. */
export interface Reply {
  readonly status: number;
  /** With its length, if it has one. */
  readonly headers: HeaderList;
  readonly body: string | Uint8Array;
  /** The length of the body in octets. */
  readonly length: number;
}

/** A request's body, or that it is longer than was allowed. */
export type BodyOutcome = Uint8Array | "too large";

/** One HTTP request and the way to answer it, the same for HTTP/1.1 and HTTP/2. */
export interface Exchange extends ExchangeState {
  /** The request target as it was sent. */
  readonly rawTarget: string;
  /** What the request calls the header that has its authority, for errors. */
  readonly authorityHeader: string;
  /** Host and optional port, unchecked; undefined unless the request has exactly one. */
  readonly authority: string | undefined;
  /** Whether the connection is encrypted. */
  readonly isSecure: boolean;
  /** Whether the caller has gone, or the answer is out. */
  readonly isClosed: boolean;
  /** All headers, names in lower case. */
  headers(): Iterable<readonly [name: string, value: string]>;
  /**
   * Reads the body, and calls back once; never when the caller goes before its end, for then there is nobody to answer.
   * What is longer than `limit` octets is read to its end and dropped, up to a bound, for a connection that is cut while
   * its caller writes loses the answer.
   */
  readBody(limit: number, done: (outcome: BodyOutcome) => void): void;
  /** Sends an answer as a whole, without its body for HEAD (RFC 9110, section 9.3.2); nothing if one was begun. */
  respond(reply: Reply): void;
  /** Sends an answer as a whole to a request that nobody has begun to read, and nobody will. */
  refuse(reply: Reply): void;
  /** Begins an answer of unknown length, which is then written to what is returned. */
  open(status: number, headers: HeaderList): Writable;
  /** Calls back when the caller has gone or the answer is out, whichever comes first. */
  onClose(listener: () => void): void;
  /** Cuts the exchange off. */
  destroy(): void;
  /** The request and response of `node:http`, for a library that wants those; nothing else may be used afterwards. */
  toNode(): { readonly request: NodeRequest; readonly response: NodeResponse };
}

/** The body of a request that has none. */
export const NO_OCTETS: Uint8Array = new Uint8Array();

/** What the exchanges of one server have in common. */
export interface ExchangeContext {
  /** Who is believed about whom they ask for; undefined when nobody is. */
  readonly proxies: TrustedProxies | undefined;
  /** Whether the server is stopping: connections of HTTP/1.1 end with the next answer. */
  readonly isStopping: () => boolean;
  /** Makes an id for a request that has none. */
  readonly newRequestId: () => string;
}

/** The status that stands for an answer which nobody waited for; it is never sent. */
const CLIENT_CLOSED_REQUEST = 499;

/** The codes of what is answered to a request whose rest is not as it should be. */
const REFUSALS: Readonly<Record<number, Code>> = {
  408: Code.DeadlineExceeded,
  413: Code.ResourceExhausted,
  431: Code.ResourceExhausted,
};

/** What callers may name their requests: visible ASCII, so that it can go into a header and a log as it is. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/**
 * What rules and records know of a request, the same for both versions of HTTP: filled in on its way, and worked out only
 * when somebody asks. A class, for one is made for every request.
 */
export abstract class ExchangeState implements IncomingRequest, RequestRecord {
  area: Area = "service";
  door: Door = "rest";
  method: DescMethod | undefined;
  code: Code | undefined;
  principal: string | undefined;
  readonly context: ExchangeContext;
  /** Whether the whole answer has been handed over. */
  #isComplete = false;
  #onComplete: (() => void) | undefined;
  /** Headers that rules have added to the answer: name, value, name, value and so on. */
  protected extraHeaders: string[] | undefined;
  #status = 0;
  readonly #began = performance.now();
  #duration = 0;
  #callerAddress: string | undefined;
  #requestId: string | undefined;

  constructor(context: ExchangeContext) {
    this.context = context;
  }

  abstract readonly verb: string;
  /** The address at the other end of the connection; empty when it has gone already. */
  abstract readonly peerAddress: string;
  abstract header(name: string): string | undefined;

  get callerAddress(): string {
    this.#callerAddress ??=
      this.context.proxies?.callerOf(this.peerAddress, this.header("x-forwarded-for")) ??
      plainAddress(this.peerAddress);
    return this.#callerAddress;
  }

  /** Works out now what cannot be once the connection has gone. */
  remember(): void {
    void this.callerAddress;
  }

  /** What a trusted proxy says in a header, which is the last of several values; undefined without one. */
  forwarded(name: string): string | undefined {
    const { proxies } = this.context;
    const value = proxies === undefined ? undefined : this.header(name);
    return value !== undefined && proxies?.trusts(this.peerAddress)
      ? value.slice(value.lastIndexOf(",") + 1).trim()
      : undefined;
  }

  get requestId(): string {
    this.#requestId ??= this.givenRequestId ?? this.context.newRequestId();
    return this.#requestId;
  }

  /** The id that the caller gave the request, if it is one. */
  get givenRequestId(): string | undefined {
    const given = this.header("x-request-id");
    return given !== undefined && REQUEST_ID.test(given) ? given : undefined;
  }

  get status(): number {
    return this.#status;
  }

  get startedAt(): number {
    // The clock may have been set since the process started, and stands still for performance.now() while a machine sleeps.
    return Date.now() - (performance.now() - this.#began);
  }

  get duration(): number {
    return this.#duration;
  }

  /** Throws a TypeError for a header that no answer can have. */
  addHeader(name: string, value: string): void {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    this.extraHeaders ??= [];
    this.extraHeaders.push(name.toLowerCase(), value);
  }

  /** An answer has begun to go out. */
  begun(status: number): void {
    this.#status = status;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The whole answer has been handed over. */
  complete(): void {
    this.#isComplete = true;
    this.#onComplete?.();
  }

  /** Calls back when the whole answer has been handed over. */
  whenComplete(listener: () => void): void {
    this.#onComplete = listener;
  }

  /** The status that was answered without anybody here, to a request that did not come to its end; undefined without one. */
  protected get refusedWith(): number | undefined {
    return undefined;
  }

  /** The request is over: a caller that has not got all of its answer has cancelled it, or has sent no whole request. */
  conclude(): void {
    this.#duration = performance.now() - this.#began;
    const refusedWith = this.#status === 0 ? this.refusedWith : undefined;
    if (!this.#isComplete) {
      this.code ??=
        refusedWith === undefined ? Code.Canceled : (REFUSALS[refusedWith] ?? Code.InvalidArgument);
    }
    if (this.#status === 0) {
      this.#status = refusedWith ?? CLIENT_CLOSED_REQUEST;
    }
  }
}

/** What a request asks for, as far as rules tell it apart: a method of a tool, or one of the things beside those. */
export type Area = "service" | "health" | "reflection" | "docs" | "metrics";

/** The protocol that a request is in: `page` is a page or a document that is the same for everybody. */
export type Door = "rest" | "grpc" | "grpc-web" | "connect" | "page";

/** One request whose message has not been read yet, whichever door it goes to. */
export interface IncomingRequest {
  readonly area: Area;
  /** The address of who asks: of the other end of the connection, or as trusted proxies tell it. */
  readonly callerAddress: string;
  /** The name of the API key that the caller has shown; undefined as long as nobody has looked, or without one. */
  principal: string | undefined;
  /** The value of a request header (or gRPC metadata key) by its lower-case name; several are joined by a comma. */
  header(name: string): string | undefined;
  /** Adds a header to the answer, whatever that turns out to be. */
  addHeader(name: string, value: string): void;
}

/**
 * A rule that decides whether a request may go on, before its message is read; the first error of several rules is the
 * answer. What is not asynchronous stays so.
 */
export type Admission = (request: IncomingRequest) => RpcError | undefined | Promise<RpcError | undefined>;

/** An error that rules refuse requests with, and when: for the documentation of the API. */
export interface Refusal {
  readonly error: RpcError;
  readonly description: string;
}

/** What came of a request, for those who write it down. */
export interface RequestRecord extends Omit<IncomingRequest, "addHeader"> {
  readonly door: Door;
  /** The method that was called; undefined when none was found. */
  readonly method: DescMethod | undefined;
  /** Why it failed; undefined when it did not. */
  readonly code: Code | undefined;
  /** The HTTP method. */
  readonly verb: string;
  /** The HTTP status of the answer; 499 when the caller had gone before there was one. */
  readonly status: number;
  /** Which request this is: what the caller says of it, or else an id of its own. */
  readonly requestId: string;
  /** When it came, in milliseconds since the Unix epoch, with a fraction. */
  readonly startedAt: number;
  /** How long it took until its answer was handed over or its caller had gone, in milliseconds. */
  readonly duration: number;
}

/** Is told of every request, whatever becomes of it. Must not throw. */
export interface RequestObserver {
  /** A request has come. */
  started?(): void;
  /** It is over. */
  ended(record: RequestRecord): void;
}

/** One rule out of several: the first error counts, and what comes after it is not asked. */
export function admitAll(admissions: readonly Admission[]): Admission {
  return (request) => admitFrom(0, admissions, request);
}

function admitFrom(
  start: number,
  admissions: readonly Admission[],
  request: IncomingRequest,
): RpcError | undefined | Promise<RpcError | undefined> {
  for (let index = start; index < admissions.length; index++) {
    const verdict = admissions[index]?.(request);
    if (verdict instanceof Promise) {
      return verdict.then((error) => error ?? admitFrom(index + 1, admissions, request));
    }
    if (verdict !== undefined) {
      return verdict;
    }
  }
  return undefined;
}
