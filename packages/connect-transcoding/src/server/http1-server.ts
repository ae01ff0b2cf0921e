import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TranscodingAdapter } from "../node/adapter.js";
import { Http1Watch } from "./http1-watch.js";
import { sweepInterval, type TransportOptions, type UnreadStatus } from "./transport-options.js";

/** What speaks HTTP/1.1 over connections that were taken elsewhere. */
export interface Http1Server {
  /**
   * Takes a connection over, and says what looks after it. `socket` is what HTTP is spoken over, `system` what that goes
   * over: the same, but for TLS.
   */
  take(socket: Socket, system: Socket): Http1Watch;
  /** Enforces the time-outs of requests from now on. */
  start(): void;
  /** Closes the connections that have no request. */
  closeIdle(): void;
  /** Enforces nothing any more. */
  stop(): void;
}

interface Connection {
  readonly socket: Socket;
  readonly watch: Http1Watch;
  /** Whether something that is no request has come. */
  isBroken: boolean;
}

/** How long an answer to a caller that has closed its half may take yet, in milliseconds. */
const HALF_CLOSED_PATIENCE = 1_000;

/** What callers are told of what is no request, or does not come to its end, by Node's codes. */
const STATUSES: Readonly<Record<string, UnreadStatus | 413>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** The codes, none for CONNECT, that tell of what a caller has sent, and not that it has gone. */
const CALLERS_FAULT = /^(?:$|HPE_(?!INVALID_EOF_STATE$)|ERR_HTTP_REQUEST_TIMEOUT$)/;

/** Makes what speaks HTTP/1.1, on `node:http`. */
export function createHttp1Server(
  options: TransportOptions,
  handle: TranscodingAdapter["http1"],
): Http1Server {
  const { headersTimeout, requestTimeout, idleTimeout, maxHeaderBytes, onUnreadRequest } = options;
  const connections = new WeakMap<Duplex, Connection>();
  const server = createServer({
    // A request without a Host header gets its answer from the handler, like any other bad request.
    requireHostHeader: false,
    keepAliveTimeout: 0,
    headersTimeout: Math.min(headersTimeout, requestTimeout),
    requestTimeout,
    connectionsCheckingInterval: sweepInterval(options),
    maxHeaderSize: maxHeaderBytes,
  });
  // Node would leave out those behind the first 2000 without a word, be it a second Host; `maxHeaderSize` bounds them.
  server.maxHeadersCount = 0;
  // Node would close the other half at once.
  Object.assign(server, { httpAllowHalfOpen: true });

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (connections.get(request.socket)?.watch.onRequest(response) === true) {
      handle(request, response);
    }
  };
  server.on("request", onRequest);
  // Whoever reads the body says when it may come: one that nobody wants need not.
  server.on("checkContinue", onRequest);

  const onBroken = (socket: Duplex, code = ""): void => {
    const connection = connections.get(socket);
    if (connection === undefined) {
      socket.destroy();
    } else if (!connection.isBroken) {
      // What comes behind it is no better, and Node says so each time.
      connection.isBroken = true;
      refuse(connection, code, onUnreadRequest);
    }
  };
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => onBroken(socket, error.code));
  // Nobody is connected to anything from here. Node has let go of the socket, and would close it without a word.
  server.on("connect", (_request, socket) => onBroken(socket.on("error", ignore)));

  return {
    take: (socket, system) => {
      const watch = new Http1Watch(system, { idleTimeout, headersTimeout, stallTimeout: requestTimeout });
      connections.set(socket, { socket, watch, isBroken: false });
      const destroySoon = socket.destroySoon.bind(socket);
      // This is how Node ends a connection behind its last answer: it does not read on, whatever is still being written.
      socket.destroySoon = () => (watch.isReceiving ? endLingering(socket) : destroySoon());
      socket.once("end", () => onEnd(socket, watch));
      server.emit("connection", socket);
      return watch;
    },
    // Node does so when it hears that it listens.
    start: () => server.emit("listening"),
    closeIdle: () => server.closeIdleConnections(),
    stop: () => server.close(),
  };
}

/**
 * Tells a caller what was wrong with its request, and ends the connection; what it asked for before is answered first. Where
 * the request had begun the record of it tells the status, which is left with its response; else `onUnread` is told.
 */
function refuse(
  { socket, watch }: Connection,
  code: string,
  onUnread: TransportOptions["onUnreadRequest"],
): void {
  const { latest } = watch;
  const status = STATUSES[code] ?? 400;
  const isAtFault = CALLERS_FAULT.test(code);
  if (isAtFault && status !== 413 && latest?.req.complete !== false) {
    onUnread(status, socket.remoteAddress ?? "");
  }
  const answer = (): void => {
    if (socket.writable) {
      socket.write(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      );
    }
    endLingering(socket);
  };
  if (latest === undefined) {
    answer();
  } else if (latest.req.complete) {
    latest.once("close", answer);
  } else if (latest.headersSent) {
    // The rest of a request that has its answer is what does not come, or is amiss.
    endLingering(socket);
  } else {
    latest.statusCode = isAtFault ? status : latest.statusCode;
    answer();
  }
}

/**
 * A caller has closed its half: it waits for the answer to what it has sent, or it has gone, which ends its call. Nothing
 * tells the one from the other, but that nobody waits for the end of a stream of messages in this way.
 */
function onEnd(socket: Socket, { latest }: Http1Watch): void {
  if (latest?.headersSent === true && !latest.writableEnded) {
    socket.destroy();
  } else if (latest !== undefined) {
    // With nothing on its way an answer is not ready, or waits behind one that does not end.
    const timer = setInterval(() => socket.writableLength > 0 || socket.destroy(), HALF_CLOSED_PATIENCE);
    socket.once("close", () => clearInterval(timer));
  }
}

function ignore(): void {}

/** How long to linger, in milliseconds. */
export interface LingerTimes {
  /** How long nothing comes of a caller who has stopped writing. */
  readonly quiet: number;
  /** How long it is waited for that at the most. */
  readonly longest: number;
}

const USUAL: LingerTimes = { quiet: 500, longest: 5_000 };

/**
 * Ends a connection whose caller may still be writing, so that it gets what was written to it: reads on, and drops what
 * comes, until the caller has closed its half or stopped writing. A system that closes a connection with something unread
 * resets it, and the reset may overtake the answer (RFC 9112, section 9.6).
 */
export function endLingering(socket: Socket, { quiet, longest }: LingerTimes = USUAL): void {
  if (socket.destroyed || socket.writableEnded) {
    return;
  }
  socket.resume().end();
  const startedAt = performance.now();
  let octets = socket.bytesRead;
  const timer = setInterval(() => {
    if (socket.bytesRead === octets || performance.now() - startedAt >= longest) {
      socket.destroy();
    }
    octets = socket.bytesRead;
  }, quiet);
  socket.once("end", () => socket.destroySoon());
  socket.once("close", () => clearInterval(timer));
}
