import type { OutgoingHttpHeaders } from "node:http2";
import type { RawRequest } from "connect-transcoding";
import { isOfProtocol } from "../grpc/metadata.js";

/** The scheme of a header with an API key. */
const BEARER = /^\s*bearer\b/i;

/** Headers that say how the client has asked for its response. */
const CONDITIONS: ReadonlySet<string> = new Set([
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
]);

/**
 * The metadata for an upstream: that of the client, without the headers that its `Connection` header names, and its address. An API key of
 * the gateway is a secret that upstreams need not know.
 */
export function requestMetadata(request: RawRequest): OutgoingHttpHeaders {
  const metadata: OutgoingHttpHeaders = {};
  const connection = request.header("connection");
  const named = connection === undefined ? [] : connection.toLowerCase().split(/\s*,\s*/);
  const hasKey = request.principal !== undefined;
  for (const [name, value] of request.headers()) {
    if (hasKey && (name === "x-api-key" || (name === "authorization" && BEARER.test(value)))) {
      continue;
    }
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
