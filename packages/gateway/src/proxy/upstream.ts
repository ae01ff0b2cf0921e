import type { Transport } from "@connectrpc/connect";
import { createUpstreamConnections, type UpstreamConnections } from "../grpc/connection.js";
import type { UpstreamTls } from "../grpc/socket.js";
import { createTransport } from "../grpc/transport.js";
import type { UpstreamOptions } from "../options.js";
import { createRetryBudget, type RetryBudget } from "./retry.js";

/** A gRPC server behind the gateway. */
export interface Upstream extends UpstreamOptions {
  readonly connections: UpstreamConnections;
  readonly retries: RetryBudget;
  /** For the calls of the gateway's own. */
  readonly transport: Transport;
}

/** Prepares the calls of an upstream. The connection is opened by the first call, and again if it breaks. */
export function createUpstream(
  { prefix, url }: UpstreamOptions,
  tls: UpstreamTls,
  maxResponseBytes: number,
  log: (line: string) => void,
): Upstream {
  const connections = createUpstreamConnections(url, tls, log);
  return {
    prefix,
    url,
    connections,
    retries: createRetryBudget(),
    transport: createTransport(connections, maxResponseBytes),
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
