import { type DescMethodUnary, fromBinary, type Message } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { deadlineExceeded } from "../rpc/deadline.js";
import { internalError } from "../rpc/guard.js";
import { type MethodTable, methodPath } from "../rpc/method-table.js";
import type { RequestLimit } from "../rpc/request-limit.js";
import { RpcError } from "../rpc/rpc-error.js";
import type { Answer, MethodImplementation } from "../rpc/service.js";
import { connectErrorOf } from "./connect-error.js";
import type { Exchange } from "./exchange.js";
import type { ExchangeCall } from "./exchange-call.js";
import { laneError } from "./lane-error.js";
import { settle } from "./settle.js";

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
  if (thrown instanceof ConnectError) {
    return thrown;
  }
  if (thrown instanceof RpcError) {
    return connectErrorOf(thrown);
  }
  reportBug(thrown);
  return connectErrorOf(internalError());
}
