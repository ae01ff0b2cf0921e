import type { ConnectError } from "@connectrpc/connect";
import type { HeaderList } from "@utility-tools/http-server";
import type { MessageInit } from "../../codec/message-field.js";
import { withAdded } from "../../errors/metadata.js";
import { encodeCached } from "../../routes/encoding/cached-encodings.js";
import type { OutgoingResponse } from "../../routes/encoding/representation.js";
import type { Codec } from "../codecs.js";
import { PREFIX_BYTES, writePrefix } from "../envelope.js";
import type { End } from "../format.js";
import { PrefixedFormat } from "../prefixed-format.js";
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
    if (this.accepted.codings.response !== undefined) {
      return super.respond(message, header, trailer);
    }
    const body = encodeCached(message, this.accepted.codec, frame, frameToKeep);
    return {
      status: 200,
      headers: withAdded(HEADERS[this.accepted.codec.name], header),
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
