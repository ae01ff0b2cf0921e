import { cors as protocols } from "@connectrpc/connect";
import { outgoingResponse } from "../../routes/encoding/representation.js";
import type { Exchange } from "./exchange.js";

/**
 * Adds the CORS headers to a response. Answers a preflight request itself, and then returns true.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export type HandleCors = (exchange: Exchange) => boolean;

/** How long browsers may cache a preflight response, in seconds: the maximum of Chromium. */
const MAX_AGE = 7200;

/**
 * Response headers that scripts may read in addition to the safelisted ones: all, as handlers and upstreams set others. Browsers read `*` so,
 * because credentials are not allowed; those before 2019 need the names.
 */
const EXPOSED = [
  ...protocols.exposedHeaders.map((name) => name.toLowerCase()),
  ...["etag", "retry-after", "ratelimit", "ratelimit-policy", "www-authenticate", "x-request-id", "*"],
].join(", ");

/** A list of header names or an HTTP method; anything else is not echoed. */
const TOKENS = /^[\w!#$%&'*+.^`|~, -]{1,1024}$/;

/**
 * Allows some origins, or all (`*`). Any header is allowed, because credentials are not: scripts set the API key as a
 * header, browsers do not send it by themselves.
 */
export function createCors(origins: readonly string[]): HandleCors {
  const all = origins.includes("*");
  const allowed = new Set(origins);

  return (exchange) => {
    const origin = exchange.header("origin");
    // Needed even if all origins are allowed: a cached response to a request without an origin has no CORS headers
    // (https://fetch.spec.whatwg.org/#cors-protocol-and-http-caches).
    // With `accept-encoding`, because the response can have another `Vary` header, and nginx before 1.23 reads only the last one.
    exchange.addHeader("vary", "origin, accept-encoding");
    if (origin === undefined || !(all || allowed.has(origin))) {
      return false;
    }
    exchange.addHeader("access-control-allow-origin", all ? "*" : origin);
    const method = exchange.header("access-control-request-method");
    if (exchange.httpMethod !== "OPTIONS" || method === undefined) {
      exchange.addHeader("access-control-expose-headers", EXPOSED);
      return false;
    }
    const headers = exchange.header("access-control-request-headers");
    // HTTP does not cache responses to OPTIONS, but content delivery networks can be configured to.
    exchange.addHeader("vary", "access-control-request-method, access-control-request-headers");
    const response = ["access-control-max-age", String(MAX_AGE)];
    if (TOKENS.test(method)) {
      response.push("access-control-allow-methods", method);
    }
    if (headers !== undefined && TOKENS.test(headers)) {
      response.push("access-control-allow-headers", headers);
    }
    exchange.respond(outgoingResponse(204, response, ""));
    return true;
  };
}
