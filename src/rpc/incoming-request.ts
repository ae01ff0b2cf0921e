import type { DescMethod } from "@bufbuild/protobuf";
import type { Code } from "@connectrpc/connect";
import type { RpcError } from "./rpc-error.js";

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
