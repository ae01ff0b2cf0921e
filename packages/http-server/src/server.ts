import type { AddressInfo, Socket } from "node:net";
import { ByteBudget } from "./core/byte-budget.js";
import { plainRejection } from "./core/rejection.js";
import { CONNECTION_BYTES, TLS_BYTES } from "./core/weights.js";
import { Http1Connection } from "./http1/connection.js";
import { Http2Connection } from "./http2/connection.js";
import { OutputBuffer } from "./http2/output-buffer.js";
import { knownOptions } from "./known-options.js";
import {
  type ConnectionOptions,
  DEFAULT_LIMITS,
  SERVER_OPTIONS,
  type ServerLimits,
  type ServerOptions,
} from "./options.js";
import { closePort } from "./port/close-port.js";
import { Connections } from "./port/connections.js";
import { createSharedPort } from "./port/shared-port.js";
import { createTlsHandshakes } from "./port/tls.js";

/** A server for HTTP/1.1, HTTP/1.0 and HTTP/2 on one port, in cleartext or with TLS. */
export interface HttpServer {
  /** The number of open connections. */
  readonly connections: number;
  /** The bytes that count for `maxHeldBytes`. */
  readonly heldBytes: number;
  /** Listens on a host and a port; port 0 selects a free one. Rejects with the Error of the system. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /**
   * Closes the port, and keeps open connections. Resolves when no new connection is accepted. The first step of a shutdown:
   * clients that receive a GOAWAY earlier open new connections, which could be reset.
   */
  stopAccepting(): Promise<void>;
  /**
   * Closes the connections without losing requests in transit: HTTP/2 clients receive a GOAWAY, and requests are still served.
   * After `linger` milliseconds idle connections are closed, and after `gracePeriod` milliseconds all others. Resolves when
   * the last connection is closed.
   */
  close(gracePeriod: number): Promise<void>;
}

const LONGEST_SWEEP_INTERVAL = 2_000;
const SHORTEST_SWEEP_INTERVAL = 10;
/** The interval of the checks of connections during shutdown, in milliseconds. */
const CLOSING_SWEEP_INTERVAL = 20;

/** Node's number of connections that wait until they are accepted. */
const DEFAULT_BACKLOG = 511;

/**
 * Creates a server. Throws an UnknownOptionError for an option that is not one of {@link ServerOptions}.
 *
 * @example
 * const server = createHttpServer({
 *   onRequest: (request) => request.respond(200, ["content-type", "text/plain"], `${request.method} ${request.target}`),
 * });
 * await server.listen("127.0.0.1", 8080);
 */
export function createHttpServer(given: ServerOptions): HttpServer {
  const options = knownOptions("createHttpServer", given, SERVER_OPTIONS);
  const limits: ServerLimits = { ...DEFAULT_LIMITS, ...defined(options) };
  const { tls } = options;
  const budget = new ByteBudget(limits.maxHeldBytes);
  const connectionBytes = CONNECTION_BYTES + (tls === undefined ? 0 : TLS_BYTES);
  const connections = new Connections({
    maxConnections: limits.maxConnections,
    maxConnectionsPerClient: limits.maxConnectionsPerClient,
    silenceTimeout: limits.headersTimeout,
    reserve: (isForced) => budget.reserve(connectionBytes, isForced),
    release: () => budget.release(connectionBytes),
    isGateway: options.isGateway ?? (() => false),
    forwardedClient: options.forwardedClient ?? (() => undefined),
    onConnectionDropped: options.onConnectionDropped ?? (() => {}),
    now: () => performance.now(),
  });
  let isStopping = false;
  const output = new OutputBuffer();
  const connectionOptions: ConnectionOptions = {
    ...limits,
    onRequest: options.onRequest,
    methods: options.methods,
    isGateway: options.isGateway ?? (() => false),
    isOpenEnded: options.isOpenEnded ?? (() => false),
    formatRejection: options.formatRejection ?? plainRejection,
    onReject: options.onReject ?? (() => {}),
    budget,
    isStopping: () => isStopping,
    lingering: new Set(),
  };
  /** The addresses of clients that a proxy has sent, by connection. */
  const clients = new WeakMap<Socket, string>();
  /** `socket` carries HTTP, `tcpSocket` is the connection: the same without TLS. */
  const http1 = (socket: Socket, tcpSocket: Socket): void =>
    connections.serve(tcpSocket, new Http1Connection(socket, connectionOptions, clients.get(tcpSocket)));
  const http2 = (socket: Socket, tcpSocket: Socket): void =>
    connections.serve(
      tcpSocket,
      new Http2Connection(socket, connectionOptions, output, clients.get(tcpSocket)),
    );
  const server = createSharedPort({
    add: (socket) => connections.add(socket),
    hasProxyHeader: options.hasProxyHeader ?? (() => false),
    onClientAddress: (socket, address) => {
      clients.set(socket, address);
      connections.setClient(socket, address);
    },
    http1: (socket) => http1(socket, socket),
    http2: (socket) => http2(socket, socket),
    tls: tls && createTlsHandshakes({ files: tls, handshakeTimeout: limits.headersTimeout, http1, http2 }),
  });

  let sweeps: NodeJS.Timeout | undefined;
  let closing: ReturnType<typeof closePort> | undefined;
  async function stopAccepting(): Promise<void> {
    if (closing === undefined && server.listening) {
      closing = closePort(server);
    }
    await closing;
  }

  return {
    get connections() {
      return connections.size;
    },
    get heldBytes() {
      return budget.used;
    },
    listen: async (host, port) => {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        // The system drops connections beyond it while many clients connect; each tries again after a second.
        const backlog = Math.max(DEFAULT_BACKLOG, limits.maxConnections);
        server.listen({ host, port, backlog }, () => {
          server.off("error", reject);
          resolve();
        });
      });
      sweeps = setInterval(() => connections.sweep(), sweepInterval(limits));
      return server.address() as AddressInfo;
    },
    stopAccepting,
    close: async (gracePeriod) => {
      await stopAccepting();
      isStopping = true;
      const start = performance.now();
      const deadline = setTimeout(() => connections.destroyAll(), gracePeriod);
      const shutDown = (): void => connections.shutDown(performance.now() - start >= limits.linger);
      shutDown();
      // After the event loop has polled: what has arrived for an idle connection has been read then, and is not lost.
      const closingSweep = setInterval(() => setImmediate(shutDown), CLOSING_SWEEP_INTERVAL);
      await (await closing)?.closed;
      clearInterval(closingSweep);
      clearInterval(sweeps);
      clearTimeout(deadline);
    },
  };
}

/**
 * The interval of the checks of connections in milliseconds. A timeout takes effect that much later, and requests need no
 * timers of their own.
 */
function sweepInterval({ headersTimeout, requestTimeout, idleTimeout, pingTimeout }: ServerLimits): number {
  const shortest = Math.min(headersTimeout, requestTimeout, idleTimeout, pingTimeout);
  return Math.round(Math.min(Math.max(shortest / 8, SHORTEST_SWEEP_INTERVAL), LONGEST_SWEEP_INTERVAL));
}

/** The limits that are set. */
function defined(limits: Partial<ServerLimits>): Partial<ServerLimits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
