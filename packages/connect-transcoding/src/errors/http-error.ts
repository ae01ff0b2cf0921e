import { Code, ConnectError } from "@connectrpc/connect";
import type { Rejection, RejectionReason } from "@utility-tools/http-server";
import { httpStatusOf } from "./codes.js";
import { createError, type FieldViolation } from "./errors.js";

/** Why a request failed before a method was called. */
export type HttpErrorReason =
  | RejectionReason
  | "BODY_CONSUMED"
  | "BODY_NOT_ALLOWED"
  | "HTTP2_REQUIRED"
  | "INVALID_METADATA"
  | "MALFORMED_BODY"
  | "MALFORMED_PATH"
  | "MALFORMED_QUERY"
  | "METHOD_NOT_ALLOWED"
  | "PRECONDITION_FAILED"
  | "ROUTE_NOT_FOUND"
  | "TOO_MANY_UNREAD_RESPONSES"
  | "UNSUPPORTED_CONTENT_ENCODING"
  | "UNSUPPORTED_MEDIA_TYPE";

/** The HTTP statuses of errors whose code maps to another one. Not a subclass: connect-es matches errors by their name. */
const statuses = new WeakMap<ConnectError, number>();

/** The HTTP status of an error. */
export function errorStatus(error: ConnectError): number {
  return statuses.get(error) ?? httpStatusOf(error.code);
}

const errorsOfServer = new WeakSet<ConnectError>();

/** Whether the metadata of an error are headers of the server itself. */
export function hasOwnHeaders(error: ConnectError): boolean {
  return errorsOfServer.has(error);
}

/** Sets the status of an error of the server itself. */
function withStatus(error: ConnectError, status: number): ConnectError {
  statuses.set(error, status);
  errorsOfServer.add(error);
  return error;
}

/** The compression of the request is unknown; the header `acceptHeader` lists the known ones. */
export function unknownCompression(
  requested: string,
  available: readonly { readonly name: string }[],
  acceptHeader: string,
): ConnectError {
  const names = available.map(({ name }) => name).join(",");
  const message = `unknown compression "${requested}": supported encodings are ${names}`;
  const error = new ConnectError(message, Code.Unimplemented, { [acceptHeader]: names });
  return withStatus(error, httpStatusOf(error.code));
}

/** Creates an error with an HTTP status. Its `metadata` are response headers. */
function httpError(
  status: number,
  code: Code,
  reason: HttpErrorReason,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  retryAfter?: number,
): ConnectError {
  const { details } = createError({ code, reason, message, ...(retryAfter !== undefined && { retryAfter }) });
  const error = new ConnectError(message, code, headers);
  error.details = details;
  return withStatus(error, status);
}

/** 500: something before this server has read the body, and has not kept it. */
export function bodyConsumed(): ConnectError {
  return httpError(
    500,
    Code.Internal,
    "BODY_CONSUMED",
    "another middleware has read the body; install this one before it",
  );
}

/** 400: the request cannot be read. */
export function malformed(
  reason:
    | "BODY_NOT_ALLOWED"
    | "INVALID_HOST"
    | "INVALID_METADATA"
    | "MALFORMED_BODY"
    | "MALFORMED_PATH"
    | "MALFORMED_QUERY",
  message: string,
): ConnectError {
  return httpError(400, Code.InvalidArgument, reason, message);
}

/** 400: an escape in the query is malformed, or not UTF-8. */
export function malformedQuery(): ConnectError {
  return malformed("MALFORMED_QUERY", "the query has a malformed percent-encoding, or one that is not UTF-8");
}

/** The codes of rejected requests by their statuses. */
const REJECTION_CODES: Readonly<Record<number, Code>> = {
  408: Code.DeadlineExceeded,
  413: Code.ResourceExhausted,
  414: Code.ResourceExhausted,
  431: Code.ResourceExhausted,
  501: Code.Unimplemented,
  505: Code.Unimplemented,
};

/** The code of a request that the server has rejected with a status. */
export function rejectionCode(status: number): Code {
  return REJECTION_CODES[status] ?? Code.InvalidArgument;
}

/** The server has rejected the request before it reached a method. */
export function rejected({ status, reason, message }: Rejection): ConnectError {
  return httpError(status, rejectionCode(status), reason, message);
}

/**
 * 404: no route matches the path.
 *
 * @param nearest paths that the client may have meant
 */
export function routeNotFound(nearest: readonly string[] = []): ConnectError {
  const suggestion = nearest.length === 0 ? "" : `; did you mean ${nearest.join(" or ")}?`;
  return httpError(404, Code.NotFound, "ROUTE_NOT_FOUND", `no route matches this path${suggestion}`);
}

/** 405: the path takes other HTTP methods, which `Allow` lists (RFC 9110, section 15.5.6). */
export function methodNotAllowed(allowed: readonly string[]): ConnectError {
  const allow = allowed.join(", ");
  const message = `this path does not support the HTTP method; allowed: ${allow}`;
  return httpError(405, Code.Unimplemented, "METHOD_NOT_ALLOWED", message, { allow });
}

/** 412: the response does not have an entity tag in `If-Match` (RFC 9110, section 15.5.13). */
export function preconditionFailed(): ConnectError {
  const message = "no entity tag in If-Match is that of the response, by strong comparison";
  return httpError(412, Code.FailedPrecondition, "PRECONDITION_FAILED", message);
}

/** An error of a method that has been called with the entity tag in `If-Match`: 412 for one by which AIP-154 rejects the tag. */
export function rejectedTag(error: ConnectError): ConnectError {
  if (error.code !== Code.Aborted && error.code !== Code.FailedPrecondition) {
    return error;
  }
  // An implementation may throw one error several times.
  const copy = new ConnectError(error.rawMessage, error.code, error.metadata, undefined, error.cause);
  copy.details = error.details;
  statuses.set(copy, 412);
  return copy;
}

/** 413: the body is longer than `limit` bytes. */
export function bodyTooLarge(limit: number): ConnectError {
  const message = `the request body is too large; allowed: ${limit} bytes`;
  return httpError(413, Code.ResourceExhausted, "BODY_TOO_LARGE", message);
}

/** 413: a message in the body is longer than `limit` bytes. */
export function bodyMessageTooLarge(name: string, limit: number): ConnectError {
  const message = `${name} is too large; allowed: ${limit} bytes`;
  return httpError(413, Code.ResourceExhausted, "BODY_TOO_LARGE", message);
}

/** 415: the media type of the body is not supported; `Accept` lists those that are (RFC 9110, section 12.5.1). */
export function unsupportedMediaType(accepted: readonly string[]): ConnectError {
  const accept = accepted.join(", ");
  const message = `the content type of the body is not supported; allowed: ${accept}, in UTF-8`;
  return httpError(415, Code.InvalidArgument, "UNSUPPORTED_MEDIA_TYPE", message, { accept });
}

/** 415: the body has another content coding than `accepted` (RFC 9110, section 12.5.3). */
export function unsupportedContentEncoding(accepted: "gzip" | "identity"): ConnectError {
  const message = `the content encoding of the body is not supported; allowed: ${accepted}`;
  return httpError(415, Code.InvalidArgument, "UNSUPPORTED_CONTENT_ENCODING", message, {
    "accept-encoding": accepted,
  });
}

/** Seconds after which a request that could not wait any longer may be sent again. */
const RETRY_AFTER = 1;

/** 503: the connection holds too much of the server's memory (RFC 9110, section 15.6.4). */
export function tooManyUnreadResponses(): ConnectError {
  const message = "this connection has too many open requests or unread responses; retry later";
  return httpError(
    503,
    Code.ResourceExhausted,
    "TOO_MANY_UNREAD_RESPONSES",
    message,
    { "retry-after": String(RETRY_AFTER) },
    1_000 * RETRY_AFTER,
  );
}

/** 501: the body has a transfer coding that the server does not understand (RFC 9112, section 6.1). */
export function unsupportedTransferCoding(): ConnectError {
  const message = "the transfer coding of the body is not supported; allowed: chunked";
  return httpError(501, Code.Unimplemented, "UNSUPPORTED_TRANSFER_CODING", message);
}

/** 505: the method has streams in both directions, which need HTTP/2 (RFC 9110, section 15.6.6). */
export function http2Required(): ConnectError {
  const message = "this method has streams in both directions; call it over HTTP/2";
  return httpError(505, Code.Unimplemented, "HTTP2_REQUIRED", message);
}

/** `; allowed: a, b` with each value once; empty without values. */
export function allowedValues(values: readonly string[]): string {
  const unique = [...new Set(values)];
  return unique.length === 0 ? "" : `; allowed: ${unique.join(", ")}`;
}

/** Shortens a name that a client sent, so that an error can repeat it. */
export function abbreviate(name: string): string {
  if (name.length <= MAX_NAME) {
    return name;
  }
  // A character has at most two code units, and one more than is kept says that the name is longer.
  const characters = [...name.slice(0, 2 * (MAX_NAME + 1))];
  return characters.length <= MAX_NAME ? characters.join("") : `${characters.slice(0, MAX_NAME).join("")}…`;
}

const MAX_NAME = 64;

/** The limit of violations collected from one request. Exceeds the number that an error lists. */
export const MAX_GATHERED = 100;

/** Adds a violation, up to the limit. */
export function addViolation(violations: FieldViolation[], violation: FieldViolation): void {
  if (violations.length < MAX_GATHERED) {
    violations.push(violation);
  }
}
