import { createServer as createNodeServer, type ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { type ByteBudget, OutputBuffer, type ServedHttp2Connection, serveHttp2 } from "one-port";
import type { TranscodingAdapter } from "../node/adapter.js";
import type { ConnectionWatch } from "./connections.js";
import type { TransportOptions } from "./transport-options.js";

/** Serves HTTP/2 on connections that another server has accepted. */
export interface Http2Server {
  /** Serves a connection, and returns its watch. */
  serve(socket: Socket): ConnectionWatch;
  /**
   * Does the next step of a graceful shutdown each time it is called. Sends a first GOAWAY to clients without one, and still
   * accepts their streams. `linger` milliseconds later, connections accept no more streams, and close after the last one.
   * `now` is in milliseconds.
   */
  shutDown(now: number, linger: number): void;
}

/** Creates a server on this project's HTTP/2 connections. */
export function createHttp2Server(
  options: TransportOptions,
  budget: ByteBudget,
  onRequest: TranscodingAdapter["serve"],
): Http2Server {
  const connections = new Set<ServedHttp2Connection>();
  const output = new OutputBuffer();
  const connectionOptions = {
    ...options,
    budget,
    onRequest,
    isOpenEnded: ({ target }: { readonly target: string }) => options.isOpenEnded(target),
  };
  return {
    serve: (socket) => {
      const connection = serveHttp2(socket, connectionOptions, output);
      connections.add(connection);
      socket.once("close", () => connections.delete(connection));
      return connection;
    },
    shutDown: (now, linger) => {
      for (const connection of connections) {
        connection.shutDown(now, linger);
      }
    },
  };
}

/** Creates a server on `node:http2`, with no more timeouts than Node offers. */
export function createNodeHttp2Server(
  { maxConcurrentStreams, maxHeaderBytes, idleTimeout, requestTimeout, isOpenEnded }: TransportOptions,
  onRequest: TranscodingAdapter["http2"],
): Http2Server {
  const sessions = new Set<ServerHttp2Session>();
  let shutdownAt: number | undefined;
  const server = createNodeServer(
    { settings: { maxConcurrentStreams, maxHeaderListSize: maxHeaderBytes } },
    (request, response) => {
      if (!isOpenEnded(request.url)) {
        request.stream.setTimeout(requestTimeout, () => request.stream.close());
      }
      onRequest(request, response);
    },
  );
  // The code that reads the body sends 100 Continue.
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", onRequest);
  // A broken session is not an error of the server; without a listener it would be an uncaught exception.
  server.on("sessionError", (_error, session) => session.destroy());
  server.on("session", (session) => {
    sessions.add(session);
    session.setTimeout(idleTimeout, () => session.close());
    session.once("close", () => sessions.delete(session));
  });
  return {
    serve: (socket) => {
      // A client that closes its half has disconnected. Sessions do not notice half-closed connections.
      socket.allowHalfOpen = false;
      server.emit("connection", socket);
      return { check: () => {}, idleSince: undefined };
    },
    shutDown: (now, linger) => {
      shutdownAt ??= now;
      if (now - shutdownAt >= linger) {
        for (const session of sessions) {
          session.close();
        }
      }
    },
  };
}
