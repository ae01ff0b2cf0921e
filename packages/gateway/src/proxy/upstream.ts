import type { Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { UpstreamOptions } from "../options.js";
import { createConnection } from "./connection.js";

/** Certificates for TLS to upstreams, in PEM. */
export interface UpstreamTls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** A gRPC server behind the gateway. */
export interface Upstream extends UpstreamOptions {
  readonly transport: Transport;
  /** Closes the connection, and calls in progress. */
  close(): void;
}

/** Prepares the calls of an upstream. The connection is opened by the first call, and again if it breaks. */
export function createUpstream(
  { prefix, url }: UpstreamOptions,
  tls: UpstreamTls,
  maxResponseBytes: number,
): Upstream {
  const sessionManager = createConnection(url, tls);
  return {
    prefix,
    url,
    transport: createGrpcTransport({ baseUrl: url, sessionManager, readMaxBytes: maxResponseBytes }),
    close: () => sessionManager.close(),
  };
}

/** The upstream whose prefix is the longest that the name of a service has; undefined if there is none. */
export function upstreamOf<T extends UpstreamOptions>(
  upstreams: readonly T[],
  service: string,
): T | undefined {
  return upstreams
    .filter(({ prefix }) => prefix === "" || service === prefix || service.startsWith(`${prefix}.`))
    .sort((first, second) => second.prefix.length - first.prefix.length)[0];
}
