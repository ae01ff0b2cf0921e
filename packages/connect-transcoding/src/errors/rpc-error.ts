import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import type { Failure, Result } from "../result.js";
import { violationsOf } from "./errors.js";

/** The `domain` of every `google.rpc.ErrorInfo` that this service sends. */
const ERROR_DOMAIN = "utilitytools";

/** What is wrong with one field of a request; `field` is the path of its proto names, joined by dots. */
export interface FieldViolation extends Failure {
  readonly field: string;
}

/** What an {@link RpcError} is made of. */
export interface RpcErrorInit {
  /** The canonical code. */
  readonly code: Code;
  /** The stable reason of the `google.rpc.ErrorInfo`, in UPPER_SNAKE_CASE. */
  readonly reason: Uppercase<string>;
  /** For people: what is wrong, where, and what is allowed. Reaches the caller. */
  readonly message: string;
  /** What is wrong with which field; becomes a `google.rpc.BadRequest`. */
  readonly violations?: readonly FieldViolation[];
  /** Facts for programs; becomes the `metadata` of the `google.rpc.ErrorInfo`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Whole milliseconds after which the same request may succeed; becomes a `google.rpc.RetryInfo`. */
  readonly retryAfter?: number;
  /** The details in place of those that are made of the above. */
  readonly details?: readonly ErrorDetail[];
}

/** An expected failure of a call, as its caller gets to see it through every door. */
export class RpcError extends Error {
  readonly code: Code;
  readonly reason: Uppercase<string>;
  readonly violations: readonly FieldViolation[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly retryAfter: number | undefined;
  readonly details: readonly ErrorDetail[] | undefined;

  constructor(init: RpcErrorInit) {
    super(init.message);
    this.name = "RpcError";
    this.code = init.code;
    this.reason = init.reason;
    this.violations = init.violations ?? [];
    this.metadata = init.metadata ?? {};
    this.retryAfter = init.retryAfter;
    this.details = init.details;
  }
}

/** Converts a ConnectError of {@link createError}; returns anything else as it is. */
export function toRpcError<T>(thrown: T): T | RpcError {
  const error: unknown = thrown;
  if (!(error instanceof ConnectError)) {
    return thrown;
  }
  for (const each of error.details) {
    if ("desc" in each && each.desc.typeName === ErrorInfoSchema.typeName) {
      const { reason } = each.value as { readonly reason: Uppercase<string> };
      const violations = violationsOf(error);
      return new RpcError({ code: error.code, reason, message: error.rawMessage, violations });
    }
  }
  return thrown;
}

/** Violations that one error lists at the most, so that a hostile request does not get a giant answer. */
const MAX_VIOLATIONS = 50;

/** `INVALID_ARGUMENT` with what is wrong with the request's fields, each once; the first fifty, should there be more. */
export function invalidArgument(all: readonly FieldViolation[]): RpcError {
  return new RpcError(invalidFields(all));
}

/** What {@link invalidArgument} is made of. */
export function invalidFields(all: readonly FieldViolation[]): RpcErrorInit {
  const unique = new Map(all.map((violation) => [`${violation.field} ${violation.reason}`, violation]));
  const violations = [...unique.values()].slice(0, MAX_VIOLATIONS);
  return {
    code: Code.InvalidArgument,
    reason: "INVALID_PARAMETERS",
    message: violations.map(({ field, description }) => `${field}: ${description}`).join("; "),
    violations,
  };
}

/** The value of a result; throws the error that its failure is. */
export function orThrow<T>(result: Result<T, RpcErrorInit>): T {
  if (!result.ok) {
    throw new RpcError(result.failure);
  }
  return result.value;
}

/** `NOT_FOUND` for a reason of the tool's own. */
export function notFound(failure: Failure, metadata: Readonly<Record<string, string>> = {}): RpcError {
  return new RpcError(missing(failure, metadata));
}

/** What {@link notFound} is made of. */
export function missing(failure: Failure, metadata: Readonly<Record<string, string>> = {}): RpcErrorInit {
  return { code: Code.NotFound, reason: failure.reason, message: failure.description, metadata };
}

/** A message that says more about an error, with its type: one of `google.rpc` as a rule. */
export interface ErrorDetail<Desc extends DescMessage = DescMessage> {
  readonly desc: Desc;
  readonly value: MessageInitShape<Desc>;
}

/**
 * The details of an error: its own, or a `google.rpc.ErrorInfo`, with a `google.rpc.BadRequest` where fields are at
 * fault and a `google.rpc.RetryInfo` where waiting helps.
 * https://google.aip.dev/193#error_model
 */
export function errorDetails(error: RpcError): readonly ErrorDetail[] {
  if (error.details !== undefined) {
    return error.details;
  }
  const details: ErrorDetail[] = [];
  if (error.violations.length > 0) {
    const badRequest: ErrorDetail<typeof BadRequestSchema> = {
      desc: BadRequestSchema,
      value: { fieldViolations: error.violations.map((violation) => ({ ...violation })) },
    };
    details.push(badRequest);
  }
  if (error.retryAfter !== undefined) {
    const retryInfo: ErrorDetail<typeof RetryInfoSchema> = {
      desc: RetryInfoSchema,
      value: { retryDelay: durationFromMs(error.retryAfter) },
    };
    details.push(retryInfo);
  }
  const info: ErrorDetail<typeof ErrorInfoSchema> = {
    desc: ErrorInfoSchema,
    value: { reason: error.reason, domain: ERROR_DOMAIN, metadata: { ...error.metadata } },
  };
  details.push(info);
  return details;
}

/**
 * The HTTP status that stands for each canonical code.
 * https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto
 */
const HTTP_STATUSES: Readonly<Record<Code, number>> = {
  [Code.Canceled]: 499,
  [Code.Unknown]: 500,
  [Code.InvalidArgument]: 400,
  [Code.DeadlineExceeded]: 504,
  [Code.NotFound]: 404,
  [Code.AlreadyExists]: 409,
  [Code.PermissionDenied]: 403,
  [Code.ResourceExhausted]: 429,
  [Code.FailedPrecondition]: 400,
  [Code.Aborted]: 409,
  [Code.OutOfRange]: 400,
  [Code.Unimplemented]: 501,
  [Code.Internal]: 500,
  [Code.Unavailable]: 503,
  [Code.DataLoss]: 500,
  [Code.Unauthenticated]: 401,
};

/** The HTTP status that stands for a canonical code. */
export function httpStatusOf(code: Code): number {
  return HTTP_STATUSES[code];
}
