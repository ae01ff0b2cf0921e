import { create } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { type ConnectError, encodeBinaryHeader } from "@connectrpc/connect";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.js";
import { metadataOf } from "../../errors/metadata.js";

/** The trailers of an error in gRPC and gRPC-Web: its metadata, status, message and details, as a header list. */
export function grpcStatus(error: ConnectError): string[] {
  const { code, rawMessage } = error;
  const trailers = new Headers(metadataOf(error).map(([name, value]) => [name, value]));
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

/**
 * Encodes only the characters that `grpc-message` cannot contain, and a space at its start and end, which HTTP removes: grpc-js does not
 * decode encoded punctuation.
 */
function percentEncode(text: string): string {
  // A Buffer has no lone surrogates, for which encodeURIComponent throws.
  return text.replace(/[^\x20-\x24\x26-\x7e]+|^ | $/g, (part) =>
    encodeURIComponent(Buffer.from(part).toString()),
  );
}
