import type { AddressInfo, Server, Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { ByteBudget, type Http1Connection, serveHttp1 as serveOrdinaryHttp1 } from "one-port";
import type { TranscodingAdapter } from "../node/adapter.js";
import { createConnections } from "./connections.js";
import { createHttp1Server } from "./http1-server.js";
import { createHttp2Server, createNodeHttp2Server } from "./http2-server.js";
import { createSharedPort } from "./shared-port.js";
import { createTlsHandshakes } from "./tls.js";
import { DEFAULT_TRANSPORT, sweepInterval, type TransportOptions } from "./transport-options.js";

/** Handle the requests of connections. */
export type ConnectionHandlers = Pick<TranscodingAdapter, "http1" | "http2" | "serve">;

/** Options of {@link listen}. */
export interface ListenerOptions {
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly handlers: ConnectionHandlers;
  /** Default: {@link DEFAULT_TRANSPORT}. */
  readonly transport?: Partial<TransportOptions> | undefined;
}

/** An open port. */
export interface Listener {
  readonly address: AddressInfo;
  /** The number of open connections. */
  readonly connections: number;
  /**
   * Closes the port, and keeps open connections. Resolves when no new connection is accepted. The first step of a shutdown:
   * clients that receive a GOAWAY earlier open new connections, which could be reset.
   */
  stopAccepting(): Promise<void>;
  /**
   * Closes the connections without losing requests in transit: HTTP/2 clients receive a GOAWAY, and requests are still served. After `linger` milliseconds idle connections are closed, and
   * after `gracePeriod` milliseconds all others. Resolves when the last connection is closed.
   */
  close(gracePeriod: number): Promise<void>;
}

/** The interval of the checks of connections during shutdown, in milliseconds. */
const CLOSING_SWEEP_INTERVAL = 20;
/** Maximum time for which the port stays open for connections that wait to be accepted, in milliseconds. */
const MAX_ACCEPTING = 5_000;

/**
 * Resolves when no connection waits to be accepted, or after `limit` milliseconds. Closing the port resets waiting connections,
 * whose clients may have sent requests that cannot be retried. A busy server has some, because Node accepts one connection per
 * turn of the event loop. The port must be closed in the same turn.
 */
async function untilAllAccepted(server: Server, limit: number): Promise<void> {
  const start = performance.now();
  let quietTurns = 0;
  const onConnection = (): void => {
    // The current turn is not quiet.
    quietTurns = -1;
  };
  server.on("connection", onConnection);
  // In the first turn, the event loop may have polled for connections already.
  for (; quietTurns < 2 && performance.now() - start < limit; quietTurns++) {
    await turn();
  }
  server.off("connection", onConnection);
}

/** Listens on one port for HTTP/1.1 and HTTP/2. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { host, port, handlers } = options;
  const transport: TransportOptions = { ...DEFAULT_TRANSPORT, ...options.transport };
  const { headersTimeout, linger, tls } = transport;
  const interval = sweepInterval(transport);
  const connections = createConnections({
    ...transport,
    silenceTimeout: headersTimeout,
    now: () => performance.now(),
  });

  const budget = new ByteBudget(transport.maxHeldBytes);
  /** Connections that have had ordinary requests only. `node:http` serves the others. */
  const ordinary = new Set<Http1Connection>();
  let isStopping = false;
  const http1 = createHttp1Server(transport, handlers.http1);
  /** `socket` carries HTTP, `tcpSocket` is the connection: the same without TLS. */
  function serveHttp1(socket: Socket, tcpSocket: Socket): void {
    const connection = serveOrdinaryHttp1(socket, {
      ...transport,
      budget,
      onRequest: handlers.serve,
      handOver: () => {
        ordinary.delete(connection);
        connections.watch(tcpSocket, http1.serve(socket), socket);
      },
      isStopping: () => isStopping,
      onIncompleteHead: (peerAddress) => transport.onUnreadRequest(408, peerAddress),
    });
    ordinary.add(connection);
    socket.once("close", () => ordinary.delete(connection));
    connections.watch(tcpSocket, connection, socket);
  }

  const http2 =
    transport.http2 === "node"
      ? createNodeHttp2Server(transport, handlers.http2)
      : createHttp2Server(transport, budget, handlers.serve);
  function serveHttp2(socket: Socket, tcpSocket: Socket): void {
    connections.watch(tcpSocket, http2.serve(socket), socket);
  }

  const server = createSharedPort({
    add: connections.add,
    http1: (socket) => serveHttp1(socket, socket),
    http2: (socket) => serveHttp2(socket, socket),
    tls:
      tls &&
      createTlsHandshakes({
        files: tls,
        handshakeTimeout: headersTimeout,
        http1: serveHttp1,
        http2: serveHttp2,
      }),
  });

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === "string") {
    throw new Error("a TCP server has an address and a port");
  }
  const sweeps = setInterval(connections.sweep, interval);

  let closed: Promise<void> | undefined;
  async function stopAccepting(): Promise<void> {
    if (closed === undefined) {
      await untilAllAccepted(server, MAX_ACCEPTING);
      closed ??= new Promise((resolve) => server.close(() => resolve()));
    }
  }

  async function close(gracePeriod: number): Promise<void> {
    await stopAccepting();
    isStopping = true;
    http1.shutDown();
    const start = performance.now();
    const deadline = setTimeout(connections.destroyAll, gracePeriod);
    const shutDown = (): void => {
      const now = performance.now();
      http2.shutDown(now, linger);
      // A busy connection may become idle later.
      if (now - start >= linger) {
        connections.destroySilent(linger);
        http1.closeIdle(now, linger);
        for (const connection of ordinary) {
          connection.closeIdle();
        }
      }
    };
    shutDown();
    const closingSweep = setInterval(shutDown, CLOSING_SWEEP_INTERVAL);
    await closed;
    clearInterval(closingSweep);
    clearInterval(sweeps);
    clearTimeout(deadline);
  }

  return {
    address,
    get connections() {
      return connections.size;
    },
    stopAccepting,
    close,
  };
}
