import type { DescMethod } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { internalError, packDetail, withDomain } from "./errors.js";

/** Converts anything thrown to the error that the client receives. */
export type ToError = (thrown: unknown, call?: ThrowingCall) => ConnectError;

/** Converts an exception of another library; undefined for one that it does not know. `method` is undefined before a method is called. */
export type MapError = (thrown: unknown, method: DescMethod | undefined) => ConnectError | undefined;

/** The call in which something was thrown. */
export interface ThrowingCall {
  readonly method: DescMethod | undefined;
  /** Why the call has ended; undefined while it has not. */
  readonly endReason?: ConnectError | undefined;
}

/**
 * Creates the conversion. A ConnectError stays, with `errorDomain` in its `ErrorInfo`. Anything else that is thrown after
 * the call has ended follows from that. Before, `mapError` may convert it; what it does not convert is unexpected, is passed to
 * `onError`, and becomes `INTERNAL`. So are details that cannot be encoded, without which the error is sent.
 */
export function createToError(
  errorDomain: string,
  onError: (error: unknown, method?: DescMethod) => void,
  mapError?: MapError,
): ToError {
  const mapped = (thrown: unknown, method: DescMethod | undefined): ConnectError | undefined => {
    try {
      return mapError?.(thrown, method);
    } catch (another) {
      onError(another, method);
      return undefined;
    }
  };
  /** Leaves out details that cannot be encoded, so that the rest of the error is sent. */
  const withSendableDetails = (error: ConnectError, method: DescMethod | undefined): ConnectError => {
    const details = error.details.filter((detail) => {
      try {
        return packDetail(detail).value instanceof Uint8Array;
      } catch (unsendable) {
        onError(unsendable, method);
        return false;
      }
    });
    if (details.length < error.details.length) {
      error.details = details;
    }
    return error;
  };
  return (thrown, call) => {
    let error = thrown instanceof ConnectError ? thrown : (call?.endReason ?? mapped(thrown, call?.method));
    if (error === undefined) {
      onError(thrown, call?.method);
      error = internalError();
    }
    return withDomain(withSendableDetails(error, call?.method), errorDomain);
  };
}
