import { validateHeaderName, validateHeaderValue } from "node:http";
import type { DescMethod } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { Area, Door, IncomingRequest, RequestRecord } from "../rpc/incoming-request.js";
import { plainAddress, type TrustedProxies } from "./trusted-proxies.js";

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
