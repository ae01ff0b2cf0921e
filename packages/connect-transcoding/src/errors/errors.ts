import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type BadRequest,
  BadRequestSchema,
  type ErrorInfo,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "../../gen/google/rpc/error_details_pb.js";

/** One invalid field of a request. */
export interface FieldViolation {
  /** The path of the field in proto names, joined by dots; empty for the message itself. */
  readonly field: string;
  /** Stable and machine-readable, in UPPER_SNAKE_CASE. */
  readonly reason: Uppercase<string>;
  /** A human-readable description of the problem and the allowed values. Must not contain a secret. */
  readonly description: string;
}

/** The content of an error with `google.rpc` details. */
export interface ErrorInit {
  readonly code: Code;
  /** The stable reason of the `google.rpc.ErrorInfo`, in UPPER_SNAKE_CASE. */
  readonly reason: Uppercase<string>;
  /** A human-readable description of the problem, its place and the allowed values. Sent to the client. */
  readonly message: string;
  /** Become a `google.rpc.BadRequest`. */
  readonly violations?: readonly FieldViolation[];
  /** Facts for programs, the `metadata` of the `google.rpc.ErrorInfo`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Milliseconds after which the same request may succeed; becomes a `google.rpc.RetryInfo`. */
  readonly retryAfter?: number;
}

/** A detail of an error: one that is yet to be sent, or one that another server has sent. */
export type ErrorDetail = ConnectError["details"][number];

type OutgoingDetail = Exclude<ErrorDetail, { type: string }>;

/** The name of the type of a detail, and its bytes. Throws an Error for a value that is not of its type. */
export function packDetail(detail: ErrorDetail): { readonly type: string; readonly value: Uint8Array } {
  return "desc" in detail
    ? { type: detail.desc.typeName, value: toBinary(detail.desc, create(detail.desc, detail.value)) }
    : { type: detail.type, value: detail.value };
}

/**
 * Creates a ConnectError with the details of AIP-193: an `ErrorInfo`, a `BadRequest` if fields are invalid, and a
 * `RetryInfo` if the request can be retried. The server fills in the domain of the `ErrorInfo`.
 * https://google.aip.dev/193
 */
export function createError(init: ErrorInit): ConnectError {
  return new ConnectError(init.message, init.code, undefined, detailsOf(init));
}

function detailsOf({ reason, violations = [], metadata = {}, retryAfter }: ErrorInit): OutgoingDetail[] {
  const details: OutgoingDetail[] = [];
  if (violations.length > 0) {
    details.push(detail(BadRequestSchema, { fieldViolations: violations.map((each) => ({ ...each })) }));
  }
  if (retryAfter !== undefined) {
    details.push(detail(RetryInfoSchema, { retryDelay: durationFromMs(retryAfter) }));
  }
  details.push(detail(ErrorInfoSchema, { reason, metadata: { ...metadata } }));
  return details;
}

function detail<Desc extends DescMessage>(desc: Desc, value: MessageInitShape<Desc>): OutgoingDetail {
  return { desc, value };
}

/** The limit of violations in one error, so that a hostile request does not get a giant response. */
const MAX_VIOLATIONS = 50;

/** `INVALID_ARGUMENT` with the first fifty violations, equal ones once. */
export function invalidArgument(violations: readonly FieldViolation[]): ConnectError {
  return createError(invalidFields(violations));
}

/** The content of {@link invalidArgument}. */
export function invalidFields(all: readonly FieldViolation[]): ErrorInit {
  const unique = new Map(
    all.map((violation) => [`${violation.field} ${violation.reason} ${violation.description}`, violation]),
  );
  const violations = [...unique.values()].slice(0, MAX_VIOLATIONS);
  return {
    code: Code.InvalidArgument,
    reason: "INVALID_PARAMETERS",
    message: listOf(violations),
    violations,
  };
}

function listOf(violations: readonly Pick<FieldViolation, "field" | "description">[]): string {
  return violations
    .map(({ field, description }) => (field === "" ? description : `${field}: ${description}`))
    .join("; ");
}

/**
 * An error with other names of the fields in its violations. A message that lists them has the new names; everything else stays. Returns the
 * error itself if it has no `google.rpc.BadRequest`.
 */
export function renameFields(error: ConnectError, nameOf: (field: string) => string): ConnectError {
  let message = error.rawMessage;
  let hasChanged = false;
  const details = error.details.map((each): ErrorDetail => {
    const value = badRequestIn(each);
    if (value === undefined) {
      return each;
    }
    const before = value.fieldViolations;
    const fieldViolations = before.map((violation) => ({ ...violation, field: nameOf(violation.field) }));
    hasChanged = true;
    message = message === listOf(before) ? listOf(fieldViolations) : message;
    return { desc: BadRequestSchema, value: { ...value, fieldViolations } };
  });
  if (!hasChanged) {
    return error;
  }
  const renamed = new ConnectError(message, error.code, error.metadata, undefined, error.cause);
  renamed.details = details;
  return renamed;
}

/** The `google.rpc.BadRequest` in a detail; undefined for other details and for malformed bytes. */
function badRequestIn(detail: ErrorDetail): BadRequest | undefined {
  const typeName = "desc" in detail ? detail.desc.typeName : detail.type;
  if (typeName !== BadRequestSchema.typeName) {
    return undefined;
  }
  try {
    return fromBinary(BadRequestSchema, packDetail(detail).value);
  } catch {
    return undefined;
  }
}

/** The violations in the `google.rpc.BadRequest` of an outgoing error; empty without one. */
export function violationsOf(error: ConnectError): readonly FieldViolation[] {
  for (const each of error.details) {
    if ("desc" in each && each.desc.typeName === BadRequestSchema.typeName) {
      const { fieldViolations = [] } = each.value as MessageInitShape<typeof BadRequestSchema>;
      return fieldViolations as readonly FieldViolation[];
    }
  }
  return [];
}

/** The reason in the `google.rpc.ErrorInfo` of an outgoing error; empty without one. */
export function reasonOf(error: ConnectError): string {
  for (const each of error.details) {
    if ("desc" in each && each.desc.typeName === ErrorInfoSchema.typeName) {
      return (each.value as Partial<ErrorInfo>).reason ?? "";
    }
  }
  return "";
}

/** Sets the domain of every outgoing `google.rpc.ErrorInfo` that has none. Returns the error. */
export function withDomain(error: ConnectError, domain: string): ConnectError {
  const needsDomain = (each: ConnectError["details"][number]): each is OutgoingDetail =>
    "desc" in each &&
    each.desc.typeName === ErrorInfoSchema.typeName &&
    ((each.value as Partial<ErrorInfo>).domain ?? "") === "";
  if (error.details.some(needsDomain)) {
    error.details = error.details.map((each) =>
      needsDomain(each) ? { desc: each.desc, value: { ...each.value, domain } } : each,
    );
  }
  return error;
}

/** The error that a client receives for an unexpected exception. It omits the text, which may contain data of other clients. */
export function internalError(): ConnectError {
  return createError({ code: Code.Internal, reason: "INTERNAL", message: "internal error" });
}

/** The client has disconnected or has cancelled the call. */
export function cancelled(): ConnectError {
  return createError({ code: Code.Canceled, reason: "CANCELLED", message: "the call was cancelled" });
}

/** The deadline of the call has expired. The error has no details, like the error that clients create for it. */
export function deadlineExceeded(): ConnectError {
  return new ConnectError("the deadline of the call has expired", Code.DeadlineExceeded);
}

/** The error for a response message that is longer than `writeMaxBytes`. */
export function responseTooLarge(maxBytes: number): ConnectError {
  return new ConnectError(`the response message is larger than ${maxBytes} bytes`, Code.ResourceExhausted);
}

/** The message is longer than `limit` bytes. */
export function messageTooLarge(limit: number): ConnectError {
  return new ConnectError(`the message is too large; allowed: ${limit} bytes`, Code.ResourceExhausted);
}

/** The message is not in the binary format of its type. */
export function malformedMessage(format: "binary" | "JSON" = "binary"): ConnectError {
  return new ConnectError(`the message is not in the ${format} format of its type`, Code.InvalidArgument);
}
