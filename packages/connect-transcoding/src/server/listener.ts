import { constants, createServer as createHttp2Server } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { TranscodingAdapter } from "../node/adapter.js";
import { createConnections } from "./connections.js";
import { createHttp1Server } from "./http1-server.js";
import { headerListSize } from "./http2-session.js";
import { createHttp2Watches } from "./http2-watch.js";
import { createSharedPort } from "./shared-port.js";
import { createTlsHandshakes } from "./tls.js";
import { DEFAULT_TRANSPORT, sweepInterval, type TransportOptions } from "./transport-options.js";

/** Handles the requests of connections. */
export type ConnectionHandlers = Pick<TranscodingAdapter, "http1" | "http2">;

/** Where to listen, and what answers. */
export interface ListenerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly handlers: ConnectionHandlers;
  /** What is not given is as in {@link DEFAULT_TRANSPORT}. */
  readonly transport?: Partial<TransportOptions> | undefined;
}

/** A port that is being listened on. */
export interface Listener {
  readonly address: AddressInfo;
  /** How many connections there are. */
  readonly connections: number;
  /**
   * Takes no new connection from the moment that it resolves; those that are open go on as ever. It must come first: callers
   * who are told to leave their connections before that open others, which might be reset.
   */
  stopAccepting(): Promise<void>;
  /**
   * Ends the connections, without losing a request whose sender could not know: HTTP/2 callers are told to send no more
   * (over cleartext, for Node cannot say so over TLS), and all that comes is still answered. After the linger idle
   * connections are closed, and calls that are under way get what is left of `gracePeriod` milliseconds to finish; what is
   * left then is cut. Resolves when the last connection is gone.
   */
  close(gracePeriod: number): Promise<void>;
}

/** How often connections are looked at while the server stops, in milliseconds. */
const CLOSING_SWEEP_INTERVAL = 20;
/** For how many milliseconds at the most the port stays open for connections that wait to be accepted. */
const MAX_ACCEPTING = 5_000;

/**
 * Resolves when no connection waits to be accepted, or after `limit` milliseconds. A port that closes resets those that
 * wait, whose senders may have sent requests that no proxy sends twice; Node accepts one in each turn of the event loop,
 * so on a busy server there are some. The port must be closed in the same turn.
 */
async function allAccepted(server: Server, limit: number): Promise<void> {
  const start = performance.now();
  let quietTurns = 0;
  const onConnection = (): void => {
    // The turn that it came in is not quiet.
    quietTurns = -1;
  };
  server.on("connection", onConnection);
  // The first turn may be one in which the system was asked before all this began.
  for (; quietTurns < 2 && performance.now() - start < limit; quietTurns++) {
    await turn();
  }
  server.off("connection", onConnection);
}

/** Listens on one port for HTTP/1.1 and HTTP/2. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { host, port, handlers } = options;
  const transport: TransportOptions = { ...DEFAULT_TRANSPORT, ...options.transport };
  const { headersTimeout, maxHeaderBytes, linger, tls } = transport;
  const interval = sweepInterval(transport);
  const connections = createConnections({
    ...transport,
    silenceTimeout: headersTimeout,
    now: () => performance.now(),
  });

  const http1 = createHttp1Server(transport, handlers.http1);
  /** `socket` is what HTTP is spoken over, `system` what that goes over: the same, but for TLS. */
  function takeHttp1(socket: Socket, system: Socket): void {
    connections.watch(system, http1.take(socket, system), socket);
  }

  const { maxConcurrentStreams } = transport;
  const http2 = createHttp2Server({
    settings: { maxConcurrentStreams, maxHeaderListSize: maxHeaderBytes },
    // The frames that a well-behaved caller gets wrong are few.
    maxSessionInvalidFrames: 100,
  });
  const sessions = createHttp2Watches(transport, tls !== undefined);
  const onStream: ConnectionHandlers["http2"] = (stream, headers, flags, rawHeaders) => {
    sessions.onStream(stream, headers);
    // nghttp2 counts the octets of headers once the caller has acknowledged how many they may be.
    if (stream.session?.pendingSettingsAck === true && headerListSize(rawHeaders) > maxHeaderBytes) {
      stream.on("error", () => {}).close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    } else {
      handlers.http2(stream, headers, flags, rawHeaders);
    }
  };
  http2.on("stream", onStream);
  // A session that breaks is the caller's business; without a listener it would be an uncaught exception.
  http2.on("sessionError", (_error, session) => session.destroy());
  function takeHttp2(socket: Socket, system: Socket): void {
    // A caller that closes its half has gone: HTTP/2 has END_STREAM for what HTTP/1.1 may do so, and a session would not
    // notice.
    socket.allowHalfOpen = false;
    http2.once("session", (session) => connections.watch(system, sessions.add(session, system), socket));
    http2.emit("connection", socket);
  }

  const server = createSharedPort({
    admit: connections.admit,
    http1: (socket) => takeHttp1(socket, socket),
    http2: (socket) => takeHttp2(socket, socket),
    tls:
      tls &&
      createTlsHandshakes({
        files: tls,
        handshakeTimeout: headersTimeout,
        http1: takeHttp1,
        http2: takeHttp2,
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
  http1.start();
  const sweeps = setInterval(connections.sweep, interval);

  let closed: Promise<void> | undefined;
  async function stopAccepting(): Promise<void> {
    if (closed === undefined) {
      await allAccepted(server, MAX_ACCEPTING);
      closed ??= new Promise((resolve) => server.close(() => resolve()));
    }
  }

  async function close(gracePeriod: number): Promise<void> {
    await stopAccepting();
    const start = performance.now();
    const deadline = setTimeout(connections.destroyAll, gracePeriod);
    const takeLeave = (): void => {
      const now = performance.now();
      sessions.takeLeave(now, linger);
      // A connection that is busy now may be idle a moment later.
      if (now - start >= linger) {
        connections.destroySilent(linger);
        http1.closeIdle();
      }
    };
    takeLeave();
    const closingSweep = setInterval(takeLeave, CLOSING_SWEEP_INTERVAL);
    await closed;
    clearInterval(closingSweep);
    clearInterval(sweeps);
    clearTimeout(deadline);
    http1.stop();
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
