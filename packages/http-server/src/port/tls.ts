import type { Socket } from "node:net";
import { createServer, type SecureContextOptions, type TLSSocket } from "node:tls";
import type { TlsFiles, TlsPair } from "../options.js";

/** Certificates and timeouts of handshakes, and functions that take over the connections. */
export interface TlsHandshakesOptions {
  readonly files: TlsFiles;
  readonly handshakeTimeout: number;
  /** Both are called with the TLS socket and its TCP connection. */
  readonly http1: (socket: TLSSocket, tcpSocket: Socket) => void;
  readonly http2: (socket: TLSSocket, tcpSocket: Socket) => void;
}

/**
 * Creates a function that does the TLS handshake on connections that another server has accepted. ALPN selects HTTP/2 or
 * HTTP/1.1 (RFC 7301); without it, HTTP/1.1 is used. Failed handshakes close their connections.
 */
export function createTlsHandshakes(options: TlsHandshakesOptions): (socket: Socket) => void {
  const { files, handshakeTimeout, http1, http2 } = options;
  /** Connections in their handshake, by their addresses: Node does not tell which connection a TLS socket uses. */
  const handshaking = new Map<string, Socket>();
  const server = createServer(
    { ...contextOf(files.current), ALPNProtocols: ["h2", "http/1.1", "http/1.0"], handshakeTimeout },
    (socket) => {
      const key = keyOf(socket);
      const tcpSocket = handshaking.get(key);
      handshaking.delete(key);
      if (tcpSocket === undefined) {
        socket.destroy();
      } else if (socket.alpnProtocol === "h2") {
        http2(socket, tcpSocket);
      } else {
        http1(socket, tcpSocket);
      }
    },
  );
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  // Handshakes in progress keep the previous certificate.
  files.onChange((pair) => server.setSecureContext(contextOf(pair)));
  return (socket) => {
    const key = keyOf(socket);
    handshaking.set(key, socket);
    socket.once("close", () => {
      if (handshaking.get(key) === socket) {
        handshaking.delete(key);
      }
    });
    server.emit("connection", socket);
  };
}

/** Identifies a connection. Clients can use one port of theirs for several addresses of the server. */
function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

function contextOf({ cert, key }: TlsPair): SecureContextOptions {
  return { cert, key, minVersion: "TLSv1.2" };
}
