import type { Socket } from "node:net";
import { createServer, type SecureContextOptions, type TLSSocket } from "node:tls";
import type { TlsFiles, TlsPair } from "./transport-options.js";

/** What handshakes are made with, and where connections go after one. */
export interface TlsHandshakesOptions {
  readonly files: TlsFiles;
  /** How long a handshake may take, in milliseconds. */
  readonly handshakeTimeout: number;
  /** Both are given the socket to speak over, and the one that it was made of. */
  readonly http1: (socket: TLSSocket, system: Socket) => void;
  readonly http2: (socket: TLSSocket, system: Socket) => void;
}

/**
 * Makes what speaks TLS over connections that were taken elsewhere. The caller chooses between HTTP/2 and HTTP/1.1 by ALPN
 * (RFC 7301); without it, it is HTTP/1.1. Handshakes that fail are their callers' business.
 */
export function createTlsHandshakes(options: TlsHandshakesOptions): (socket: Socket) => void {
  const { files, handshakeTimeout, http1, http2 } = options;
  /** Those whose handshake is under way, by their ends: Node does not say what a TLS socket was made of. */
  const shaking = new Map<string, Socket>();
  const server = createServer(
    { ...contextOf(files.current), ALPNProtocols: ["h2", "http/1.1"], handshakeTimeout },
    (socket) => {
      const ends = endsOf(socket);
      const system = shaking.get(ends);
      shaking.delete(ends);
      if (system === undefined) {
        socket.destroy();
      } else if (socket.alpnProtocol === "h2") {
        http2(socket, system);
      } else {
        http1(socket, system);
      }
    },
  );
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  // What is under way goes on with the certificate that it began with.
  files.onChange((pair) => server.setSecureContext(contextOf(pair)));
  return (socket) => {
    const ends = endsOf(socket);
    shaking.set(ends, socket);
    socket.once("close", () => {
      if (shaking.get(ends) === socket) {
        shaking.delete(ends);
      }
    });
    server.emit("connection", socket);
  };
}

/** What tells a connection from the others of a port: callers use one port of theirs for several of our addresses. */
function endsOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

function contextOf({ cert, key }: TlsPair): SecureContextOptions {
  return { cert, key, minVersion: "TLSv1.2" };
}
