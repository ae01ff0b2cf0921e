import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { type Http2Times, Http2Watch } from "./http2-watch.js";
import { sendShutdownNotice } from "./shutdown-notice.js";

/** The HTTP/2 connections of a port. */
export interface Http2Watches {
  /** Looks after a new one. `socket` is that of the system. */
  add(session: ServerHttp2Session, socket: Socket): Http2Watch;
  /** One of them has a stream. */
  onStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void;
  /** Tells callers to send no more, and still takes what they send. Not where TLS is spoken. */
  announceEnd(): void;
  /** Takes no more streams, and ends each connection once the last of its streams has ended. */
  end(): void;
}

/** Makes what looks after HTTP/2 connections. */
export function createHttp2Watches(times: Http2Times): Http2Watches {
  const sessions = new Map<ServerHttp2Session, { readonly watch: Http2Watch; readonly socket: Socket }>();
  let isEnding = false;

  return {
    add: (session, socket) => {
      const watch = new Http2Watch(session, socket, times);
      sessions.set(session, { watch, socket });
      session.once("close", () => sessions.delete(session));
      if (isEnding) {
        session.close();
      }
      return watch;
    },
    onStream: (stream, headers) => {
      const session: unknown = stream.session;
      sessions.get(session as ServerHttp2Session)?.watch.onStream(stream, headers);
    },
    announceEnd: () => {
      for (const { watch, socket } of sessions.values()) {
        if (watch.isReady) {
          sendShutdownNotice(socket);
        }
      }
    },
    end: () => {
      isEnding = true;
      for (const session of sessions.keys()) {
        session.close();
      }
    },
  };
}
