import { createServer, type Server, type Socket } from "node:net";

/** The first octets of the HTTP/2 connection preface (RFC 9113, section 3.4); no HTTP/1.1 method begins so. */
const PREFACE_START = Buffer.from("PRI");
/** What a TLS record with a handshake begins with (RFC 8446, section 5.1). */
const TLS_HANDSHAKE = 0x16;

/**
 * After how many milliseconds of silence the system asks whether the other end of a connection is still there. Nothing else
 * finds out that the caller of a quiet stream over HTTP/1.1 has vanished.
 */
const KEEP_ALIVE_DELAY = 60_000;

/** What is said to those who speak HTTP in cleartext where TLS is spoken. */
const ASK_FOR_HTTPS = "This port speaks TLS: ask for https://";
const NOT_TLS = [
  "HTTP/1.1 400 Bad Request",
  "content-type: text/plain; charset=utf-8",
  `content-length: ${ASK_FOR_HTTPS.length}`,
  "connection: close",
  "",
  ASK_FOR_HTTPS,
].join("\r\n");

/** Where a shared port hands its connections to. */
export interface SharedPortOptions {
  /** Whether a connection is taken; one that is not has been closed. */
  readonly admit: (socket: Socket) => boolean;
  readonly http1: (socket: Socket) => void;
  readonly http2: (socket: Socket) => void;
  /** Where it is given, the port speaks TLS alone: this takes all connections that begin so. */
  readonly tls?: ((socket: Socket) => void) | undefined;
}

/** What a connection speaks, as far as its first octets tell; undefined as long as they do not. */
type Protocol = "http1" | "http2" | "tls" | undefined;

/**
 * Makes a TCP server for HTTP/1.1 and HTTP/2 with prior knowledge on one port, in cleartext or over TLS: it looks at the
 * first octets of a connection and hands it over with all that came, so that it can be read from its start. Whoever has it
 * listen must look for errors until it does.
 */
export function createSharedPort({ admit, http1, http2, tls }: SharedPortOptions): Server {
  const options = {
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_DELAY,
  };
  const server = createServer(options, (socket) => {
    // Whoever gets it has no error listener on the socket yet.
    const onError = () => socket.destroy();
    socket.on("error", onError);
    if (!admit(socket)) {
      return;
    }
    const onEnd = () => socket.end();
    let first: Buffer = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      first = first.length === 0 ? chunk : Buffer.concat([first, chunk]);
      const protocol = protocolOf(first);
      if (protocol === undefined) {
        return;
      }
      socket.off("data", onData);
      socket.off("end", onEnd);
      if ((protocol === "tls") !== (tls !== undefined)) {
        refuse(socket, first, protocol);
        return;
      }
      socket.off("error", onError);
      handOver(socket, first, protocol);
    };
    socket.on("data", onData);
    socket.once("end", onEnd);
  });
  // What the system cannot hand over, for want of memory or the like, its caller hears of; it must not end the process.
  server.on("error", () => {});
  return server;

  function handOver(socket: Socket, first: Buffer, protocol: "http1" | "http2" | "tls"): void {
    socket.pause();
    socket.unshift(first);
    if (protocol === "tls") {
      tls?.(socket);
    } else if (protocol === "http2") {
      // An HTTP/2 session takes what is buffered by itself.
      http2(socket);
    } else {
      http1(socket);
      socket.resume();
    }
  }

  function refuse(socket: Socket, first: Buffer, protocol: Protocol): void {
    if (protocol === "tls") {
      // What speaks TLS to a cleartext port gets node:http's answer to what is no HTTP.
      handOver(socket, first, "http1");
    } else {
      // A connection that is destroyed with something unread loses what was written to it last.
      socket.resume().end(NOT_TLS);
    }
  }
}

function protocolOf(first: Buffer): Protocol {
  if (first[0] === TLS_HANDSHAKE) {
    return "tls";
  }
  const compared = Math.min(first.length, PREFACE_START.length);
  if (!first.subarray(0, compared).equals(PREFACE_START.subarray(0, compared))) {
    return "http1";
  }
  return compared === PREFACE_START.length ? "http2" : undefined;
}
