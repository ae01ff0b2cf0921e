import type { DescMethod } from "@bufbuild/protobuf";
import type { Code } from "@connectrpc/connect";
import type { Body, BodyReader, BodyWriter, HeaderList } from "@utility-tools/http-server";
import type { OutgoingResponse } from "../../routes/encoding/representation.js";
import type { IncomingRequest } from "./request-record.js";

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
