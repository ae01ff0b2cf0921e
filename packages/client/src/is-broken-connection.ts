import { Code, type ConnectError } from "@connectrpc/connect";

/** The codes of Node's errors for connections that broke or could not be made. */
const CODES: ReadonlySet<unknown> = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ERR_HTTP2_GOAWAY_SESSION",
  "ERR_HTTP2_INVALID_SESSION",
  "ERR_HTTP2_SESSION_ERROR",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ETIMEDOUT",
]);

/**
 * What connect-node says of the streams of a session that broke: Node closes them as if somebody had cancelled them, and tells
 * no cause.
 */
const CANCELLED_STREAM = /^http\/2 stream closed with error code CANCEL\b/;

/** How deep causes are followed. */
const DEEPEST = 8;

/**
 * Whether an error of connect-node's comes from a connection that broke or could not be made.
 *
 * @param error of a call that its caller has not cancelled
 */
export function isBrokenConnection(error: ConnectError): boolean {
  if (error.code === Code.Canceled && CANCELLED_STREAM.test(error.rawMessage)) {
    return true;
  }
  let cause: unknown = error.cause;
  for (let depth = 0; depth < DEEPEST && cause instanceof Error; depth++) {
    if ("code" in cause && CODES.has(cause.code)) {
      return true;
    }
    cause = cause.cause;
  }
  return false;
}
