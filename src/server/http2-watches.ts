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
  /**
   * Takes leave, a step each time that it is called: tells callers who have not heard it yet to send no more, and goes on
   * to take what they send; of those who were told so `linger` milliseconds ago it takes no more streams, and their
   * connections end with the last one. The time is in milliseconds.
   */
  takeLeave(now: number, linger: number): void;
}

/** One of them. */
interface Session {
  readonly watch: Http2Watch;
  readonly socket: Socket;
  /** When it was first to be told that the server stops, and when it was. */
  leaveSince: number | undefined;
  toldAt: number | undefined;
}

/** Makes what looks after HTTP/2 connections. Over TLS callers cannot be told beforehand that the server stops. */
export function createHttp2Watches(times: Http2Times, isTls: boolean): Http2Watches {
  const sessions = new Map<ServerHttp2Session, Session>();

  function takeLeaveOf(session: ServerHttp2Session, state: Session, now: number, linger: number): void {
    state.leaveSince ??= now;
    if (state.toldAt === undefined && !isTls && state.watch.isReady && sendShutdownNotice(state.socket)) {
      state.toldAt = now;
    }
    // Who cannot be told, for it does not read, is not waited for any longer than that.
    if (now - (state.toldAt ?? state.leaveSince) >= linger && !session.closed) {
      session.close();
    }
  }

  return {
    add: (session, socket) => {
      const watch = new Http2Watch(session, socket, times);
      sessions.set(session, { watch, socket, leaveSince: undefined, toldAt: undefined });
      session.once("close", () => sessions.delete(session));
      return watch;
    },
    onStream: (stream, headers) => {
      const session: unknown = stream.session;
      sessions.get(session as ServerHttp2Session)?.watch.onStream(stream, headers);
    },
    takeLeave: (now, linger) => {
      for (const [session, state] of sessions) {
        takeLeaveOf(session, state, now, linger);
      }
    },
  };
}
