import { Code, ConnectError } from "@connectrpc/connect";
import { deadlineExceeded } from "../rpc/deadline.js";
import { cancelled } from "../rpc/guard.js";
import { errorDetails, RpcError } from "../rpc/rpc-error.js";

/** An expected failure as connect knows it, with its details; anything else as it is. */
export function toConnectError(thrown: unknown): unknown {
  return thrown instanceof RpcError ? connectErrorOf(thrown) : thrown;
}

/** An expected failure as connect knows it, with its details. */
export function connectErrorOf(error: RpcError): ConnectError {
  return new ConnectError(error.message, error.code, undefined, [...errorDetails(error)], error);
}

/** A signal of connect's whose reason is an RpcError: that the time is up, or that the caller has gone. */
export function endAsRpcErrors(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const end = (): void => {
    const { reason } = signal;
    const isLate = reason instanceof ConnectError && reason.code === Code.DeadlineExceeded;
    controller.abort(isLate ? deadlineExceeded() : cancelled());
  };
  if (signal.aborted) {
    end();
  } else {
    signal.addEventListener("abort", end, { once: true });
  }
  return controller.signal;
}
