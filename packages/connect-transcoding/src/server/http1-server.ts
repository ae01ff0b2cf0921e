import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TranscodingAdapter } from "../node/adapter.js";
import { transferCodingsOf } from "../node/transfer-codings.js";
import { Http1Watch } from "./http1-watch.js";
import type { TransportOptions, UnreadStatus } from "./transport-options.js";

/** Serves HTTP/1.1 on connections that another server has accepted. */
export interface Http1Server {
  /** Serves a connection, and returns its watch. */
  serve(socket: Socket): Http1Watch;
  /** Closes each connection after the response to its latest request, or to its next one. */
  shutDown(): void;
  /** Closes connections that have had neither a request nor data for a time in milliseconds. */
  closeIdle(now: number, quiet: number): void;
}

interface Connection {
  readonly socket: Socket;
  readonly watch: Http1Watch;
  /** Whether an invalid request has arrived. */
  isBroken: boolean;
  /** Whether a request has arrived after which the connection closes. */
  isLast: boolean;
}

/** The error code of a request that is incomplete for too long. */
const TIMED_OUT = "ERR_HTTP_REQUEST_TIMEOUT";

/** The statuses of responses to invalid and incomplete requests, by the error codes of Node. */
const STATUSES: Readonly<Record<string, UnreadStatus | 413>> = {
  [TIMED_OUT]: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};

/** Other error codes of invalid requests; CONNECT has none. All others mean that the client has disconnected. */
const INVALID_REQUEST = /^(?:$|HPE_(?!INVALID_EOF_STATE$))/;

/** Creates an HTTP/1.1 server on `node:http`, for requests that are not ordinary. */
export function createHttp1Server(
  options: TransportOptions,
  handle: TranscodingAdapter["http1"],
): Http1Server {
  const { headersTimeout, requestTimeout, idleTimeout, maxHeaderBytes, onUnreadRequest } = options;
  const connections = new Map<Duplex, Connection>();
  let isStopping = false;
  const server = createServer({
    // The handler rejects requests without a Host header, as it does other invalid requests.
    requireHostHeader: false,
    keepAliveTimeout: 0,
    maxHeaderSize: maxHeaderBytes,
  });
  // Node would silently drop headers after the first 2000, even a second Host; `maxHeaderSize` limits them.
  server.maxHeadersCount = 0;

  /** Returns whether a request gets a response. */
  const accept = (request: IncomingMessage, response: ServerResponse): boolean => {
    const connection = connections.get(request.socket);
    if (connection?.watch.onRequest(response) !== true || connection.isLast) {
      return false;
    }
    if (isStopping || isLastRequest(request)) {
      connection.isLast = true;
      response.setHeader("connection", "close");
    }
    return true;
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (accept(request, response)) {
      handle(request, response);
    }
  };
  server.on("request", onRequest);
  // The code that reads the body sends 100 Continue, so that clients do not send bodies of rejected requests.
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", (request, response) => {
    if (accept(request, response)) {
      response.writeHead(417).end();
    }
  });

  const onBroken = (socket: Duplex, code = ""): void => {
    const connection = connections.get(socket);
    if (connection === undefined) {
      socket.destroy();
    } else if (!connection.isBroken && (!connection.isLast || connection.watch.isReceiving)) {
      // Node reports an error for all data that follows, too.
      connection.isBroken = true;
      reject(connection, code, onUnreadRequest);
    }
  };
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => onBroken(socket, error.code));
  // This server is not a proxy. Node has detached the socket, and would close it without a response.
  server.on("connect", (_request, socket) => onBroken(socket.on("error", ignore)));

  return {
    serve: (socket) => {
      const times = { idleTimeout, headersTimeout, requestTimeout };
      const watch = new Http1Watch(socket, times, () => onBroken(socket, TIMED_OUT));
      connections.set(socket, { socket, watch, isBroken: false, isLast: false });
      socket.once("close", () => connections.delete(socket));
      server.emit("connection", socket);
      return watch;
    },
    shutDown: () => {
      isStopping = true;
      for (const connection of connections.values()) {
        const { latest } = connection.watch;
        if (latest?.headersSent === false) {
          connection.isLast = true;
          latest.setHeader("connection", "close");
        }
      }
    },
    // `closeIdleConnections` of a server that does not listen has no effect.
    closeIdle: (now, quiet) => {
      for (const connection of connections.values()) {
        const { socket, watch } = connection;
        watch.check(now);
        if (now - (watch.idleSince ?? now) >= quiet) {
          connection.isLast = true;
          endLingering(socket);
        }
      }
    },
  };
}

/**
 * Whether nothing that follows a request may be served.
 *
 * - Node serves a request with `Upgrade` as an ordinary one, but discards the bytes that it has read beyond the end. They may be
 *   the head of another request, whose body would be parsed as a request.
 * - Recipients differ in where a body with unusual transfer codings ends.
 */
function isLastRequest(request: IncomingMessage): boolean {
  return request.headers.upgrade !== undefined || transferCodingsOf(request) !== "supported";
}

/**
 * Responds to an invalid or incomplete request after the responses to earlier requests, and ends the connection. If the
 * request has reached the handler, its response gets the status, for its record; otherwise `onUnread` is called.
 */
function reject(
  { socket, watch }: Connection,
  code: string,
  onUnread: TransportOptions["onUnreadRequest"],
): void {
  const { latest } = watch;
  const status = STATUSES[code] ?? 400;
  const isInvalid = code in STATUSES || INVALID_REQUEST.test(code);
  if (isInvalid && status !== 413 && latest?.req.complete !== false) {
    onUnread(status, socket.remoteAddress ?? "");
  }
  const isPartial = latest?.req.complete === false;
  if (isPartial && !latest.headersSent && isInvalid) {
    latest.statusCode = status;
  }
  const respond = (): void => {
    // If the request has its response, only its rest is missing or invalid.
    if (socket.writable && !(isPartial && latest.headersSent)) {
      socket.write(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      );
    }
    endLingering(socket);
  };
  const earlier = isPartial ? watch.previous : latest;
  if (earlier === undefined) {
    respond();
  } else {
    earlier.once("close", respond);
  }
}

function ignore(): void {}

/** How long a closed connection is still read, in milliseconds. */
export interface LingerTimes {
  /** Time without data after which the client has stopped sending. */
  readonly quiet: number;
  /** The maximum in total. */
  readonly longest: number;
}

const LINGER_TIMES: LingerTimes = { quiet: 500, longest: 5_000 };

/**
 * Ends a connection whose client may still be sending, so that the client receives the response: reads and discards data
 * until the client closes its half or stops sending. Closing a connection with unread data resets it, and the reset can
 * arrive before the response (RFC 9112, section 9.6).
 */
export function endLingering(socket: Socket, { quiet, longest }: LingerTimes = LINGER_TIMES): void {
  if (socket.destroyed || socket.writableEnded) {
    return;
  }
  socket.resume().end();
  const startedAt = performance.now();
  let bytesRead = socket.bytesRead;
  const timer = setInterval(() => {
    if (socket.bytesRead === bytesRead || performance.now() - startedAt >= longest) {
      socket.destroy();
    }
    bytesRead = socket.bytesRead;
  }, quiet);
  socket.once("end", () => socket.destroySoon());
  socket.once("close", () => clearInterval(timer));
}
