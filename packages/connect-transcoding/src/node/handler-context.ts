import { validateHeaderName, validateHeaderValue } from "node:http";
import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { RpcError } from "../errors/rpc-error.js";
import type { Exchange, HeaderList } from "./exchange.js";
import type { MethodImplementation } from "./methods.js";

/** A call that an exchange makes. What most handlers never ask for is made when it is asked for. */
export class ExchangeCall implements Call {
  readonly method: DescMethod;
  readonly baseUrl: string;
  readonly timeoutMs: number | undefined;
  /** Is told that the time is up, if the answer is not out by then. */
  onTimeUp: (() => void) | undefined;
  readonly #exchange: Exchange;
  #controller: AbortController | undefined;
  /** Makes the reason for which the call has ended. */
  #ending: (() => RpcError) | undefined;
  #headers: string[] | undefined;
  #trailers: string[] | undefined;

  constructor(method: DescMethod, exchange: Exchange, baseUrl: string, timeoutMs?: number) {
    this.method = method;
    this.baseUrl = baseUrl;
    this.timeoutMs = timeoutMs;
    this.#exchange = exchange;
    if (timeoutMs !== undefined && timeoutMs <= MAX_TIMER_MS) {
      // Time runs from now on, not from when somebody asks for the signal.
      const timer = setTimeout(() => {
        this.#end(deadlineExceeded);
        this.onTimeUp?.();
      }, timeoutMs);
      exchange.onClose(() => {
        clearTimeout(timer);
        this.#end(cancelled);
      });
    }
  }

  get callerAddress(): string {
    return this.#exchange.callerAddress;
  }

  /** Whether the time is up, or the answer is out, or the caller has gone: what is to come makes no difference. */
  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ending !== undefined) {
        this.#controller.abort(this.#ending());
      } else {
        this.#exchange.onClose(() => this.#end(cancelled));
      }
    }
    return this.#controller.signal;
  }

  header(name: string): string | undefined {
    return this.#exchange.header(name);
  }

  headers(): Iterable<readonly [string, string]> {
    return this.#exchange.headers();
  }

  addHeader(name: string, value: string): void {
    this.#headers = added(this.#headers, name, value);
  }

  addTrailer(name: string, value: string): void {
    this.#trailers = added(this.#trailers, name, value);
  }

  /** Headers that were added to the answer. */
  get addedHeaders(): HeaderList {
    return this.#headers ?? NONE;
  }

  /** Trailers that were added to the answer. */
  get addedTrailers(): HeaderList {
    return this.#trailers ?? NONE;
  }

  #end(ending: () => RpcError): void {
    if (this.#ending === undefined) {
      this.#ending = ending;
      this.#controller?.abort(ending());
    }
  }
}

const NONE: HeaderList = [];

/** A list with one more header. Throws a TypeError for one that no answer can have, before it is too late for an error. */
function added(list: string[] = [], name: string, value: string): string[] {
  validateHeaderName(name);
  validateHeaderValue(name, value);
  list.push(name.toLowerCase(), value);
  return list;
}

/** The longest time that timers can be set to, about 24.8 days, in milliseconds; no call lives to see the end of it. */
export const MAX_TIMER_MS = 0x7fff_ffff;

/** One request, whichever door it came through, without its message. */
export interface Call {
  /** The method that is called. */
  readonly method: DescMethod;
  /** How the caller reaches this service, for absolute URLs in answers: scheme and authority, no final slash. */
  readonly baseUrl: string;
  /** The address at the other end of the connection; empty when it has gone already. */
  readonly callerAddress: string;
  /** Milliseconds that the caller gave the call, from its start on; undefined where it set no limit. */
  readonly timeoutMs: number | undefined;
  /** Aborted when the caller has gone or its time is up; its reason is the RpcError that says which. */
  readonly signal: AbortSignal;
  /** The value of a request header (or gRPC metadata key) by its lower-case name; several are joined by a comma. */
  header(name: string): string | undefined;
  /** All request headers, names in lower case. Values of `-bin` keys are in base64, as they came. */
  headers(): Iterable<readonly [name: string, value: string]>;
  /** Adds a header to the answer, which must not have been begun. The value of a `-bin` key is base64. */
  addHeader(name: string, value: string): void;
  /** Adds a trailer to the answer: metadata behind the last message. JSON over HTTP has no place for it. */
  addTrailer(name: string, value: string): void;
}

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
