import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, decodeBinaryHeader } from "@connectrpc/connect";
import type { HeaderSection, ResponseHead } from "@utility-tools/http-server/client";
import { StatusSchema } from "connect-transcoding/gen/google/rpc/status_pb.js";
import { appendMetadata } from "./metadata.js";

/** https://github.com/grpc/grpc/blob/v1.70.0/doc/http-grpc-status-mapping.md */
const CODES_OF_HTTP: Readonly<Record<number, Code>> = {
  400: Code.Internal,
  401: Code.Unauthenticated,
  403: Code.PermissionDenied,
  404: Code.Unimplemented,
  429: Code.Unavailable,
  502: Code.Unavailable,
  503: Code.Unavailable,
  504: Code.Unavailable,
};

const TYPE = /^application\/grpc[\t ]*(?:$|[+;])/i;

/** Returns the error of a response that is not one of gRPC; undefined if it is one. */
export function headError(head: ResponseHead): ConnectError | undefined {
  const { status } = head;
  const type = head.get("content-type");
  if (head.get("grpc-status") !== undefined || (status === 200 && type !== undefined && TYPE.test(type))) {
    return undefined;
  }
  return status === 200
    ? new ConnectError(`the upstream server has sent the content type ${type ?? "(none)"}`, Code.Unknown)
    : new ConnectError(
        `the upstream server has sent the HTTP status ${status}`,
        CODES_OF_HTTP[status] ?? Code.Unknown,
      );
}

/**
 * Returns the error in the status of a call, with the metadata in its trailers and its head; undefined for a success. Details keep their
 * bytes. A status that is not a code of gRPC is `UNKNOWN`.
 */
export function statusError(trailers: HeaderSection, head = trailers): ConnectError | undefined {
  const status = trailers.get("grpc-status");
  if (status === "0") {
    return undefined;
  }
  const code = /^\d{1,2}$/.test(status ?? "") ? Number(status) : Number.NaN;
  const error =
    code in Code
      ? new ConnectError(decodeMessage(trailers.get("grpc-message") ?? ""), code)
      : new ConnectError(`the upstream server has sent the status ${status}`, Code.Unknown);
  if (head !== trailers) {
    appendMetadata(head, error.metadata);
  }
  appendMetadata(trailers, error.metadata);
  const encoded = trailers.get("grpc-status-details-bin");
  if (encoded !== undefined) {
    error.details = detailsOf(encoded);
  }
  return error;
}

/** The details in `grpc-status-details-bin`; none if it is malformed. */
function detailsOf(encoded: string): ConnectError["details"] {
  try {
    const { details } = fromBinary(StatusSchema, decodeBinaryHeader(encoded));
    return details.map(({ typeUrl, value }) => ({
      type: typeUrl.slice(typeUrl.lastIndexOf("/") + 1),
      value,
    }));
  } catch {
    return [];
  }
}

/** Decodes the percent-encoding of `grpc-message`; a malformed one stays as it is. */
function decodeMessage(text: string): string {
  try {
    return text.includes("%") ? decodeURIComponent(text) : text;
  } catch {
    return text;
  }
}
