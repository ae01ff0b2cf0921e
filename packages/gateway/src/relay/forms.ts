import type { ConnectError } from "@connectrpc/connect";
import type { HeaderSection } from "@utility-tools/http-server/client";
import { grpcStatus, grpcWebTrailers, type RawRequest } from "connect-transcoding";
import { receivedMetadata } from "../grpc/metadata.js";

/** The end of a response: the last bytes of its body, and HTTP trailers. */
export interface RelayEnd {
  readonly body?: Uint8Array;
  readonly trailers?: readonly string[];
}

/** A protocol whose messages are those of gRPC, byte for byte. */
export interface WireForm {
  readonly headers: readonly string[];
  /** Encodes the status: name, value, name, value and so on. */
  end(status: readonly string[]): RelayEnd;
}

const GRPC: WireForm = {
  headers: ["content-type", "application/grpc+proto"],
  end: (trailers) => ({ trailers }),
};

const GRPC_WEB: WireForm = {
  headers: ["content-type", "application/grpc-web+proto", "x-content-type-options", "nosniff"],
  end: (status) => ({ body: grpcWebTrailers(status) }),
};

const TYPES: ReadonlyMap<string, WireForm> = new Map([
  ["application/grpc", GRPC],
  ["application/grpc+proto", GRPC],
  ["application/grpc-web", GRPC_WEB],
  ["application/grpc-web+proto", GRPC_WEB],
]);

/** The form of a request whose bytes can pass; undefined for JSON, for base64, and for gRPC over HTTP/1. */
export function wireFormOf(request: RawRequest): WireForm | undefined {
  const form = TYPES.get(request.header("content-type") ?? "");
  const isText = request.header("accept")?.startsWith("application/grpc-web-text") === true;
  return (form === GRPC && request.httpVersion !== "2.0") || (form === GRPC_WEB && isText) ? undefined : form;
}

/** The headers of a response, with those that say how its messages are compressed. */
export function responseHeaders(form: WireForm, head: HeaderSection | undefined): string[] {
  const headers = [...form.headers, ...receivedMetadata(head)];
  for (const name of ["grpc-encoding", "grpc-accept-encoding"]) {
    const value = head?.get(name);
    if (value !== undefined) {
      headers.push(name, value);
    }
  }
  return headers;
}

/** The status and the metadata in trailers, as they were received, unless the status is not a code of gRPC in decimal. */
export function statusList(trailers: HeaderSection, error: ConnectError | undefined): string[] {
  if (error !== undefined && trailers.get("grpc-status") !== String(error.code)) {
    return ownStatus(error);
  }
  const list: string[] = [];
  for (const name of ["grpc-status", "grpc-message", "grpc-status-details-bin"]) {
    const value = trailers.get(name);
    if (value !== undefined) {
      list.push(name, value);
    }
  }
  return [...list, ...receivedMetadata(trailers)];
}

/** The status of an error of the gateway itself. */
export function ownStatus(error: ConnectError): string[] {
  return grpcStatus(error);
}
