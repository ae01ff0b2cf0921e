import type { OutgoingHttpHeaders } from "node:http2";
import type { DescMessage, DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { endStreamFlag, endStreamToJson } from "@connectrpc/connect/protocol-connect";
import { grpcStatusOk, parseTimeout, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { type BinaryMessageWriter, createBinaryWriters } from "../codec/binary-writer.js";
import { KeptAnswer } from "../response/kept-response.js";
import type { Exchange, HeaderList } from "./exchange.js";
import { ExchangeCall } from "./handler-context.js";
import { Http2Exchange, toHeaderObject } from "./http2-exchange.js";
import type { Answer } from "./methods.js";
import {
  answerUnary,
  type LaneOptions,
  laneError,
  messageTooLarge,
  readBinary,
  type UnaryImplementation,
  unaryByPath,
} from "./unary.js";

/** Answers a request for a method's path; false, and nothing is done, when it is not one for this lane. */
export type GrpcLane = (exchange: Exchange, path: string, baseUrl: string) => boolean;

/** A method with what writes its answers. */
interface LaneMethod {
  readonly implementation: UnaryImplementation;
  readonly write: BinaryMessageWriter;
  readonly maxMessageBytes: number;
}

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
export function createGrpcLane({ methods, requestLimit, reportBug }: LaneOptions): GrpcLane {
  const writers = createBinaryWriters();
  const byPath = new Map(
    [...unaryByPath(methods)].map(([path, implementation]): [string, LaneMethod] => [
      path,
      {
        implementation,
        write: writers.ofMessage(implementation.method.output),
        maxMessageBytes: requestLimit(implementation.method),
      },
    ]),
  );

  function serve(exchange: Http2Exchange, laneMethod: LaneMethod, baseUrl: string): void {
    const { implementation, write, maxMessageBytes } = laneMethod;
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
      succeed: (answer: Answer<DescMethodUnary>) => writeAnswer(exchange, call, frameOf(write, answer)),
      fail: (error: ConnectError) => writeError(exchange, call, error),
    };
    answerUnary(lane, reportBug);
  }

  return (exchange, path, baseUrl) => {
    const method = byPath.get(path);
    if (method === undefined || !(exchange instanceof Http2Exchange) || !isPlainGrpc(exchange)) {
      return false;
    }
    serve(exchange, method, baseUrl);
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

/** The octets of an answer with their prefix; of one that is given more than once, they are kept with it. */
function frameOf(write: BinaryMessageWriter, answer: Answer<DescMethodUnary>): Uint8Array {
  return answer instanceof KeptAnswer
    ? // A copy of its own, for what writers give is part of a larger block.
      answer.form(write, (message) => new Uint8Array(frame(write, message)))
    : frame(write, answer);
}

function frame(write: BinaryMessageWriter, message: MessageInitShape<DescMessage>): Uint8Array {
  const framed = write(message, PREFIX_BYTES);
  const length = framed.length - PREFIX_BYTES;
  framed[1] = length >>> 24;
  framed[2] = length >>> 16;
  framed[3] = length >>> 8;
  framed[4] = length;
  return framed;
}

function writeAnswer(exchange: Http2Exchange, call: ExchangeCall, framed: Uint8Array): void {
  const { stream } = exchange;
  if (exchange.begin(withMetadata(HEADERS, call.addedHeaders), WITH_TRAILERS)) {
    stream.on("wantTrailers", () => stream.sendTrailers(withMetadata(TRAILERS, call.addedTrailers)));
    stream.end(framed);
    exchange.complete();
  }
}

/** Everything in the one and only header block: what the protocol calls Trailers-Only. */
function writeError(exchange: Http2Exchange, call: ExchangeCall, error: ConnectError): void {
  const status = [...setTrailerStatus(new Headers(), error)].flat();
  const headers = withMetadata(HEADERS, [...call.addedHeaders, ...status, ...call.addedTrailers]);
  if (exchange.begin(headers, { endStream: true })) {
    exchange.complete();
    exchange.letGo();
  }
}

function withMetadata(headers: OutgoingHttpHeaders, added: HeaderList): OutgoingHttpHeaders {
  return added.length === 0 ? headers : toHeaderObject({ ...headers }, added);
}

/** Octets before each message of gRPC, gRPC-Web and Connect's streams, and before what ends those: flags and a length. */
export const PREFIX_BYTES = 5;

/** What marks the block of trailers that gRPC-Web has in the body. */
export const TRAILER_FLAG = 0x80;

/** What ends a stream over Connect with an error: https://connectrpc.com/docs/protocol/#error-end-stream */
export function endStreamEnvelope(error: ConnectError): Uint8Array {
  const end = JSON.stringify(endStreamToJson(new Headers(), error, {}));
  return encodeEnvelope(endStreamFlag, new TextEncoder().encode(end));
}
