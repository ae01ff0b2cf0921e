import type { DescMethod, DescMethodUnary, Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { createBinaryReaders } from "../codec/binary/reader.js";
import type { MessageInit } from "../codec/message-field.js";
import { deadlineExceeded, internalError, withDomain } from "../errors/errors.js";
import type { Exchange } from "../node/exchange.js";
import type { BodyOutcome } from "../node/request-body.js";
import type { CallContext } from "./handler-context.js";
import type { InvokeUnary } from "./invoke.js";

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

/** One unary call in a protocol: how to read its request and to write its response. */
export interface UnaryCall {
  readonly exchange: Exchange;
  readonly invoke: InvokeUnary;
  readonly context: CallContext;
  /** The maximum length of the body in bytes. */
  readonly maxBodyBytes: number;
  /** Parses the body; throws a ConnectError. */
  read(body: BodyOutcome): Message;
  succeed(response: MessageInit): void | Promise<void>;
  fail(error: ConnectError): void;
}

/** Reads the request, calls the implementation and writes the response. Never throws. */
export function serveUnary(call: UnaryCall, toError: ToError): void {
  const { exchange, invoke, context } = call;
  exchange.method = context.method;
  const fail = (thrown: unknown): void => {
    try {
      const error = toError(thrown, context);
      exchange.code = error.code;
      context.removeInvalidHeaders();
      call.fail(error);
    } catch (unexpected) {
      toError(unexpected);
      exchange.destroy();
    }
  };
  // The deadline can expire before the body has arrived.
  context.onTimeout = () => fail(deadlineExceeded());
  exchange.readBody(call.maxBodyBytes, (body) => {
    if (!context.hasEnded) {
      settle(
        () => {
          // The timer of the deadline is late while the process is busy.
          context.checkDeadline();
          return invoke(call.read(body), context);
        },
        (response) => {
          context.checkDeadline();
          return call.succeed(response);
        },
        fail,
      );
    }
  });
}

/**
 * Runs a function that may be asynchronous, and continues synchronously if it is not. `fail` is called with exceptions of
 * `run` and `succeed`; it must not throw.
 */
export function settle<T>(
  run: () => T | Promise<T>,
  succeed: (value: T) => void | Promise<void>,
  fail: (thrown: unknown) => void,
): void {
  try {
    const value = run();
    const done = value instanceof Promise ? value.then(succeed) : succeed(value);
    if (done instanceof Promise) {
      done.catch(fail);
    }
  } catch (thrown) {
    fail(thrown);
  }
}

/**
 * Creates a function that parses the binary request messages of a method. It throws `INVALID_ARGUMENT` for a malformed one,
 * without the details of the parser.
 */
export function createRequestReader({ input }: DescMethodUnary): (bytes: Uint8Array) => Message {
  const read = createBinaryReaders().ofMessage(input);
  return (bytes) => {
    try {
      return read(bytes);
    } catch {
      throw malformedMessage();
    }
  };
}

/** The message is not in the binary format of its type. */
export function malformedMessage(): ConnectError {
  return new ConnectError("the message is not in the binary format of its type", Code.InvalidArgument);
}

/** The message is longer than `limit` bytes. */
export function messageTooLarge(limit: number): ConnectError {
  return new ConnectError(`the message is too large; allowed: ${limit} bytes`, Code.ResourceExhausted);
}
