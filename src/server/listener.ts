import { createServer as createHttp1Server } from "node:http";
import { createServer as createHttp2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { FrontDoor } from "../doors/front-door.js";
import { type Failure, fail, ok, type Result } from "../result.js";
import { watchIdleConnections } from "./idle-connections.js";
import { createSharedPort } from "./shared-port.js";

/** Where to listen, and what answers. */
export interface ListenerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly frontDoor: FrontDoor;
}

/** A port that is being listened on. */
export interface Listener {
  readonly address: AddressInfo;
  /**
   * Stops: no new connection is taken, HTTP/2 callers are told to go (GOAWAY), idle connections are closed, calls
   * that are under way get `gracePeriod` milliseconds to finish, and what is left then is cut. Resolves when the last
   * connection is gone.
   */
  close(gracePeriod: number): Promise<void>;
}

const SILENCE_TIMEOUT = 10_000;
const MAX_IDLE = 65_000;
const IDLE_SWEEP_INTERVAL = 5_000;
const CLOSING_SWEEP_INTERVAL = 50;

/** Listens on one port for HTTP/1.1 and HTTP/2. */
export async function listen({
  host,
  port,
  frontDoor,
}: ListenerOptions): Promise<Result<Listener, Failure<"CANNOT_LISTEN">>> {
  const idle = watchIdleConnections(MAX_IDLE);
  // A request without a Host header gets its answer from the handler, like any other bad request.
  const http1 = createHttp1Server({ requireHostHeader: false, keepAliveTimeout: 0 }, (request, response) => {
    idle.onRequest(request.socket, response);
    frontDoor.http1(request, response);
  });
  const http2 = createHttp2Server({ settings: { maxConcurrentStreams: 256 } });
  http2.on("stream", frontDoor.http2);
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  const server = createSharedPort({ http1, http2, silenceTimeout: SILENCE_TIMEOUT });
  let stopping = false;
  const sweeps = setInterval(() => idle.sweep(performance.now()), IDLE_SWEEP_INTERVAL);

  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  http2.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    if (stopping) {
      session.close();
    }
  });
  // A session that breaks is the caller's business; without a listener it would be an uncaught exception.
  http2.on("sessionError", (_error, session) => session.destroy());

  const problem = await new Promise<Error | undefined>((resolve) => {
    server.once("error", resolve);
    server.listen({ host, port }, () => {
      server.off("error", resolve);
      resolve(undefined);
    });
  });
  if (problem !== undefined) {
    clearInterval(sweeps);
    return fail("CANNOT_LISTEN", problem.message);
  }
  const address = server.address();
  if (address === null || typeof address === "string") {
    throw new Error("a TCP server has an address and a port");
  }

  async function close(gracePeriod: number): Promise<void> {
    stopping = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const session of sessions) {
      session.close();
    }
    // A connection that is busy now may be idle a moment later.
    const sweep = setInterval(() => http1.closeIdleConnections(), CLOSING_SWEEP_INTERVAL);
    http1.closeIdleConnections();
    const deadline = setTimeout(() => {
      for (const socket of sockets) {
        socket.destroy();
      }
    }, gracePeriod);
    await closed;
    clearInterval(sweep);
    clearInterval(sweeps);
    clearTimeout(deadline);
    http1.close();
  }

  return ok({ address, close });
}
