import { Code } from "@connectrpc/connect";

interface CodeForms {
  /** The name in google.rpc.Code, for example `INVALID_ARGUMENT`. */
  readonly name: string;
  /** The name in the Connect protocol, for example `invalid_argument`. */
  readonly connectName: string;
  readonly httpStatus: number;
}

/**
 * The canonical codes, with the HTTP status of each, which is the same in google.rpc and in Connect.
 * https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto
 * https://connectrpc.com/docs/protocol/#error-codes
 */
const CODES: Readonly<Record<Code, CodeForms>> = {
  [Code.Canceled]: { name: "CANCELLED", connectName: "canceled", httpStatus: 499 },
  [Code.Unknown]: forms("UNKNOWN", 500),
  [Code.InvalidArgument]: forms("INVALID_ARGUMENT", 400),
  [Code.DeadlineExceeded]: forms("DEADLINE_EXCEEDED", 504),
  [Code.NotFound]: forms("NOT_FOUND", 404),
  [Code.AlreadyExists]: forms("ALREADY_EXISTS", 409),
  [Code.PermissionDenied]: forms("PERMISSION_DENIED", 403),
  [Code.ResourceExhausted]: forms("RESOURCE_EXHAUSTED", 429),
  [Code.FailedPrecondition]: forms("FAILED_PRECONDITION", 400),
  [Code.Aborted]: forms("ABORTED", 409),
  [Code.OutOfRange]: forms("OUT_OF_RANGE", 400),
  [Code.Unimplemented]: forms("UNIMPLEMENTED", 501),
  [Code.Internal]: forms("INTERNAL", 500),
  [Code.Unavailable]: forms("UNAVAILABLE", 503),
  [Code.DataLoss]: forms("DATA_LOSS", 500),
  [Code.Unauthenticated]: forms("UNAUTHENTICATED", 401),
};

function forms(name: string, httpStatus: number): CodeForms {
  return { name, connectName: name.toLowerCase(), httpStatus };
}

/** The name of a code in google.rpc.Code, for example `INVALID_ARGUMENT`. */
export function codeName(code: Code): string {
  return CODES[code].name;
}

/** The name of a code in the Connect protocol, for example `invalid_argument`. */
export function connectCodeName(code: Code): string {
  return CODES[code].connectName;
}

/** The HTTP status of a code. */
export function httpStatusOf(code: Code): number {
  return CODES[code].httpStatus;
}

const BY_NAME: ReadonlyMap<unknown, Code> = new Map(
  Object.entries(CODES).map(([code, { name }]): [string, Code] => [name, Number(code)]),
);

/** The code with a name in google.rpc.Code. */
export function codeNamed(name: unknown): Code | undefined {
  return BY_NAME.get(name);
}

/** The codes of statuses that are not those of exactly one code. https://google.aip.dev/193 */
const BY_STATUS: Readonly<Record<number, Code>> = {
  400: Code.InvalidArgument,
  405: Code.Unimplemented,
  408: Code.DeadlineExceeded,
  409: Code.Aborted,
  412: Code.FailedPrecondition,
  413: Code.ResourceExhausted,
  416: Code.OutOfRange,
  431: Code.ResourceExhausted,
  500: Code.Internal,
};

/** The code of an error whose HTTP status alone is known. */
export function codeOfStatus(status: number): Code {
  const named = Object.values(Code).find(
    (code) => typeof code === "number" && CODES[code].httpStatus === status,
  );
  return (
    BY_STATUS[status] ?? (named as Code | undefined) ?? (status >= 500 ? Code.Unavailable : Code.Unknown)
  );
}
