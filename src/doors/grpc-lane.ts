import type { OutgoingHttpHeaders } from "node:http2";
import { create, type DescMethodUnary, toBinary } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { grpcStatusOk, parseTimeout, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { KeptAnswer } from "../rpc/kept-answer.js";
import type { Answer } from "../rpc/service.js";
import type { Exchange, HeaderList } from "./exchange.js";
import { ExchangeCall } from "./exchange-call.js";
import { Http2Exchange, toHeaderObject } from "./http2-exchange.js";
import { laneError, messageTooLarge } from "./lane-error.js";
import { createReply } from "./reply.js";
import {
  answerUnary,
  type LaneOptions,
  readBinary,
  type UnaryImplementation,
  unaryByPath,
} from "./unary-lane.js";

/** Answers a request for a method's path; false, and nothing is done, when it is not one for this lane. */
export type GrpcLane = (exchange: Exchange, path: string, baseUrl: string) => boolean;

/** Octets before each message: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;
const CONTENT_TYPES: ReadonlySet<string | undefined> = new Set([
  "application/grpc",
  "application/grpc+proto",
]);
const HEADERS = { ":status": 200, "content-type": "application/grpc+proto" };
const TRAILERS = { "grpc-status": grpcStatusOk };
const WITH_TRAILERS = { waitForTrailers: true };

/**
 * Makes the fast lane for unary gRPC: binary messages without compression, over HTTP/2.
 * https://github.com/grpc/grpc/blob/v1.70.0/doc/PROTOCOL-HTTP2.md
 */
export function createGrpcLane({ methods, maxMessageBytes, reportBug }: LaneOptions): GrpcLane {
  const implementations = unaryByPath(methods);

  function serve(exchange: Http2Exchange, implementation: UnaryImplementation, baseUrl: string): void {
    const { method } = implementation;
    const timeout = parseTimeout(exchange.header("grpc-timeout") ?? null, Number.POSITIVE_INFINITY);
    const call = new ExchangeCall(method, exchange, baseUrl, timeout.timeoutMs);
    const lane = {
      exchange,
      implementation,
      call,
      maxBodyBytes: maxMessageBytes + PREFIX_BYTES,
      read(body: Uint8Array | "too large") {
        if (timeout.error !== undefined) {
          throw timeout.error;
        }
        return readBinary(method, unframe(body, maxMessageBytes));
      },
      succeed: (answer: Answer<DescMethodUnary>) => writeAnswer(exchange, call, frameOf(method, answer)),
      fail: (error: ConnectError) => writeError(exchange, call, error),
    };
    answerUnary(lane, reportBug);
  }

  return (exchange, path, baseUrl) => {
    const implementation = implementations.get(path);
    if (implementation === undefined || !(exchange instanceof Http2Exchange) || !isPlainGrpc(exchange)) {
      return false;
    }
    serve(exchange, implementation, baseUrl);
    return true;
  };
}

function isPlainGrpc(exchange: Exchange): boolean {
  const encoding = exchange.header("grpc-encoding");
  return (
    CONTENT_TYPES.has(exchange.header("content-type")) &&
    exchange.verb === "POST" &&
    (encoding === undefined || encoding === "identity")
  );
}

/** The one message of a body, or an RpcError for what is no single message. */
function unframe(body: Uint8Array | "too large", maxMessageBytes: number): Uint8Array {
  if (body === "too large") {
    throw messageTooLarge(maxMessageBytes);
  }
  if (body.length === 0) {
    throw laneError("MISSING_MESSAGE");
  }
  const [flags = 0, a = 0, b = 0, c = 0, d = 0] = body;
  const end = PREFIX_BYTES + a * 2 ** 24 + ((b << 16) | (c << 8) | d);
  if (body.length >= PREFIX_BYTES && end - PREFIX_BYTES > maxMessageBytes) {
    throw messageTooLarge(maxMessageBytes);
  }
  if (body.length < Math.max(end, PREFIX_BYTES)) {
    throw laneError("INCOMPLETE_MESSAGE");
  }
  if (body.length > end) {
    throw laneError("EXTRA_MESSAGE");
  }
  if ((flags & 1) === 1) {
    throw laneError("COMPRESSED_MESSAGE");
  }
  return body.subarray(PREFIX_BYTES);
}

/** An answer with its prefix; of one that is given more than once, this is kept with it. */
function frameOf(method: DescMethodUnary, answer: Answer<DescMethodUnary>): Uint8Array {
  if (!(answer instanceof KeptAnswer)) {
    return frame(toBinary(method.output, create(method.output, answer)));
  }
  const known = answer.forms.get(frameOf);
  const framed =
    known instanceof Uint8Array
      ? known
      : frame(toBinary(method.output, create(method.output, answer.message)));
  answer.forms.set(frameOf, framed);
  return framed;
}

function frame(message: Uint8Array): Uint8Array {
  const framed = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  framed[0] = 0;
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, PREFIX_BYTES);
  return framed;
}

function writeAnswer(exchange: Http2Exchange, call: ExchangeCall, framed: Uint8Array): void {
  const { stream } = exchange;
  if (exchange.begin(withMetadata(HEADERS, call.addedHeaders), WITH_TRAILERS)) {
    stream.on("wantTrailers", () => stream.sendTrailers(withMetadata(TRAILERS, call.addedTrailers)));
    stream.end(framed);
  }
}

/** Everything in the one and only header block: what the protocol calls Trailers-Only. */
function writeError(exchange: Http2Exchange, call: ExchangeCall, error: ConnectError): void {
  const status = [...setTrailerStatus(new Headers(), error)].flat();
  const headers = withMetadata(HEADERS, [...call.addedHeaders, ...status, ...call.addedTrailers]);
  exchange.begin(headers, { endStream: true });
}

function withMetadata(headers: OutgoingHttpHeaders, added: HeaderList): OutgoingHttpHeaders {
  return added.length === 0 ? headers : toHeaderObject({ ...headers }, added);
}

/** A gRPC call of a method that does not exist: status 12 (UNIMPLEMENTED), in a header block alone. */
export function refuseUnknownMethod(exchange: Exchange): void {
  const headers = [
    ...["content-type", exchange.header("content-type") ?? "application/grpc"],
    ...["grpc-status", "12", "grpc-message", "there is no such method"],
  ];
  if (exchange instanceof Http2Exchange) {
    exchange.begin(toHeaderObject({ ":status": 200 }, headers), { endStream: true });
  } else {
    exchange.respond(createReply(200, headers, ""));
  }
}
