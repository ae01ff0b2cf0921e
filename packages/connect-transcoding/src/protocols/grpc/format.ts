import { Code, ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "@utility-tools/http-server";
import type { MessageInit } from "../../codec/message-field.js";
import { withAdded } from "../../errors/metadata.js";
import { utf8TypeOf } from "../../routes/binding/request-parameters.js";
import { encodeCached } from "../../routes/encoding/cached-encodings.js";
import type { OutgoingResponse } from "../../routes/encoding/representation.js";
import type { Codec } from "../codecs.js";
import { negotiate } from "../compression.js";
import { COMPRESSED_FLAG, envelopeOf, PREFIX_BYTES, writePrefix } from "../envelope.js";
import { type CallHead, checkedTimeout, type End, type RpcMethod } from "../format.js";
import { type Accepted, PrefixedFormat } from "../prefixed-format.js";
import { grpcStatus } from "./error.js";

const HEADERS = {
  proto: ["content-type", "application/grpc+proto"],
  json: ["content-type", "application/grpc+json"],
} as const;
const OK: HeaderList = ["grpc-status", "0"];

/** gRPC: messages with a prefix, and the status in HTTP trailers. */
export class GrpcFormat extends PrefixedFormat {
  readonly protocolName = "grpc";

  get headers(): HeaderList {
    const { response } = this.accepted.codings;
    const headers = HEADERS[this.accepted.codec.name];
    return response === undefined ? headers : [...headers, "grpc-encoding", response.name];
  }

  end(error: ConnectError | undefined, trailer: HeaderList): End {
    return { trailers: withAdded(error === undefined ? OK : grpcStatus(error), trailer) };
  }

  override respond(
    message: MessageInit,
    header: HeaderList,
    trailer: HeaderList,
  ): OutgoingResponse | Promise<OutgoingResponse> {
    const { codec, codings, method } = this.accepted;
    const body = encodeCached(message, codec, frame, frameToKeep);
    if (codings.response === undefined || body.length - PREFIX_BYTES < method.minCompressedBytes) {
      return this.#whole(body, header, trailer);
    }
    return codings.response
      .compress(body.subarray(PREFIX_BYTES))
      .then((short) => this.#whole(envelopeOf(short, COMPRESSED_FLAG), header, trailer));
  }

  #whole(body: Uint8Array, header: HeaderList, trailer: HeaderList): OutgoingResponse {
    return {
      status: 200,
      headers: withAdded(this.headers, header),
      body,
      length: body.length,
      trailers: withAdded(OK, trailer),
    };
  }

  /** Trailers-Only is a single header block, which clients read as trailers. So headers of the handler need another one. */
  override fail(error: ConnectError, header: HeaderList, trailer: HeaderList): OutgoingResponse {
    const headers = HEADERS[this.accepted.codec.name];
    const trailers = withAdded(grpcStatus(error), trailer);
    return header.length === 0
      ? { status: 200, headers: [...headers, ...trailers], body: "", length: 0 }
      : { status: 200, headers: [...headers, ...header], body: "", length: 0, trailers };
  }
}

function frame(message: MessageInit, codec: Codec): Uint8Array {
  return writePrefix(codec.write(message, PREFIX_BYTES), 0);
}

/** Copies the bytes, because the writer returns views of larger buffers. */
function frameToKeep(message: MessageInit, codec: Codec): Uint8Array {
  return new Uint8Array(frame(message, codec));
}

const TYPE = /^application\/grpc(?:\+(?:proto|(json)))?$/;

/** How a call in gRPC is read and written; undefined for another content type. https://github.com/grpc/grpc/blob/v1.70.0/doc/PROTOCOL-HTTP2.md */
export function acceptGrpc(head: CallHead, method: RpcMethod): GrpcFormat | undefined {
  const type = head.header("content-type") ?? "";
  // Comparing the usual types is faster than a regular expression.
  const match =
    type === "application/grpc" || type === "application/grpc+proto"
      ? undefined
      : TYPE.exec(utf8TypeOf(type) ?? "");
  return match === null ? undefined : new GrpcFormat(readGrpcHeaders(head, method, match?.[1] !== undefined));
}

/** What gRPC and gRPC-Web read in the headers of a request. */
export function readGrpcHeaders(head: CallHead, method: RpcMethod, isJson: boolean): Accepted {
  const codings = negotiate(
    method.codings,
    head.header("grpc-encoding"),
    head.header("grpc-accept-encoding"),
    "grpc-accept-encoding",
  );
  const timeout = checkedTimeout(parseGrpcTimeout(head.header("grpc-timeout")), method.served);
  return { head, method, codec: isJson ? method.codecs.json : method.codecs.proto, codings, timeout };
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
