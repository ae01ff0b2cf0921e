/** Headers of a connection or of one message, and those that the gRPC transport sets. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "range",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers that say how the client has asked for its response. */
const CONDITIONS: ReadonlySet<string> = new Set([
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
]);

/** Whether a header belongs to a protocol: to HTTP, gRPC, gRPC-Web or Connect. */
function isOfProtocol(name: string): boolean {
  return (
    OWN_HEADERS.has(name) || name.startsWith("grpc-") || name.startsWith("connect-") || name.startsWith(":")
  );
}

/** Copies metadata without the headers of the protocol. */
export function copyMetadata(from: Headers, to: Headers): void {
  for (const [name, value] of from) {
    if (!isOfProtocol(name)) {
      to.append(name, value);
    }
  }
}

/** The metadata for an upstream: that of the client, without the headers that its `Connection` header names, and its address. */
export function requestMetadata(header: Headers, clientAddress: string): Headers {
  const metadata = new Headers();
  const named = new Set((header.get("connection") ?? "").toLowerCase().split(/\s*,\s*/));
  for (const [name, value] of header) {
    if (!isOfProtocol(name) && !CONDITIONS.has(name) && !named.has(name) && name !== "x-grpc-web") {
      metadata.append(name, value);
    }
  }
  if (clientAddress !== "") {
    metadata.append("x-forwarded-for", clientAddress);
  }
  return metadata;
}
