import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

/** Headers in order: name, value, name, value and so on; names in lower case. One character is one byte (ISO 8859-1). */
export type HeaderList = readonly string[];

/** A received header or trailer section. */
export interface HeaderSection {
  /** Names and values in turn, without pseudo-headers, as they were received; names in lower case. */
  readonly list: HeaderList;
  /**
   * The value of a header by its lower-case name. Several values are joined by a comma (RFC 9110, section 5.3), those of
   * `cookie` by a semicolon (RFC 9113, section 8.2.3).
   */
  get(name: string): string | undefined;
}

/** The connection of a request. */
export interface ServerConnection {
  /** The socket, for its addresses and certificates. Do not read or write it. */
  readonly socket: Socket;
  /** The address at the other end; empty if the connection closed before its first request. */
  readonly peerAddress: string;
  /** Whether the connection uses TLS. */
  readonly isSecure: boolean;
  /**
   * Whether the connection holds so many of the server's bytes that its next requests should wait: its client sends requests
   * faster than it reads responses.
   */
  readonly isOverdrawn: boolean;
}

/** The whole body of a request, or `too large` if it exceeds the limit. */
export type Body = Uint8Array | "too large";

/** A response of unknown length. Set `trailers` before the stream ends. */
export interface ResponseStream extends Writable {
  /** Trailers to send at the end. Ignored over HTTP/1.1. */
  trailers: HeaderList;
}

/** One request, and the way to respond to it: the same for HTTP/1.1 and HTTP/2. */
export interface ServerRequest {
  readonly httpVersion: "1.1" | "2.0";
  readonly method: string;
  /** The request target as it was sent: an absolute path with its query, or `*`. Empty for CONNECT. */
  readonly target: string;
  /** Host and optional port, unchecked; undefined if the request has none, or several that differ. */
  readonly authority: string | undefined;
  readonly headers: HeaderSection;
  /** The trailer section, once the whole request has been received. */
  readonly trailers: HeaderSection | undefined;
  readonly connection: ServerConnection;
  /** Whether the response has been sent, or the client has disconnected or reset the stream. */
  readonly isClosed: boolean;
  /** Whether the response has begun. */
  readonly hasResponse: boolean;
  /** The status with which the connection has rejected an incomplete request over HTTP/1.1; undefined otherwise. */
  readonly rejectedWith: number | undefined;
  /**
   * Reads the whole body and calls back once; never if the client disconnects before its end. The bytes are valid only during
   * the callback: they are a view of the connection's input. A body of more than `limit` bytes is read and discarded, up to a
   * bound at which the request is aborted.
   */
  readBody(limit: number, done: (body: Body) => void): void;
  /** The body as a stream, instead of `readBody`. It is destroyed with an error if the client disconnects before its end. */
  readStream(): Readable;
  /**
   * Sends a whole response and returns true; returns false, and sends nothing, if the request is closed or has a response.
   * Adds `date`. The body is omitted for HEAD and for statuses without one. Text is sent in UTF-8. Throws a TypeError for a
   * header that HTTP does not allow.
   *
   * @param trailers sent over HTTP/2 only
   */
  respond(
    status: number,
    headers: HeaderList,
    body: string | Uint8Array | undefined,
    trailers?: HeaderList,
  ): boolean;
  /**
   * Begins a response of unknown length, and returns the stream for its body. The stream is destroyed, and nothing is sent, if
   * the request is closed or has a response. Throws a TypeError for a header that HTTP does not allow.
   */
  respondStream(status: number, headers: HeaderList): ResponseStream;
  /** Counts bytes of memory that the handler holds, until the request is closed, for the limit of all connections. */
  holdMemory(bytes: number): void;
  /** Calls back once when the request is closed: at once if it is already. */
  onClose(listener: () => void): void;
  /** Aborts the request without a response: resets the stream (HTTP/2), or closes the connection (HTTP/1.1). */
  abort(): void;
}
