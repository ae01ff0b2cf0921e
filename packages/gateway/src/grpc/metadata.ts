import type { HeaderSection } from "@utility-tools/http-server/client";

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

/**
 * Metadata with the reserved prefix: that of traces and statistics (https://opencensus.io), and of retries
 * (https://github.com/grpc/proposal/blob/master/A6-client-retries.md).
 */
const GRPC_METADATA: ReadonlySet<string> = new Set([
  "grpc-previous-rpc-attempts",
  "grpc-retry-pushback-ms",
  "grpc-server-stats-bin",
  "grpc-tags-bin",
  "grpc-trace-bin",
]);

/** Whether a header belongs to a protocol: to HTTP, gRPC, gRPC-Web or Connect. */
export function isOfProtocol(name: string): boolean {
  return (
    OWN_HEADERS.has(name) ||
    (name.startsWith("grpc-") && !GRPC_METADATA.has(name)) ||
    name.startsWith("connect-") ||
    name.startsWith(":")
  );
}

/** Headers that name the software of an upstream or another address of it, which clients must not know. */
const INTERNAL_HEADERS: ReadonlySet<string> = new Set(["alt-svc", "server", "via", "x-powered-by"]);

/** Whether clients must not have a header of an upstream. Those of CORS are the gateway's: browsers refuse responses with two origins. */
function isInternal(name: string): boolean {
  return INTERNAL_HEADERS.has(name) || name.startsWith("x-envoy-") || name.startsWith("access-control-");
}

/** The metadata in a received section: name, value, name, value and so on. */
export function receivedMetadata(section: HeaderSection | undefined): string[] {
  const list = section?.list ?? [];
  const metadata: string[] = [];
  for (let index = 0; index < list.length; index += 2) {
    const name = list[index] ?? "";
    if (!isOfProtocol(name) && !isInternal(name)) {
      metadata.push(name, list[index + 1] ?? "");
    }
  }
  return metadata;
}

/** Adds the metadata in a received section to headers. */
export function appendMetadata(from: HeaderSection | undefined, to: Headers): void {
  const list = receivedMetadata(from);
  for (let index = 0; index < list.length; index += 2) {
    to.append(list[index] ?? "", list[index + 1] ?? "");
  }
}

/** Metadata as headers to send, without those of a protocol. */
export function outgoingMetadata(metadata: Headers): string[] {
  return [...metadata].filter(([name]) => !isOfProtocol(name)).flat();
}
