import type { Call } from "./call.js";
import type { MethodImplementation } from "./service.js";

/** A rule that holds for every call, whichever door it came through. */
export interface Policy {
  /** Runs a call that has one answer; gives that answer, or throws. What is not asynchronous may stay so. */
  single<T>(run: () => T | Promise<T>, call: Call): T | Promise<T>;
  /** Runs a call that is answered with a stream. */
  stream<T>(run: () => AsyncIterable<T>, call: Call): AsyncIterable<T>;
}

/** A method's implementation with policies around it; the first of them is the outermost. */
export function withPolicies(
  implementation: MethodImplementation,
  policies: readonly Policy[],
): MethodImplementation {
  return policies.reduceRight(withPolicy, implementation);
}

function withPolicy(implementation: MethodImplementation, policy: Policy): MethodImplementation {
  switch (implementation.kind) {
    case "unary": {
      const { handler } = implementation;
      const ruled: typeof handler = (request, call) => policy.single(() => handler(request, call), call);
      return { ...implementation, handler: ruled };
    }
    case "client_streaming": {
      const { handler } = implementation;
      const ruled: typeof handler = (requests, call) => policy.single(() => handler(requests, call), call);
      return { ...implementation, handler: ruled };
    }
    case "server_streaming": {
      const { handler } = implementation;
      const ruled: typeof handler = (request, call) => policy.stream(() => handler(request, call), call);
      return { ...implementation, handler: ruled };
    }
    case "bidi_streaming": {
      const { handler } = implementation;
      const ruled: typeof handler = (requests, call) => policy.stream(() => handler(requests, call), call);
      return { ...implementation, handler: ruled };
    }
  }
}
