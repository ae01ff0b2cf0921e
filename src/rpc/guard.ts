import { Code, ConnectError } from "@connectrpc/connect";
import type { Call } from "./call.js";
import type { Policy } from "./policy.js";
import { RpcError } from "./rpc-error.js";

/** Is told of every exception that is a bug. */
export type BugReporter = (bug: unknown, call: Call) => void;

/**
 * The policy that lets nothing but expected failures out of handlers. A bug is reported and becomes `INTERNAL` without
 * a word of its own: what it says may be about other callers' data.
 */
export function guard(report: BugReporter): Policy {
  async function* guardStream<T>(run: () => AsyncIterable<T>, call: Call): AsyncIterable<T> {
    try {
      yield* run();
    } catch (thrown) {
      throw toExpected(thrown, call, report);
    }
  }

  return {
    single: (run, call) => {
      try {
        const answer = run();
        return answer instanceof Promise
          ? answer.catch((thrown: unknown) => {
              throw toExpected(thrown, call, report);
            })
          : answer;
      } catch (thrown) {
        throw toExpected(thrown, call, report);
      }
    },
    stream: guardStream,
  };
}

function toExpected(thrown: unknown, call: Call, report: BugReporter): RpcError | ConnectError {
  // A stream of requests throws connect's own errors, for a message that it cannot read or a caller that is gone.
  if (thrown instanceof RpcError || thrown instanceof ConnectError) {
    return thrown;
  }
  if (call.signal.aborted) {
    return endOf(call.signal);
  }
  report(thrown, call);
  return internalError();
}

/** Why an aborted call has ended. */
export function endOf({ reason }: AbortSignal): RpcError {
  return reason instanceof RpcError ? reason : cancelled();
}

/** The caller has gone, or has ended the call. */
export function cancelled(): RpcError {
  return new RpcError({ code: Code.Canceled, reason: "CANCELLED", message: "the call was cancelled" });
}

/** What a caller sees of a bug. */
export function internalError(): RpcError {
  return new RpcError({ code: Code.Internal, reason: "INTERNAL", message: "internal error" });
}
