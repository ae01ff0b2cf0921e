import type { Writable } from "node:stream";
import type { ExchangeState } from "./exchange-state.js";
import type { NodeRequest, NodeResponse } from "./node-http.js";

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
