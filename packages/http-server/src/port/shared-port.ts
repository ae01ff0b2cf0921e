import { createServer, type Server, type Socket } from "node:net";
import { turns } from "../core/turns.js";
import { responseHead } from "../http1/response-head.js";
import { readProxyHeader } from "./proxy-protocol.js";

/** The first bytes of the HTTP/2 connection preface (RFC 9113, section 3.4); no HTTP/1.1 method starts like this. */
const PREFACE_START = Buffer.from("PRI");
/** The first byte of a TLS handshake record (RFC 8446, section 5.1). */
const TLS_HANDSHAKE = 0x16;

/**
 * Milliseconds without data until the operating system sends a TCP keep-alive probe. Nothing else detects that the client of a
 * quiet stream over HTTP/1.1 has vanished.
 */
const KEEP_ALIVE_DELAY = 60_000;

/** The options of a server whose connections have both protocols. */
export const SOCKET_OPTIONS = {
  allowHalfOpen: true,
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: KEEP_ALIVE_DELAY,
};

/** The response to HTTP in cleartext on a port with TLS. */
const ASK_FOR_HTTPS = "This port speaks TLS: ask for https://";
const NOT_TLS = ["content-type", "text/plain; charset=utf-8"];

/** Functions that take over the connections of a shared port. */
export interface SharedPortOptions {
  /** Adds a new connection. Returns false if it has been closed. */
  readonly add: (socket: Socket) => boolean;
  readonly http1: (socket: Socket) => void;
  readonly http2: (socket: Socket) => void;
  /** Whether a connection of a peer begins with a header of the PROXY protocol. */
  readonly hasProxyHeader: (peerAddress: string) => boolean;
  /** Called with the address of the client in the header of a connection. May close it. */
  readonly onClientAddress: (socket: Socket, address: string) => void;
  /** Takes over TLS connections; if set, the port accepts nothing else. */
  readonly tls?: ((socket: Socket) => void) | undefined;
}

/**
 * Creates a TCP server for HTTP/1.1 and HTTP/2 with prior knowledge on one port, in cleartext or with TLS. It reads the first
 * bytes of a connection, puts them back, and hands the connection over. The caller of `listen` must handle its errors.
 */
export function createSharedPort(ports: SharedPortOptions): Server {
  const { add, http1, http2, tls } = ports;
  const server = createServer(SOCKET_OPTIONS, (socket) => {
    turns.onConnection();
    // The server that takes over has no error listener yet.
    const onError = () => socket.destroy();
    socket.on("error", onError);
    if (!add(socket)) {
      return;
    }
    const onEnd = () => socket.end();
    let first: Buffer = Buffer.alloc(0);
    let needsHeader = ports.hasProxyHeader(socket.remoteAddress ?? "");
    const onData = (chunk: Buffer): void => {
      first = first.length === 0 ? chunk : Buffer.concat([first, chunk]);
      if (needsHeader) {
        const header = readProxyHeader(first);
        if (header === "invalid") {
          socket.destroy();
        }
        if (typeof header === "string") {
          return;
        }
        needsHeader = false;
        first = first.subarray(header.length);
        if (header.address !== undefined) {
          ports.onClientAddress(socket, header.address);
          if (socket.destroyed) {
            return;
          }
        }
      }
      const protocol = protocolOf(first);
      if (protocol === undefined) {
        return;
      }
      socket.off("data", onData);
      socket.off("end", onEnd);
      if (tls !== undefined && protocol !== "tls") {
        // Destroying a connection with unread data would lose the response.
        socket.resume().end(responseHead(400, NOT_TLS, ASK_FOR_HTTPS.length, true) + ASK_FOR_HTTPS);
        return;
      }
      socket.off("error", onError);
      socket.pause();
      socket.unshift(first);
      // The HTTP/1.1 server responds to TLS on a cleartext port as to any invalid request.
      const takeOver = tls ?? (protocol === "http2" ? http2 : http1);
      takeOver(socket);
    };
    socket.on("data", onData);
    socket.once("end", onEnd);
  });
  // Failures of accept(2), for example for lack of memory, must not end the process.
  server.on("error", () => {});
  return server;
}

/** The protocol of a connection, as its first bytes show; undefined while there are too few. */
function protocolOf(first: Buffer): "http1" | "http2" | "tls" | undefined {
  if (first[0] === TLS_HANDSHAKE) {
    return "tls";
  }
  const start = first.subarray(0, PREFACE_START.length);
  if (!start.equals(PREFACE_START.subarray(0, start.length))) {
    return "http1";
  }
  return start.length === PREFACE_START.length ? "http2" : undefined;
}
