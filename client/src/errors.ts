import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  type RetryInfo,
  RetryInfoSchema,
} from "@utility-tools/protos/google/rpc/error_details_pb.js";

/** One invalid field of a request. */
export interface Violation {
  /** Path of the field, as in the API documentation: `email`, or `emails[2]`. */
  readonly field: string;
  /** Machine-readable reason: `INVALID_DIGITS`. Empty if the error has none. */
  readonly reason: string;
  /** Description for people. */
  readonly description: string;
}

/** The content of an error. */
export interface CallError {
  readonly code: Code;
  /** For people, and may change. Programs use `code` and `reason`. */
  readonly message: string;
  /**
   * Stable, machine-readable reason: `COUNTRY_NOT_FOUND` (`google.rpc.ErrorInfo`). Empty if the error does not come from the
   * service: a broken connection, an expired deadline, a proxy's response.
   */
  readonly reason: string;
  /** Details of the reason: `{ range: "Private-Use", block: "10.0.0.0/8" }`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** All invalid fields (`google.rpc.BadRequest`). */
  readonly violations: readonly Violation[];
  /**
   * Milliseconds to wait before a retry, if the service sent them (`google.rpc.RetryInfo`, or `Retry-After` in seconds: RFC 9110,
   * section 10.2.3).
   */
  readonly retryAfter: number | undefined;
}

/** Reads the error of a call. A value that is not a `ConnectError` has the code `UNKNOWN`. */
export function readError(thrown: unknown): CallError {
  const error = ConnectError.from(thrown);
  const info = error.findDetails(ErrorInfoSchema)[0];
  return {
    code: error.code,
    message: error.rawMessage,
    reason: info?.reason ?? "",
    metadata: { ...info?.metadata },
    violations: error
      .findDetails(BadRequestSchema)
      .flatMap(({ fieldViolations }) =>
        fieldViolations.map(({ field, reason, description }) => ({ field, reason, description })),
      ),
    retryAfter:
      millisecondsOf(error.findDetails(RetryInfoSchema)[0]) ?? fromHeader(error.metadata.get("retry-after")),
  };
}

/**
 * Returns a copy of an error whose `message` names the method, each invalid field, and the reasons:
 * `[invalid_argument] geoIp.lookupIp: ip_address: is required (REQUIRED)`. {@link readError} returns the message without them.
 *
 * @param method `geoIp.lookupIp`
 */
export function nameMethod(thrown: unknown, method: string): ConnectError {
  const error = ConnectError.from(thrown);
  const { reason, violations } = readError(error);
  const withReason = (text: string, why: string) => (why === "" ? text : `${text} (${why})`);
  const text =
    violations.length === 0
      ? withReason(error.rawMessage, reason)
      : violations.map((each) => withReason(`${each.field}: ${each.description}`, each.reason)).join("; ");
  const named = new ConnectError(`${method}: ${text}`, error.code, error.metadata, undefined, error.cause);
  return Object.assign(named, { rawMessage: error.rawMessage, details: error.details });
}

function millisecondsOf(info: RetryInfo | undefined): number | undefined {
  const delay = info?.retryDelay;
  return delay && Math.max(0, Number(delay.seconds) * 1_000 + Math.ceil(delay.nanos / 1_000_000));
}

/** Ignores the HTTP-date form, which depends on the server's clock. */
function fromHeader(value: string | null): number | undefined {
  return value !== null && /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : undefined;
}

/**
 * Wraps a transport so that every connection failure has the code `UNAVAILABLE`, as in gRPC
 * (https://grpc.github.io/grpc/core/md_doc_statuscodes.html). connect's transports report `ABORTED`, `CANCELED`, `UNKNOWN` and other
 * codes for it.
 *
 * @param isUnreachable Returns whether an error means that a connection was refused, broke, or could not be made. Not called for
 *   calls that the program canceled.
 */
export function withUnavailable(
  inner: Transport,
  isUnreachable: (error: ConnectError) => boolean,
): Transport {
  const rethrow = (signal: AbortSignal | undefined) => (thrown: unknown) => {
    const error = ConnectError.from(thrown);
    if (error.code !== Code.Unavailable && signal?.aborted !== true && isUnreachable(error)) {
      throw new ConnectError(
        `the service is unreachable or the connection was lost: ${error.rawMessage}`,
        Code.Unavailable,
        error.metadata,
        undefined,
        error.cause,
      );
    }
    throw error;
  };
  return {
    unary: (method, signal, ...rest) => inner.unary(method, signal, ...rest).catch(rethrow(signal)),
    stream: (method, signal, ...rest) => inner.stream(method, signal, ...rest).catch(rethrow(signal)),
  };
}
