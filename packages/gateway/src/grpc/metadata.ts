import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";

/** Headers of a connection or of one message, and those that the gRPC client sets. */
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

/** Whether a header belongs to a protocol: to HTTP, gRPC, gRPC-Web or Connect. */
export function isOfProtocol(name: string): boolean {
  return (
    OWN_HEADERS.has(name) || name.startsWith("grpc-") || name.startsWith("connect-") || name.startsWith(":")
  );
}

/** The metadata in received headers: name, value, name, value and so on. */
export function receivedMetadata(headers: IncomingHttpHeaders): string[] {
  const list: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !isOfProtocol(name)) {
      for (const each of Array.isArray(value) ? value : [value]) {
        list.push(name, each);
      }
    }
  }
  return list;
}

/** Adds the metadata in received headers to others. */
export function appendMetadata(from: IncomingHttpHeaders, to: Headers): void {
  const list = receivedMetadata(from);
  for (let index = 0; index < list.length; index += 2) {
    to.append(list[index] ?? "", list[index + 1] ?? "");
  }
}

/** Metadata as headers to send, without those of a protocol. */
export function outgoingMetadata(metadata: Headers): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of metadata) {
    if (!isOfProtocol(name)) {
      headers[name] = value;
    }
  }
  return headers;
}
