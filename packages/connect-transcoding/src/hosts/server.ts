import type { AddressInfo } from "node:net";
import type { ContextValues } from "@connectrpc/connect";
import { createHttpServer, DEFAULT_LIMITS, type ServerOptions } from "@utility-tools/http-server";
import { knownOptions, type OptionNames } from "@utility-tools/http-server/portable";
import { trustedProxies } from "#platform";
import { createAdapter } from "../call/adapter.js";
import type { RawRequest } from "../call/http/request-record.js";
import { DEFAULT_CLIENT_ADDRESS_HEADER } from "../call/options.js";
import { HOST_OPTIONS, type HostOptions } from "../features/options.js";
import { withFeatures } from "../features/with-features.js";
import { splitTarget } from "../routes/binding/request-path.js";

/** Certificates, timeouts and limits of connections: options of `createHttpServer` in `@utility-tools/http-server`. */
export type TransportOptions = Omit<
  ServerOptions,
  | "onRequest"
  | "methods"
  | "isGateway"
  | "hasProxyHeader"
  | "forwardedClient"
  | "isOpenEnded"
  | "formatRejection"
> & {
  /**
   * Whether each connection of `trustedProxies` begins with a header of the PROXY protocol, version 1 or 2, as load balancers for TCP send
   * it. Default: false.
   */
  readonly proxyProtocol?: boolean | undefined;
};

/** Options of a server: those of the adapter, and of its connections. */
export interface TranscodingServerOptions extends HostOptions {
  /** Context values to extract from the request. */
  readonly contextValues?: ((request: RawRequest) => ContextValues) | undefined;
  /** Certificates, timeouts and limits of connections; see `DEFAULT_LIMITS` of `@utility-tools/http-server`. */
  readonly transport?: TransportOptions | undefined;
}

/** A server for HTTP/1.1, HTTP/1.0 and HTTP/2 on one port, in cleartext or with TLS. */
export interface TranscodingServer {
  /** The number of open connections. */
  readonly connections: number;
  /** Listens on a host and a port; port 0 selects a free one. Rejects with the Error of the system. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /**
   * Serves other routes with other options from the next request on. Requests in progress keep theirs, and connections stay open. Throws
   * as `createServer` does, and then changes nothing.
   */
  replace(options: Omit<TranscodingServerOptions, "transport">): void;
  /**
   * Closes the port, gives the requests in progress `gracePeriod` milliseconds, and then closes their connections. Resolves
   * when all connections are closed.
   */
  close(gracePeriod: number): Promise<void>;
}

/** The names of the options that {@link TranscodingServer.replace} takes. */
const REPLACED_OPTIONS: OptionNames<Omit<TranscodingServerOptions, "transport">> = {
  ...HOST_OPTIONS,
  contextValues: true,
};

const TRANSPORT_OPTIONS: OptionNames<TransportOptions> = {
  ...DEFAULT_LIMITS,
  tls: true,
  proxyProtocol: true,
  onReject: true,
  onConnectionDropped: true,
};

/**
 * Creates a server of the routes: one port for HTTP/1, HTTP/2 and, with `transport.tls`, TLS.
 *
 * Throws an UnknownOptionError, and an Error if a rule contradicts its messages or another rule.
 */
export function createServer(given: TranscodingServerOptions): TranscodingServer {
  const { transport = {}, ...options } = knownOptions("createServer", given, {
    ...REPLACED_OPTIONS,
    transport: true,
  });
  const { proxyProtocol, ...connections } = knownOptions("transport", transport, TRANSPORT_OPTIONS);
  const closing = new AbortController();
  let adapter = createAdapter(withFeatures(options, closing.signal));
  let proxies = trustedProxies(options.transcoding?.trustedProxies ?? []);
  let { clientAddressHeader = DEFAULT_CLIENT_ADDRESS_HEADER } = options.transcoding ?? {};
  const server = createHttpServer({
    ...connections,
    onRequest: (request) => adapter.serve(request),
    methods: {
      has: (method) => adapter.httpMethods?.has(method) ?? true,
      [Symbol.iterator]: () => (adapter.httpMethods ?? new Set<string>())[Symbol.iterator](),
    },
    isGateway: (peerAddress) => proxies.trusts(peerAddress),
    hasProxyHeader: (peerAddress) => proxyProtocol === true && proxies.trusts(peerAddress),
    forwardedClient: ({ connection, headers }) => {
      const client = proxies.clientOf(connection.peerAddress, headers.get(clientAddressHeader));
      return proxies.trusts(client) ? undefined : client;
    },
    isOpenEnded: (target) => adapter.isRequestStream(splitTarget(target).path),
    formatRejection: (rejection) => adapter.formatRejection(rejection),
  });
  return {
    get connections() {
      return server.connections;
    },
    listen: (host, port) => server.listen(host, port),
    replace: (given) => {
      const others = knownOptions("replace", given, REPLACED_OPTIONS);
      const next = createAdapter(withFeatures(others, closing.signal));
      proxies = trustedProxies(others.transcoding?.trustedProxies ?? []);
      ({ clientAddressHeader = DEFAULT_CLIENT_ADDRESS_HEADER } = others.transcoding ?? {});
      adapter = next;
    },
    close: async (gracePeriod) => {
      closing.abort();
      await server.stopAccepting();
      await server.close(gracePeriod);
    },
  };
}
