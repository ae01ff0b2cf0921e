import type { ConnectError } from "@connectrpc/connect";
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { endStreamFlag, endStreamToJson } from "@connectrpc/connect/protocol-connect";

/** Octets before each message of gRPC, gRPC-Web and Connect's streams, and before what ends those: flags and a length. */
export const PREFIX_BYTES = 5;

/** What marks the block of trailers that gRPC-Web has in the body. */
export const TRAILER_FLAG = 0x80;

/** What ends a stream over Connect with an error: https://connectrpc.com/docs/protocol/#error-end-stream */
export function endStreamEnvelope(error: ConnectError): Uint8Array {
  const end = JSON.stringify(endStreamToJson(new Headers(), error, {}));
  return encodeEnvelope(endStreamFlag, new TextEncoder().encode(end));
}
