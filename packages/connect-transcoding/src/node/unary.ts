import { type DescMethodUnary, fromBinary, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { RpcError, toRpcError } from "../errors/rpc-error.js";
import type { RequestLimit } from "../rules/method-options.js";
import type { Exchange } from "./exchange.js";
import { deadlineExceeded, type ExchangeCall, internalError } from "./handler-context.js";
import { type Answer, type MethodImplementation, type MethodTable, methodPath } from "./methods.js";
import { connectErrorOf } from "./reject.js";

/** A method that has one request and one answer, with what answers it. */
export type UnaryImplementation = Extract<MethodImplementation, { kind: "unary" }>;

/** What fast lanes stand on. */
export interface LaneOptions {
  readonly methods: MethodTable;
  readonly requestLimit: RequestLimit;
  /** Is told of exceptions that are bugs. */
  readonly reportBug: (bug: unknown) => void;
}

/** The unary methods by their paths. */
export function unaryByPath({ implementations }: MethodTable): ReadonlyMap<string, UnaryImplementation> {
  return new Map(
    implementations.flatMap((each) => (each.kind === "unary" ? [[methodPath(each.method), each]] : [])),
  );
}

/** One call in a lane: how its protocol reads the request and writes the answer. */
export interface LaneCall {
  readonly exchange: Exchange;
  readonly implementation: UnaryImplementation;
  readonly call: ExchangeCall;
  /** The longest body, in octets. */
  readonly maxBodyBytes: number;
  /** Makes the body a message, or throws an RpcError; `too large` is a body that is longer than it may be. */
  read(body: Uint8Array | "too large"): Message;
  succeed(answer: Answer<DescMethodUnary>): void | Promise<void>;
  fail(error: ConnectError): void;
}

/** Reads the request, calls the method, and has the outcome written. Never throws. */
export function answerUnary(lane: LaneCall, reportBug: (bug: unknown) => void): void {
  const { exchange, implementation, call } = lane;
  exchange.method = implementation.method;
  const fail = (thrown: unknown): void => {
    try {
      const error = toConnectError(thrown, reportBug);
      exchange.code = error.code;
      lane.fail(error);
    } catch (bug) {
      reportBug(bug);
      exchange.destroy();
    }
  };
  // The time can be up before the body has come.
  call.onTimeUp = () => fail(deadlineExceeded());
  exchange.readBody(lane.maxBodyBytes, (body) => {
    if (!call.hasEnded) {
      settle(
        () => implementation.handler(lane.read(body), call),
        (answer) => lane.succeed(answer),
        fail,
      );
    }
  });
}

/** Reads a message in the binary format, or throws `MALFORMED_MESSAGE`. */
export function readBinary({ input }: DescMethodUnary, octets: Uint8Array): Message {
  try {
    return fromBinary(input, octets);
  } catch {
    // protobuf-es's own words are of no use to a caller.
    throw laneError("MALFORMED_MESSAGE");
  }
}

function toConnectError(thrown: unknown, reportBug: (bug: unknown) => void): ConnectError {
  const expected = toRpcError(thrown);
  if (expected instanceof ConnectError) {
    return expected;
  }
  if (expected instanceof RpcError) {
    return connectErrorOf(expected);
  }
  reportBug(thrown);
  return connectErrorOf(internalError());
}

/**
 * Why no message can be made of a request. The codes are those that connect-node has for the same, but for a message that
 * is none: that is its caller's fault, and no `INTERNAL` that somebody should be woken for.
 */
export type LaneErrorReason =
  | "COMPRESSED_MESSAGE"
  | "EXTRA_MESSAGE"
  | "INCOMPLETE_MESSAGE"
  | "MALFORMED_MESSAGE"
  | "MESSAGE_TOO_LARGE"
  | "MISSING_MESSAGE";

const CODES: Readonly<Record<LaneErrorReason, readonly [code: Code, message: string]>> = {
  COMPRESSED_MESSAGE: [Code.Internal, "the message is compressed, and the headers name no encoding"],
  EXTRA_MESSAGE: [Code.Unimplemented, "this method takes exactly one message, and there is more than one"],
  INCOMPLETE_MESSAGE: [Code.InvalidArgument, "the body ends before its message does"],
  MALFORMED_MESSAGE: [Code.InvalidArgument, "the message is not in the binary format of its type"],
  MESSAGE_TOO_LARGE: [Code.ResourceExhausted, "the message is too large"],
  MISSING_MESSAGE: [Code.Unimplemented, "this method takes exactly one message, and there is none"],
};

/** Makes the error of a request that is no message. Like connect-node's for the same, it has no details. */
export function laneError(reason: LaneErrorReason, allowed = ""): RpcError {
  const [code, message] = CODES[reason];
  return new RpcError({
    code,
    reason,
    message: allowed === "" ? message : `${message}; allowed: ${allowed}`,
    details: [],
  });
}

/** A message is longer than `limit` octets. */
export function messageTooLarge(limit: number): RpcError {
  return laneError("MESSAGE_TOO_LARGE", `${limit} octets`);
}

/**
 * Runs what may or may not be asynchronous, and tells of its outcome without a promise where none is needed. What
 * `succeed` throws, or its promise is rejected with, goes to `fail`; `fail` must not throw.
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
