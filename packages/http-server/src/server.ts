import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
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
import { Connections } from "./port/connections.js";
import { createSharedPort, SOCKET_OPTIONS } from "./port/shared-port.js";
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

/** Maximum time for which the port stays open for connections that wait to be accepted, in milliseconds. */
const MAX_ACCEPTING = 5_000;
/** Maximum duration of the turn after which the port is closed, in milliseconds: until then, another client can connect. */
const SHORT_TURN = 0.5;
/** How much longer that turn may be for each millisecond that has passed: on a busy machine, all turns are long. */
const PATIENCE = 0.005;
/** The shortest queue of connections that wait to be accepted. Node takes 0 for its default. */
const SHORTEST_BACKLOG = 1;

/**
 * Closes the port once no connection waits to be accepted. Closing it resets those that wait, whose clients may have sent requests that
 * cannot be retried. So the queue is made as short as possible first: from then on the system accepts few connections, and clients whose
 * connection it refuses have not sent anything. Node accepts one connection per turn of the event loop.
 *
 * @returns a promise of when all connections are closed, once the port is
 */
async function closePort(server: Server): Promise<{ readonly closed: Promise<unknown> }> {
  const start = performance.now();
  let acceptedAt = Number.NEGATIVE_INFINITY;
  // A second call of listen(2) replaces the length of the queue.
  const last = createServer(SOCKET_OPTIONS, (socket) => {
    acceptedAt = performance.now();
    server.emit("connection", socket);
  });
  last.on("error", () => {});
  last.listen(server, SHORTEST_BACKLOG);
  // In this turn, the event loop may have polled for connections already.
  await turn();
  for (let isOver = false; !isOver; ) {
    const began = performance.now();
    await turn();
    const now = performance.now();
    const isShort = now - began < SHORT_TURN + (now - start) * PATIENCE;
    isOver = (acceptedAt < began && isShort) || now - start >= MAX_ACCEPTING;
  }
  return {
    closed: Promise.all(
      [last, server].map((each) => new Promise<void>((resolve) => each.close(() => resolve()))),
    ),
  };
}
