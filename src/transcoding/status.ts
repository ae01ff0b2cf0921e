import { Code } from "@connectrpc/connect";

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
