import { Code, ConnectError } from "@connectrpc/connect";
import { codeToHttpStatus, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { errorDetails, RpcError, toRpcError } from "../errors/rpc-error.js";
import { createReply, headerList, NO_SNIFFING, toReply } from "../response/representation.js";
import { errorAnswer } from "../response/response-encoder.js";
import type { Exchange, Reply } from "./exchange.js";
import { endStreamEnvelope } from "./grpc.js";
import { cancelled, deadlineExceeded } from "./handler-context.js";

/**
 * Answers a request with an error in the form of its own protocol, before anybody has begun to read its message. Its door
 * must be known.
 */
export function refuse(exchange: Exchange, error: RpcError): void {
  exchange.code = error.code;
  exchange.refuse(replyTo(exchange, error));
}

function replyTo(exchange: Exchange, error: RpcError): Reply {
  switch (exchange.door) {
    case "grpc":
    case "grpc-web":
      return trailersOnly(exchange, connectErrorOf(error));
    case "connect":
      return connectReply(exchange, connectErrorOf(error));
    case "rest":
    case "page":
      return toReply(errorAnswer(error));
  }
}

/** Everything in the one and only header block: what gRPC calls Trailers-Only. */
function trailersOnly(exchange: Exchange, error: ConnectError): Reply {
  const type = exchange.header("content-type") ?? "application/grpc";
  const headers = [
    "content-type",
    type,
    ...NO_SNIFFING,
    ...[...setTrailerStatus(new Headers(), error)].flat(),
  ];
  return { status: 200, headers, body: "", length: 0 };
}

/** https://connectrpc.com/docs/protocol/#error-codes and, for streams, #error-end-stream */
function connectReply(exchange: Exchange, error: ConnectError): Reply {
  const type = exchange.header("content-type") ?? "";
  if (type.startsWith("application/connect+")) {
    return createReply(200, ["content-type", type, ...NO_SNIFFING], endStreamEnvelope(error));
  }
  return createReply(codeToHttpStatus(error.code), [...JSON_HEADERS], errorToJsonBytes(error, {}));
}

const JSON_HEADERS = headerList({ "content-type": "application/json" });

/** An expected failure as connect knows it, with its details; anything else as it is. */
export function toConnectError(thrown: unknown): unknown {
  const expected = toRpcError(thrown);
  return expected instanceof RpcError ? connectErrorOf(expected) : expected;
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
