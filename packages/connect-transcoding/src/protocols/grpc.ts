import { create } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, encodeBinaryHeader } from "@connectrpc/connect";
import type { HeaderList } from "one-port";
import { StatusSchema } from "../../gen/google/rpc/status_pb.js";
import { type BinaryMessageWriter, createBinaryWriters } from "../codec/binary/writer.js";
import type { MessageInit } from "../codec/message-field.js";
import type { Exchange } from "../node/exchange.js";
import type { BodyOutcome } from "../node/request-body.js";
import { encodeCached } from "../response/cached-encodings.js";
import { PREFIX_BYTES, writePrefix } from "./envelope.js";
import { CallContext, type ContextOptions } from "./handler-context.js";
import { createUnaryInvoker } from "./invoke.js";
import type { ServedMethod } from "./served-methods.js";
import { createRequestReader, messageTooLarge, serveUnary, type ToError } from "./unary.js";

/** Serves a call; returns false, and does nothing, if the call is not for this fast path. */
export type FastPath = (exchange: Exchange, baseUrl: string) => boolean;

const CONTENT_TYPES: ReadonlySet<string | undefined> = new Set([
  "application/grpc",
  "application/grpc+proto",
]);
const HEADERS: HeaderList = ["content-type", "application/grpc+proto"];
const TRAILERS: HeaderList = ["grpc-status", "0"];

/**
 * Creates the fast path of a unary method for gRPC over HTTP/2 with binary messages and without compression. Undefined if
 * the options of the method need connect-node.
 * https://github.com/grpc/grpc/blob/v1.70.0/doc/PROTOCOL-HTTP2.md
 */
export function createGrpcFastPath(
  { spec, options, maxRequestBytes, needsConnectNode }: ServedMethod,
  contextOptions: ContextOptions,
  toError: ToError,
): FastPath | undefined {
  if (spec.kind !== "unary" || options.grpc === false || needsConnectNode) {
    return undefined;
  }
  const { method } = spec;
  const invoke = createUnaryInvoker(spec, options.interceptors ?? []);
  const read = createRequestReader(method);
  const write = createBinaryWriters().ofMessage(method.output);

  return (exchange, baseUrl) => {
    if (exchange.httpVersion !== "2.0" || !isPlainGrpc(exchange)) {
      return false;
    }
    const timeout = parseGrpcTimeout(exchange.header("grpc-timeout"));
    const timeoutMs = typeof timeout === "number" ? timeout : undefined;
    const context = new CallContext(method, "grpc", exchange, baseUrl, contextOptions, timeoutMs);
    const call = {
      exchange,
      invoke,
      context,
      maxBodyBytes: maxRequestBytes + PREFIX_BYTES,
      read(body: BodyOutcome) {
        if (timeout instanceof ConnectError) {
          throw timeout;
        }
        return read(unframe(body, maxRequestBytes));
      },
      succeed(response: MessageInit) {
        const body = encodeCached(response, write, frame, frameToKeep);
        exchange.respond({
          status: 200,
          headers: withMetadata(HEADERS, context.addedHeaders),
          body,
          length: body.length,
          trailers: withMetadata(TRAILERS, context.addedTrailers),
        });
      },
      fail(error: ConnectError) {
        const metadata = [...context.addedHeaders, ...grpcStatus(error), ...context.addedTrailers];
        exchange.respond({ status: 200, headers: withMetadata(HEADERS, metadata), body: "", length: 0 });
      },
    };
    serveUnary(call, toError);
    return true;
  };
}

function isPlainGrpc(exchange: Exchange): boolean {
  const encoding = exchange.header("grpc-encoding");
  return (
    CONTENT_TYPES.has(exchange.header("content-type")) &&
    exchange.httpMethod === "POST" &&
    (encoding === undefined || encoding === "identity")
  );
}

/** The single message of a body. Throws a ConnectError if there is none, more than one, or an incomplete one. */
function unframe(body: BodyOutcome, maxMessageBytes: number): Uint8Array {
  if (body === "too large") {
    throw messageTooLarge(maxMessageBytes);
  }
  if (body.length === 0) {
    throw new ConnectError("the method takes exactly one message; the request has none", Code.Unimplemented);
  }
  const [flags = 0, a = 0, b = 0, c = 0, d = 0] = body;
  const end = PREFIX_BYTES + a * 2 ** 24 + ((b << 16) | (c << 8) | d);
  if (body.length >= PREFIX_BYTES && end - PREFIX_BYTES > maxMessageBytes) {
    throw messageTooLarge(maxMessageBytes);
  }
  if (body.length < Math.max(end, PREFIX_BYTES)) {
    throw new ConnectError("the body ends within a message", Code.InvalidArgument);
  }
  if (body.length > end) {
    throw new ConnectError(
      "the method takes exactly one message; the request has several",
      Code.Unimplemented,
    );
  }
  if ((flags & 1) === 1) {
    throw new ConnectError("the message is compressed, but no header names the encoding", Code.Internal);
  }
  return body.subarray(PREFIX_BYTES);
}

function frame(message: MessageInit, write: BinaryMessageWriter): Uint8Array {
  return writePrefix(write(message, PREFIX_BYTES), 0);
}

/** Copies the bytes, because the writer returns views of larger buffers. */
function frameToKeep(message: MessageInit, write: BinaryMessageWriter): Uint8Array {
  return new Uint8Array(frame(message, write));
}

function withMetadata(headers: HeaderList, added: HeaderList): HeaderList {
  return added.length === 0 ? headers : [...headers, ...added];
}

/** The trailers of an error: its metadata, status, message and details, as a header list. */
export function grpcStatus(error: ConnectError): string[] {
  const { code, rawMessage } = error;
  const trailers = new Headers(error.metadata);
  trailers.set("grpc-status", String(code));
  trailers.set("grpc-message", percentEncode(rawMessage));
  if (error.details.length > 0) {
    const details = error.details.map((detail) =>
      "desc" in detail
        ? anyPack(detail.desc, create(detail.desc, detail.value))
        : { typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value },
    );
    const status = create(StatusSchema, { code, message: rawMessage, details });
    trailers.set("grpc-status-details-bin", encodeBinaryHeader(status, StatusSchema));
  }
  return [...trailers].flat();
}

/** Encodes only the characters that `grpc-message` cannot contain: grpc-js does not decode encoded punctuation. */
function percentEncode(text: string): string {
  // A Buffer has no lone surrogates, for which encodeURIComponent throws.
  return text.replace(/[^\x20-\x24\x26-\x7e]+/g, (part) => encodeURIComponent(Buffer.from(part).toString()));
}

const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

/** Parses `grpc-timeout` to milliseconds; a ConnectError if it is malformed, undefined without it. */
export function parseGrpcTimeout(value: string | undefined): number | ConnectError | undefined {
  if (value === undefined) {
    return undefined;
  }
  const [, amount, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(value) ?? [];
  return amount === undefined
    ? new ConnectError(`protocol error: invalid grpc timeout value: ${value}`, Code.InvalidArgument)
    : Number(amount) * (UNITS[unit] ?? 1);
}
