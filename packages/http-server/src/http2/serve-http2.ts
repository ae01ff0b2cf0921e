import type { Socket } from "node:net";
import type { ConnectionOptions } from "../options.js";
import { Http2Connection } from "./connection.js";
import type { OutputBuffer } from "./output-buffer.js";

/** A connection that `serveHttp2` serves. Its owner calls `check` periodically; timeouts depend on it. */
export type ServedHttp2Connection = Pick<
  Http2Connection,
  "check" | "idleSince" | "shutDown" | "close" | "destroy"
>;

/**
 * Serves HTTP/2 on a connection (RFC 9113), from the connection preface on. The caller must not read or write the socket, which
 * may have unread bytes.
 *
 * @param output shared by the connections of a server
 */
export function serveHttp2(
  socket: Socket,
  options: ConnectionOptions,
  output: OutputBuffer,
): ServedHttp2Connection {
  return new Http2Connection(socket, options, output);
}
