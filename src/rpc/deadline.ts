import { Code } from "@connectrpc/connect";
import { endOf } from "./guard.js";
import type { Policy } from "./policy.js";
import { RpcError } from "./rpc-error.js";

/**
 * The policy that ends a call when the time that its caller gave it is up, however long its handler goes on. Streams
 * end by their handlers, which are told by the call's signal.
 * https://grpc.io/docs/guides/deadlines/
 */
export const enforceDeadline: Policy = {
  single: (run, call) => {
    const answer = run();
    // Without a promise there is nothing to wait for, and no timer is needed.
    return answer instanceof Promise && call.timeoutMs !== undefined
      ? unlessAborted(answer, call.signal)
      : answer;
  },
  stream: (run) => run(),
};

function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(endOf(signal));
    if (signal.aborted) {
      onAbort();
    }
    signal.addEventListener("abort", onAbort);
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/**
 * The time that the caller gave the call is up. It has no details: a caller's own clock ends a call without any, and which of
 * the two is first is chance.
 */
export function deadlineExceeded(): RpcError {
  return new RpcError({
    code: Code.DeadlineExceeded,
    reason: "DEADLINE_EXCEEDED",
    message: "the call took longer than its caller allowed",
    details: [],
  });
}
