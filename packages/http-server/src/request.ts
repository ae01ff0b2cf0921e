import type { Socket } from "node:net";
import type { Queue } from "./core/turns.js";

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
  /** The queue of the connection's work, for `turns`. */
  readonly queue: Queue;
}

/** What names the client of a request: its connection, or what a proxy has added to its headers. */
export interface RequestOrigin {
  readonly connection: Pick<ServerConnection, "peerAddress">;
  readonly headers: HeaderSection;
}

/** The whole body of a request, or `too large` if it exceeds the limit. */
export type Body = Uint8Array | "too large";

/** The body of a request, read part by part. */
export interface BodyReader {
  /** Removes and returns the bytes that have arrived; undefined if there are none. */
  take(): Uint8Array | undefined;
  /** Sets the number of bytes that have been taken and are still in memory, for the limit of all connections. */
  retain(bytes: number): void;
  /** Whether the whole body has been taken. */
  readonly isTaken: boolean;
}

/** The body of a response, written part by part. */
export interface BodyWriter {
  /**
   * Sends a part. Returns false if the client does not read fast enough: then `onReady` is called once it has read the part,
   * and the next part must wait for that. The server may read the bytes until then.
   */
  write(part: Uint8Array, onReady: () => void): boolean;
  /** Sends the last part and the trailers. Throws a TypeError for a trailer that HTTP does not allow. */
  end(part?: Uint8Array, trailers?: HeaderList): void;
}

/** One request, and the way to respond to it: the same for HTTP/1 and HTTP/2. */
export interface ServerRequest {
  readonly httpVersion: "1.0" | "1.1" | "2.0";
  readonly method: string;
  /** The path and query of the request target, or `*`. */
  readonly target: string;
  /** Host and optional port, unchecked; undefined if an HTTP/1.0 request has none, or if those of an HTTP/2 request differ. */
  readonly authority: string | undefined;
  readonly headers: HeaderSection;
  /** The trailer section, once the whole request has been received. */
  readonly trailers: HeaderSection | undefined;
  readonly connection: ServerConnection;
  /** Whether the response has been sent, or the client has disconnected or reset the stream. */
  readonly isClosed: boolean;
  /** Whether the response has begun. */
  readonly hasResponse: boolean;
  /** The status with which the server has rejected an incomplete request over HTTP/1; undefined otherwise. */
  readonly rejectedWith: number | undefined;
  /**
   * Reads the whole body and calls back once; never if the client disconnects before its end. The bytes are valid only during
   * the callback: they may be a view of the connection's input. Of a body with more than `limit` bytes, up to
   * 1 MiB are read and discarded until the response is sent.
   */
  readBody(limit: number, done: (body: Body) => void): void;
  /**
   * Reads the body part by part, instead of `readBody`. `onChange` is called when bytes or the end have arrived. The client
   * sends no more than a bounded number of bytes before they are taken. If it disconnects, the request is closed.
   */
  openBody(onChange: () => void): BodyReader;
  /**
   * Sends a whole response and returns true; returns false, and sends nothing, if the request is closed or has a response.
   * Adds `date`. The body is omitted for HEAD and for statuses without one. Text is sent in UTF-8. Throws a TypeError for a
   * header that HTTP does not allow, and for a `content-length` that is not the length of the body. HTTP/1.0 has no trailers.
   */
  respond(
    status: number,
    headers: HeaderList,
    body: string | Uint8Array | undefined,
    trailers?: HeaderList,
  ): boolean;
  /**
   * Begins a response of unknown length. Parts that are written to a closed request are ignored. Throws a TypeError for a
   * header that HTTP does not allow; `content-length` is omitted, except for HEAD and 304.
   */
  openResponse(status: number, headers: HeaderList): BodyWriter;
  /** Counts bytes of memory that the handler holds, until the request is closed, for the limit of all connections. */
  holdMemory(bytes: number): void;
  /** Calls back once when the request is closed: at once if it is already. */
  onClose(listener: () => void): void;
  /** Aborts the request without the rest of a response: resets the stream (HTTP/2), or closes the connection (HTTP/1). */
  abort(): void;
}
