import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { MIN_COMPRESSED_BYTES } from "../routes/encoding/content-negotiation.js";
import type { ServedMethod } from "../routes/served-methods.js";
import { type CodecOptions, createCodecs } from "./codecs.js";
import { CODINGS } from "./compression.js";
import { acceptConnect } from "./connect/format.js";
import { type CallHead, type CallProtocol, type Format, Refusal, type RpcMethod } from "./format.js";
import { acceptGrpc } from "./grpc/format.js";
import { acceptGrpcWeb } from "./grpc-web/format.js";

/** How a call of one method in gRPC, gRPC-Web or Connect is read and written, or why the request is refused. */
export type AcceptRpc = (head: CallHead, protocol: CallProtocol) => Format | Refusal;

const ACCEPTED =
  "application/grpc, application/grpc-web, application/grpc-web-text, application/json, application/proto, application/connect+json, application/connect+proto";

/** Creates the function that reads the headers of calls of a method. */
export function createRpcAcceptor(served: ServedMethod, shared: CodecOptions): AcceptRpc {
  const { method, spec, options } = served;
  const rpc: RpcMethod = {
    served,
    codecs: createCodecs(served, shared),
    codings: options.acceptCompression ?? CODINGS,
    minCompressedBytes: options.compressMinBytes ?? MIN_COMPRESSED_BYTES,
    registry: shared.registry,
  };
  const accept: Partial<Record<CallProtocol, (head: CallHead, rpc: RpcMethod) => Format | undefined>> = {
    ...(options.grpc !== false && { grpc: acceptGrpc }),
    ...(options.grpcWeb !== false && { "grpc-web": acceptGrpcWeb }),
    ...(options.connect !== false && { connect: acceptConnect }),
  };
  const takesGet =
    spec.kind === "unary" &&
    accept.connect !== undefined &&
    method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;

  return (head, protocol) => {
    if (head.httpVersion !== "2.0" && spec.kind === "bidi_streaming") {
      return new Refusal(505, Code.Unimplemented, []);
    }
    if (head.httpMethod !== "POST" && !(takesGet && head.httpMethod === "GET")) {
      return new Refusal(405, Code.Unimplemented, ["allow", takesGet ? "GET, POST" : "POST"]);
    }
    return accept[protocol]?.(head, rpc) ?? new Refusal(415, Code.InvalidArgument, ["accept-post", ACCEPTED]);
  };
}
