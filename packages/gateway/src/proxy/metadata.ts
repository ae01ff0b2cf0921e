import type { OutgoingHttpHeaders } from "node:http2";
import type { RawRequest } from "connect-transcoding";
import { isOfProtocol } from "../grpc/metadata.js";

/** Headers that say how the client has asked for its response. */
const CONDITIONS: ReadonlySet<string> = new Set([
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
]);

/** The metadata for an upstream: that of the client, without the headers that its `Connection` header names, and its address. */
export function requestMetadata(request: RawRequest): OutgoingHttpHeaders {
  const metadata: OutgoingHttpHeaders = {};
  const connection = request.header("connection");
  const named = connection === undefined ? [] : connection.toLowerCase().split(/\s*,\s*/);
  for (const [name, value] of request.headers()) {
    if (!isOfProtocol(name) && !CONDITIONS.has(name) && !named.includes(name) && name !== "x-grpc-web") {
      metadata[name] = value;
    }
  }
  const { clientAddress } = request;
  if (clientAddress !== "") {
    const { "x-forwarded-for": forwarded } = metadata;
    metadata["x-forwarded-for"] = forwarded === undefined ? clientAddress : `${forwarded}, ${clientAddress}`;
  }
  return metadata;
}
