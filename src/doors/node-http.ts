import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

/** A request as `node:http` or the compatibility API of `node:http2` gives it. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** The response that goes with it. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

/** The value of a header by its lower-case name; several values are joined by a comma (RFC 9110, section 5.3). */
export function headerOf(request: NodeRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}
