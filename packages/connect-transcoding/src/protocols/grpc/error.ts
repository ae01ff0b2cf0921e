import { create } from "@bufbuild/protobuf";
import { type ConnectError, encodeBinaryHeader } from "@connectrpc/connect";
import { StatusSchema } from "../../../gen/google/rpc/status_pb.js";
import { packDetail } from "../../errors/errors.js";
import { metadataOf } from "../../errors/metadata.js";

/**
 * The limits of a message and of details in bytes. They keep the trailers below 64 KiB: nghttp2 refuses longer ones, so that a client of Node
 * would not get the code.
 */
const MAX_MESSAGE = 8 * 1024;
const MAX_DETAILS = 24 * 1024;

/**
 * The trailers of an error in gRPC and gRPC-Web: its metadata, status, message and details, as a header list. A message that is too long is cut;
 * details that are too long are left out.
 */
export function grpcStatus(error: ConnectError): string[] {
  const { code } = error;
  const message = cut(error.rawMessage);
  const trailers = new Headers(metadataOf(error).map(([name, value]) => [name, value]));
  trailers.set("grpc-status", String(code));
  trailers.set("grpc-message", percentEncode(message));
  let room = MAX_DETAILS;
  const details = error.details.map(packDetail).filter(({ type, value }) => {
    const isSent = type.length + value.length <= room;
    room -= isSent ? type.length + value.length : 0;
    return isSent;
  });
  if (details.length > 0) {
    const packed = details.map(({ type, value }) => ({ typeUrl: `type.googleapis.com/${type}`, value }));
    const status = create(StatusSchema, { code, message, details: packed });
    trailers.set("grpc-status-details-bin", encodeBinaryHeader(status, StatusSchema));
  }
  return [...trailers].flat();
}

function cut(text: string): string {
  let short = text.slice(0, MAX_MESSAGE);
  while (percentEncode(short).length > MAX_MESSAGE) {
    short = short.slice(0, short.length >> 1);
  }
  return short;
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
