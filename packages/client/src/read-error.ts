import { type Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  type RetryInfo,
  RetryInfoSchema,
} from "@utility-tools/protos/google/rpc/error_details_pb.js";

/** One field of a request that is wrong. */
export interface Violation {
  /** The path of the field, as the service's documentation writes it: `email`, or `emails[2]`. */
  readonly field: string;
  /** What is wrong, for programs: `INVALID_DIGITS`. Empty where the error does not tell. */
  readonly reason: string;
  /** What is wrong, for people. */
  readonly description: string;
}

/** What an error of a call says. */
export interface CallError {
  readonly code: Code;
  /** For people. Programs go by `code` and `reason`. */
  readonly message: string;
  /**
   * What kind of error it is, for programs: `COUNTRY_NOT_FOUND` (`google.rpc.ErrorInfo`). Empty for errors that do not come
   * from the service's methods: no connection, time that is up, a proxy's answer.
   */
  readonly reason: string;
  /** What belongs to the reason: `{ range: "Private-Use", block: "10.0.0.0/8" }`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Every field that is wrong (`google.rpc.BadRequest`). */
  readonly violations: readonly Violation[];
  /**
   * After how many milliseconds to come back, if the service has said (`google.rpc.RetryInfo`, or `Retry-After` in seconds: RFC
   * 9110, section 10.2.3).
   */
  readonly retryAfter: number | undefined;
}

/** Reads what a call has thrown. Anything that is not a `ConnectError` is taken for one with the code `UNKNOWN`. */
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

function millisecondsOf(info: RetryInfo | undefined): number | undefined {
  const delay = info?.retryDelay;
  return delay && Math.max(0, Number(delay.seconds) * 1_000 + Math.ceil(delay.nanos / 1_000_000));
}

/** A time of day is not read: it would be one of the other side's clock. */
function fromHeader(value: string | null): number | undefined {
  return value !== null && /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : undefined;
}
