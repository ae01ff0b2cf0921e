import type { DescMethod } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { internalError, withDomain } from "./errors.js";

/** Converts anything thrown to the error that the client receives. */
export type ToError = (thrown: unknown, call?: ThrowingCall) => ConnectError;

/** The call in which something was thrown. */
export interface ThrowingCall {
  readonly method: DescMethod | undefined;
  /** Why the call has ended; undefined while it has not. */
  readonly endReason?: ConnectError | undefined;
}

/**
 * Creates the conversion. A ConnectError stays, with `errorDomain` in its `ErrorInfo`. Anything else that is thrown after
 * the call has ended follows from that; before, it is unexpected, is passed to `onError`, and becomes `INTERNAL`.
 */
export function createToError(
  errorDomain: string,
  onError: (error: unknown, method?: DescMethod) => void,
): ToError {
  return (thrown, call) => {
    let error = thrown instanceof ConnectError ? thrown : call?.endReason;
    if (error === undefined) {
      onError(thrown, call?.method);
      error = internalError();
    }
    return withDomain(error, errorDomain);
  };
}
