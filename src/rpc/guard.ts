import { Code, ConnectError } from "@connectrpc/connect";
import type { Call } from "./call.js";
import { RpcError } from "./rpc-error.js";
import type { MethodImplementation, ServiceImplementation } from "./service.js";

/** Is told of every exception that is a bug. */
export type BugReporter = (bug: unknown, call: Call) => void;

/**
 * Wraps the handlers of a service so that nothing but expected failures comes out of them. A bug is reported and
 * becomes `INTERNAL` without a word of its own: what it says may be about other callers' data.
 */
export function guardService(
  { service, methods }: ServiceImplementation,
  report: BugReporter,
): ServiceImplementation {
  return { service, methods: methods.map((method) => guardMethod(method, report)) };
}

function guardMethod(implementation: MethodImplementation, report: BugReporter): MethodImplementation {
  switch (implementation.kind) {
    case "unary": {
      const { handler } = implementation;
      const guarded: typeof handler = async (request, call) => {
        try {
          return await handler(request, call);
        } catch (thrown) {
          throw toExpected(thrown, call, report);
        }
      };
      return { ...implementation, handler: guarded };
    }
    case "server_streaming": {
      const { handler } = implementation;
      const guarded: typeof handler = (request, call) =>
        guardStream(() => handler(request, call), call, report);
      return { ...implementation, handler: guarded };
    }
    case "bidi_streaming": {
      const { handler } = implementation;
      const guarded: typeof handler = (requests, call) =>
        guardStream(() => handler(requests, call), call, report);
      return { ...implementation, handler: guarded };
    }
  }
}

async function* guardStream<T>(
  open: () => AsyncIterable<T>,
  call: Call,
  report: BugReporter,
): AsyncIterable<T> {
  try {
    yield* open();
  } catch (thrown) {
    throw toExpected(thrown, call, report);
  }
}

function toExpected(thrown: unknown, call: Call, report: BugReporter): RpcError | ConnectError {
  // A stream of requests throws connect's own errors, for a message that it cannot read or a caller that is gone.
  if (thrown instanceof RpcError || thrown instanceof ConnectError) {
    return thrown;
  }
  if (call.signal.aborted) {
    return cancelled();
  }
  report(thrown, call);
  return internalError();
}

/** The caller has gone, or has ended the call. */
export function cancelled(): RpcError {
  return new RpcError({ code: Code.Canceled, reason: "CANCELLED", message: "the call was cancelled" });
}

/** What a caller sees of a bug. */
export function internalError(): RpcError {
  return new RpcError({ code: Code.Internal, reason: "INTERNAL", message: "internal error" });
}
