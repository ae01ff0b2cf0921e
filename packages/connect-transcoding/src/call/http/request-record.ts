import type { DescMethod } from "@bufbuild/protobuf";
import type { Code } from "@connectrpc/connect";
import type { Body, BodyReader, BodyWriter, HeaderList } from "@utility-tools/http-server";
import type { CallProtocol } from "../../protocols/format.js";
import type { OutgoingResponse } from "../../routes/encoding/representation.js";

/** The protocol of a request. `page` is a page or a document that is the same for every client, `mcp` the Model Context Protocol. */
export type Protocol = CallProtocol | "mcp" | "page";

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
  /** Calls back when the client has disconnected or the response has been sent, whichever comes first. */
  onClose(listener: () => void): void;
}

/** A request with its outcome. */
export interface RequestRecord extends Omit<IncomingRequest, "addHeader" | "setHeader" | "onClose"> {
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

/** A request with its headers, its body and its response as they are on the wire. See `ServerRequest` of `@utility-tools/http-server`. */
export interface RawRequest extends IncomingRequest {
  readonly httpVersion: "1.0" | "1.1" | "2.0";
  /** The code of the error, for observers; undefined for a success. */
  code: Code | undefined;
  /** Whether the client has disconnected or the response has been sent. */
  readonly isClosed: boolean;
  /** All headers, names in lower case; several values of one name are joined. */
  headers(): Iterable<readonly [name: string, value: string]>;
  /** Reads the whole body, which is valid during the callback only; never calls back if the client disconnects before its end. */
  readBody(limit: number, done: (body: Body) => void): void;
  /** Reads the body part by part. */
  openBody(onChange: () => void): BodyReader;
  /** Sends a whole response. Throws a TypeError for an invalid header. */
  respond(response: OutgoingResponse): void;
  /** Begins a response of unknown length. Throws a TypeError for an invalid header. */
  openResponse(status: number, headers: HeaderList): BodyWriter;
  /** Aborts the request without the rest of a response. */
  abort(): void;
  /** Counts bytes of memory that the call holds until it ends. */
  holdMemory(bytes: number): void;
}

/**
 * Serves a call in place of its handler, for example by passing its bytes on. Called with calls in gRPC and gRPC-Web before their bodies
 * are read. Returns false for a call that the handler serves. Throws a ConnectError to reject it.
 */
export type Relay = (request: RawRequest, method: DescMethod) => boolean;
