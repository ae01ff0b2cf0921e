import { Code, ConnectError } from "@connectrpc/connect";
import { createError, type FieldViolation } from "./errors.js";

/** Why a request failed before a method was called. */
export type HttpErrorReason =
  | "BODY_NOT_ALLOWED"
  | "BODY_TOO_LARGE"
  | "INVALID_HOST"
  | "MALFORMED_BODY"
  | "MALFORMED_PATH"
  | "MALFORMED_QUERY"
  | "METHOD_NOT_ALLOWED"
  | "ROUTE_NOT_FOUND"
  | "UNSUPPORTED_CONTENT_ENCODING"
  | "UNSUPPORTED_MEDIA_TYPE";

/** An error of plain HTTP, with a status that no canonical code maps to. Its `metadata` are response headers. */
export class HttpError extends ConnectError {
  readonly status: number;

  constructor(
    status: number,
    code: Code,
    reason: HttpErrorReason,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message, code, headers);
    this.details = createError({ code, reason, message }).details;
    this.name = "HttpError";
    this.status = status;
  }
}

/** 400: the request cannot be read. */
export function malformed(
  reason: "BODY_NOT_ALLOWED" | "INVALID_HOST" | "MALFORMED_BODY" | "MALFORMED_PATH" | "MALFORMED_QUERY",
  message: string,
): HttpError {
  return new HttpError(400, Code.InvalidArgument, reason, message);
}

/** 404: no route matches the path. */
export function routeNotFound(): HttpError {
  return new HttpError(404, Code.NotFound, "ROUTE_NOT_FOUND", "there is nothing at this path");
}

/** 405: the path takes other HTTP methods, which `Allow` lists (RFC 9110, section 15.5.6). */
export function methodNotAllowed(allowed: readonly string[]): HttpError {
  const allow = allowed.join(", ");
  const message = `this path does not take the method of this request; allowed: ${allow}`;
  return new HttpError(405, Code.Unimplemented, "METHOD_NOT_ALLOWED", message, { allow });
}

/** 413: the body is longer than `limit` bytes. */
export function bodyTooLarge(limit: number): HttpError {
  const message = `the request body is too large; allowed: ${limit} bytes`;
  return new HttpError(413, Code.ResourceExhausted, "BODY_TOO_LARGE", message);
}

/** 415: the media type of the body is not supported; `Accept` lists those that are (RFC 9110, section 12.5.1). */
export function unsupportedMediaType(accepted: readonly string[]): HttpError {
  const accept = accepted.join(", ");
  const message = `the content type of the body is not supported; allowed: ${accept}, in UTF-8`;
  return new HttpError(415, Code.InvalidArgument, "UNSUPPORTED_MEDIA_TYPE", message, { accept });
}

/** 415: the body is compressed (RFC 9110, section 12.5.3). */
export function unsupportedContentEncoding(): HttpError {
  const message = "the body has a content encoding; allowed: identity";
  return new HttpError(415, Code.InvalidArgument, "UNSUPPORTED_CONTENT_ENCODING", message, {
    "accept-encoding": "identity",
  });
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
  const characters = [...name.slice(0, 2 * MAX_NAME)];
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
