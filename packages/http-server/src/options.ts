import type { ByteBudget } from "./byte-budget.js";
import type { ServerRequest } from "./request.js";

/** Timeouts and limits of connections. All times are in milliseconds. */
export interface ConnectionOptions {
  /** Called with each request, once its header section has been received. Must not throw. */
  readonly onRequest: (request: ServerRequest) => void;
  /** Time until the connection preface, and then each header section, must be complete. */
  readonly headersTimeout: number;
  /** Time until a request must be complete, and in which the client must read part of a response. */
  readonly requestTimeout: number;
  /** Time without a request until the connection closes, and without data, if there are requests, until a PING is sent. */
  readonly idleTimeout: number;
  /** Time until the client must acknowledge a PING, or close a connection after a GOAWAY. */
  readonly pingTimeout: number;
  /** The maximum number of concurrent requests on one HTTP/2 connection. */
  readonly maxConcurrentStreams: number;
  /** The maximum length of a header section in bytes. */
  readonly maxHeaderBytes: number;
  /** Whether a request is a stream, which may take longer than `requestTimeout`. */
  readonly isOpenEnded: (request: ServerRequest) => boolean;
  /** The bytes that all connections may hold. */
  readonly budget: ByteBudget;
}
