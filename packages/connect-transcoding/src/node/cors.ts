import { cors as protocols } from "@connectrpc/connect";
import { createReply } from "../response/representation.js";
import type { Exchange } from "./exchange.js";

/**
 * Lets pages of other origins ask: adds headers to the answer, and answers the question that browsers ask first, in which
 * case it gives true, and the request is done.
 */
export type CorsRule = (exchange: Exchange) => boolean;

/** How long browsers may keep the answer to their first question, in seconds: what Chromium takes at most. */
const MAX_AGE = 7200;

/** Headers of answers that scripts may see beside those that they always may. */
const EXPOSED = [
  ...protocols.exposedHeaders.map((name) => name.toLowerCase()),
  ...["etag", "retry-after", "ratelimit", "ratelimit-policy", "www-authenticate", "x-request-id"],
].join(", ");

/** What a list of header names or an HTTP method is written in; what is something else is not repeated. */
const TOKENS = /^[\w!#$%&'*+.^`|~, -]{1,1024}$/;

/**
 * Makes the rule for some origins, or for all (`*`). Credentials are never asked for: a caller's key is in a header that its
 * script sets, not in what browsers add by themselves, so that any header may be sent.
 * https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function corsRule(origins: readonly string[]): CorsRule {
  const all = origins.includes("*");
  const allowed = new Set(origins);

  return (exchange) => {
    const origin = exchange.header("origin");
    // A cache must not give one origin the answer that was for another, or for none: not where all may ask either, for an
    // answer to no origin lets none read it (https://fetch.spec.whatwg.org/#cors-protocol-and-http-caches).
    exchange.addHeader("vary", "origin");
    if (origin === undefined || !(all || allowed.has(origin))) {
      return false;
    }
    exchange.addHeader("access-control-allow-origin", all ? "*" : origin);
    const method = exchange.header("access-control-request-method");
    if (exchange.verb !== "OPTIONS" || method === undefined) {
      exchange.addHeader("access-control-expose-headers", EXPOSED);
      return false;
    }
    const headers = exchange.header("access-control-request-headers");
    // HTTP keeps no answers to OPTIONS, but some networks for content can be told to.
    exchange.addHeader("vary", "access-control-request-method, access-control-request-headers");
    const answer = ["access-control-max-age", String(MAX_AGE)];
    if (TOKENS.test(method)) {
      answer.push("access-control-allow-methods", method);
    }
    if (headers !== undefined && TOKENS.test(headers)) {
      answer.push("access-control-allow-headers", headers);
    }
    exchange.respond(createReply(204, answer, ""));
    return true;
  };
}
