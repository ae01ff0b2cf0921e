import type { ConnectError } from "@connectrpc/connect";
import type { Exchange } from "../node/exchange.js";
import {
  NO_SNIFFING,
  type OutgoingResponse,
  outgoingResponse,
  toOutgoing,
} from "../response/representation.js";
import { encodeError } from "../response/response-encoder.js";
import { connectErrorJson, connectErrorResponse } from "./connect.js";
import { END_STREAM_FLAG, PREFIX_BYTES, writePrefix } from "./envelope.js";
import { grpcStatus } from "./grpc.js";
import { acceptsText, contentTypeInForm } from "./grpc-web-text.js";

/** Responds to a request with an error in its own protocol, before its body has been read. */
export function reject(exchange: Exchange, error: ConnectError): void {
  exchange.code = error.code;
  exchange.reject(responseTo(exchange, error));
}

function responseTo(exchange: Exchange, error: ConnectError): OutgoingResponse {
  switch (exchange.protocol) {
    case "grpc":
    case "grpc-web":
      return trailersOnly(exchange, error);
    case "connect":
      return connectResponse(exchange, error);
    case "rest":
    case "page":
      return toOutgoing(encodeError(error));
  }
}

/** A single header block, which gRPC calls Trailers-Only. */
function trailersOnly(exchange: Exchange, error: ConnectError): OutgoingResponse {
  const type = exchange.header("content-type") ?? "application/grpc";
  const contentType = contentTypeInForm(type, acceptsText(exchange));
  const headers = ["content-type", contentType, ...NO_SNIFFING, ...grpcStatus(error)];
  return { status: 200, headers, body: "", length: 0 };
}

function connectResponse(exchange: Exchange, error: ConnectError): OutgoingResponse {
  const type = exchange.header("content-type") ?? "";
  return type.startsWith("application/connect+")
    ? outgoingResponse(200, ["content-type", type, ...NO_SNIFFING], endStream(error))
    : connectErrorResponse(error);
}

/** The end of a Connect stream with an error. https://connectrpc.com/docs/protocol/#error-end-stream */
function endStream(error: ConnectError): Uint8Array {
  const metadata = Object.fromEntries([...error.metadata].map(([name, value]) => [name, [value]]));
  const end = { error: connectErrorJson(error), ...(Object.keys(metadata).length === 0 ? {} : { metadata }) };
  const json = Buffer.from(JSON.stringify(end));
  return writePrefix(Buffer.concat([Buffer.alloc(PREFIX_BYTES), json]), END_STREAM_FLAG);
}
