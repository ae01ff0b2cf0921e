import { Code, ConnectError } from "@connectrpc/connect";

/** Errors of calls that the upstream has not begun, and of those that it may have begun before it stopped. */
const unprocessed = new WeakSet<Error>();
const stopped = new WeakSet<Error>();

/** The error of a call whose upstream cannot be reached, or has ended it. */
export function unavailable(message: string): ConnectError {
  return new ConnectError(message, Code.Unavailable);
}

/** As {@link unavailable}, of a call that the upstream has not begun. */
export function notBegun(message: string): ConnectError {
  const error = unavailable(message);
  unprocessed.add(error);
  return error;
}

/** Marks the error of a call that an upstream has ended because it stops. */
export function interrupted(error: ConnectError): ConnectError {
  stopped.add(error);
  return error;
}

/** Whether a call has failed before the upstream has begun it, so that it can be sent again. */
export function isUnprocessed(error: Error): boolean {
  return unprocessed.has(error);
}

/** Whether a call has failed because the upstream is unavailable, so that it can be sent again if it has no side effects. */
export function isInterrupted(error: ConnectError): boolean {
  return error.code === Code.Unavailable || stopped.has(error);
}
