import { Code } from "@connectrpc/connect";
import { codeName, type RequestRecord } from "connect-transcoding";
import { requestKind } from "../request-kind.js";

/** The part of a record that says how the request ended. */
type Outcome = Pick<RequestRecord, "code" | "path" | "protocol" | "status">;

/** Failures of the service itself. Clients cause the others, such as an expired deadline or an unknown method. */
const OWN_FAILURES: ReadonlySet<Code> = new Set([
  Code.Unknown,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

/** Returns whether a request failed. */
export function isFailure(outcome: Outcome): boolean {
  return outcomeCode(outcome) !== undefined;
}

/** Returns whether a request failed because of the service itself. */
export function isOwnFailure(outcome: Outcome): boolean {
  const { code, status } = outcome;
  return code === undefined ? isFailure(outcome) && status >= 500 : OWN_FAILURES.has(code);
}

/**
 * Returns the canonical code of a request's outcome; undefined means OK. A failure without a code is `UNKNOWN`. A health
 * check that returns "not ready" is not a failure: over gRPC it is a successful `NOT_SERVING`, over HTTP a 503.
 */
export function outcomeCode(outcome: Outcome): Code | undefined {
  const { code, status } = outcome;
  return code ?? (status >= 400 && requestKind(outcome) !== "health" ? Code.Unknown : undefined);
}

/** Returns `OK` or the name of the canonical code of a request's outcome. */
export function outcomeName(outcome: Outcome): string {
  const code = outcomeCode(outcome);
  return code === undefined ? "OK" : codeName(code);
}

/** The HTTP methods of RFC 9110 and RFC 5789. */
const HTTP_METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "CONNECT",
  "OPTIONS",
  "TRACE",
  "PATCH",
]);

/** Returns an HTTP method, or `_OTHER` if it is unknown: over HTTP/2 clients can send any text as the method. */
export function knownHttpMethod(httpMethod: string): string {
  return HTTP_METHODS.has(httpMethod) ? httpMethod : "_OTHER";
}

/** The longest text of a client in a log line or a span, in UTF-16 code units. */
export const MAX_CLIENT_TEXT = 128;
