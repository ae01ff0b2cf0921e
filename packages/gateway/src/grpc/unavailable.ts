import { Code, ConnectError } from "@connectrpc/connect";

/** Errors of calls that the upstream has not begun. */
const unprocessed = new WeakSet<Error>();

/** The error of a call whose upstream cannot be reached, or has ended it. */
export function unavailable(message: string, cause?: unknown): ConnectError {
  return new ConnectError(message, Code.Unavailable, undefined, undefined, cause);
}

/** As {@link unavailable}, of a call that the upstream has not begun. */
export function notBegun(message: string, cause?: unknown): ConnectError {
  const error = unavailable(message, cause);
  unprocessed.add(error);
  return error;
}

/** Whether a call has failed before the upstream has begun it, so that it can be sent again. */
export function isUnprocessed(error: Error): boolean {
  return unprocessed.has(error);
}
