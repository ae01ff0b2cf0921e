import type { Server as HttpServer } from "node:http";
import type { Http2Server } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";

/** The first octets of the HTTP/2 connection preface (RFC 9113, section 3.4); no HTTP/1.1 method begins so. */
const PREFACE_START = Buffer.from("PRI");

/** The servers that a shared port hands its connections to. They do not listen themselves. */
export interface SharedPortOptions {
  readonly http1: HttpServer;
  readonly http2: Http2Server;
  /** Milliseconds that a new connection may stay silent for. */
  readonly silenceTimeout: number;
}

/**
 * Makes a TCP server that serves HTTP/1.1 and HTTP/2 in cleartext with prior knowledge on one port: it looks at the
 * first three octets of a connection and hands it to one of two servers.
 */
export function createSharedPort({ http1, http2, silenceTimeout }: SharedPortOptions): Server {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    // Neither server has its own error listener on the socket yet.
    const onError = () => socket.destroy();
    const timer = setTimeout(() => socket.destroy(), silenceTimeout);
    let first: Buffer = Buffer.alloc(0);

    const stopLooking = (): void => {
      clearTimeout(timer);
      socket.off("data", onData);
      socket.off("end", onEnd);
      socket.off("error", onError);
      socket.off("close", stopLooking);
    };
    const onEnd = () => socket.end();
    const onData = (chunk: Buffer): void => {
      first = first.length === 0 ? chunk : Buffer.concat([first, chunk]);
      const compared = Math.min(first.length, PREFACE_START.length);
      const mayBeHttp2 = first.subarray(0, compared).equals(PREFACE_START.subarray(0, compared));
      if (mayBeHttp2 && compared < PREFACE_START.length) {
        return;
      }
      stopLooking();
      handOver(socket, first, mayBeHttp2);
    };
    socket.on("data", onData);
    socket.once("end", onEnd);
    socket.on("error", onError);
    socket.once("close", stopLooking);
  });

  function handOver(socket: Socket, first: Buffer, isHttp2: boolean): void {
    socket.pause();
    socket.unshift(first);
    if (isHttp2) {
      // A caller that closes its half has gone: HTTP/2 has END_STREAM for what HTTP/1.1 may do so, and a session would
      // not notice.
      socket.allowHalfOpen = false;
      // An HTTP/2 session takes what is buffered by itself.
      http2.emit("connection", socket);
    } else {
      http1.emit("connection", socket);
      socket.resume();
    }
  }

  // node:http starts to enforce headersTimeout and requestTimeout when it hears that it listens.
  server.on("listening", () => http1.emit("listening"));
  return server;
}
