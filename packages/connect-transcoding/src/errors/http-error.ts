import { Code } from "@connectrpc/connect";
import { type FieldViolation, RpcError } from "./rpc-error.js";

/** Why a request failed before any method was called, or could not be one at all. */
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

/** A failure that exists over HTTP alone, with a status that no canonical code maps to, or with headers. */
export class HttpError extends RpcError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: Code,
    reason: HttpErrorReason,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super({ code, reason, message });
    this.name = "HttpError";
    this.status = status;
    this.headers = headers;
  }
}

/** 400: the request cannot be read. */
export function malformed(
  reason: "BODY_NOT_ALLOWED" | "INVALID_HOST" | "MALFORMED_BODY" | "MALFORMED_PATH" | "MALFORMED_QUERY",
  message: string,
): HttpError {
  return new HttpError(400, Code.InvalidArgument, reason, message);
}

/** 404: no template matches the path. */
export function routeNotFound(): HttpError {
  return new HttpError(404, Code.NotFound, "ROUTE_NOT_FOUND", "there is nothing at this path");
}

/** 405: the path exists, with other methods; `Allow` names them (RFC 9110, section 15.5.6). */
export function methodNotAllowed(allowed: readonly string[]): HttpError {
  const allow = allowed.join(", ");
  const message = `this path does not take the method of this request; allowed: ${allow}`;
  return new HttpError(405, Code.Unimplemented, "METHOD_NOT_ALLOWED", message, { allow });
}

/** 413: the body is longer than `limit` octets. */
export function bodyTooLarge(limit: number): HttpError {
  const message = `the request body is too large; allowed: ${limit} octets`;
  return new HttpError(413, Code.ResourceExhausted, "BODY_TOO_LARGE", message);
}

/** 415: the body is of a type that the method does not take; `Accept` names those it takes (RFC 9110, 12.5.1). */
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

/** `; allowed: a, b`, each value once, or nothing where there is nothing to list. */
export function allowedValues(values: readonly string[]): string {
  const unique = [...new Set(values)];
  return unique.length === 0 ? "" : `; allowed: ${unique.join(", ")}`;
}

/** A name that a caller made up, short enough to be repeated in an error. */
export function abbreviate(name: string): string {
  if (name.length <= MAX_NAME) {
    return name;
  }
  const characters = [...name.slice(0, 2 * MAX_NAME)];
  return characters.length <= MAX_NAME ? characters.join("") : `${characters.slice(0, MAX_NAME).join("")}…`;
}

const MAX_NAME = 64;

/** Violations that are gathered of one request at the most: more than one error tells of. */
export const MAX_GATHERED = 100;

/** Adds a violation, unless there are many already. */
export function addViolation(violations: FieldViolation[], violation: FieldViolation): void {
  if (violations.length < MAX_GATHERED) {
    violations.push(violation);
  }
}
