import type { AddressInfo } from "node:net";
import { type AdapterOptions, createAdapter } from "../node/adapter.js";
import { splitTarget } from "../request/request-path.js";
import { type Listener, listen } from "./listener.js";
import type { TransportOptions } from "./transport-options.js";

/** Options of a server: those of the adapter, and of its connections. */
export interface TranscodingServerOptions extends Omit<AdapterOptions, "fallback"> {
  /** Certificates, timeouts and limits of connections; see `DEFAULT_TRANSPORT`. */
  readonly transport?: Partial<TransportOptions> | undefined;
}

/** A server for HTTP/1.1 and HTTP/2 on one port, in cleartext or with TLS. */
export interface TranscodingServer {
  /** The number of open connections. */
  readonly connections: number;
  /** Listens on a host and a port; port 0 selects a free one. Rejects with the Error of the system. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /**
   * Closes the port, gives the requests in progress `gracePeriod` milliseconds, and then closes their connections. Resolves
   * when all connections are closed.
   */
  close(gracePeriod: number): Promise<void>;
}

/**
 * Creates a server of the routes: one port for HTTP/1.1, HTTP/2 and, with `transport.tls`, TLS.
 *
 * Throws an Error if a rule contradicts its messages or another rule.
 */
export function createServer({ transport, ...options }: TranscodingServerOptions): TranscodingServer {
  const adapter = createAdapter(options);
  const isOpenEnded: TransportOptions["isOpenEnded"] = (target) =>
    adapter.isRequestStream(splitTarget(target).path);
  let listener: Listener | undefined;
  return {
    get connections() {
      return listener?.connections ?? 0;
    },
    listen: async (host, port) => {
      listener = await listen({ host, port, handlers: adapter, transport: { isOpenEnded, ...transport } });
      return listener.address;
    },
    close: async (gracePeriod) => {
      await listener?.stopAccepting();
      adapter.stop();
      await listener?.close(gracePeriod);
    },
  };
}
