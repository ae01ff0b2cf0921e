import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

/** A request as `node:http` or the compatibility API of `node:http2` gives it. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** The response that goes with it. */
export type NodeResponse = ServerResponse | Http2ServerResponse;

const AUTHORIZATION = "authorization";

/**
 * The value of a header by its lower-case name; several values are joined by a comma (RFC 9110, section 5.3). Of
 * `Authorization` too, of which Node keeps the first alone: which of two a proxy went by is anyone's guess, so that who
 * decides by that header has to know of both.
 *
 * @param rawHeaders names and values as they came, in turn
 */
export function headerIn(
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  name: string,
): string | undefined {
  const value = headers[name];
  if (name === AUTHORIZATION && value !== undefined) {
    const isOne = (_: string, index: number): boolean =>
      index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === AUTHORIZATION;
    return rawHeaders.filter(isOne).join(", ");
  }
  return Array.isArray(value) ? value.join(", ") : value;
}
