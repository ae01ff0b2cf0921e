import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionRequestOptions,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import type { UpstreamTls } from "./upstream.js";

/** The time in which a connection must open, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;
/** The interval of checks, the silence before the first PING, and the time for its answer, in milliseconds. */
const CHECK_INTERVAL = 5_000;
const SILENCE = 20_000;
const PING_TIMEOUT = 10_000;
/**
 * The interval of further PINGs while the upstream sends nothing. Servers close connections with PINGs more often than every five minutes.
 * https://github.com/grpc/proposal/blob/master/A8-client-side-keepalive.md
 */
const PING_INTERVAL = 310_000;
/** The window of a connection for the data of all its responses, in bytes. */
const WINDOW = 4 * 1024 * 1024;
/** The maximum memory of a connection in megabytes, by which node:http2 limits the number of calls. */
const MAX_SESSION_MEMORY = 128;

/** The HTTP/2 connection to an upstream, as the transport of connect-node uses it. */
export interface Connection {
  readonly authority: string;
  request(
    method: string,
    path: string,
    headers: OutgoingHttpHeaders,
    options: Omit<ClientSessionRequestOptions, "signal">,
  ): Promise<ClientHttp2Stream>;
  notifyResponseByteRead(stream: ClientHttp2Stream): void;
  /** Closes the connection, and the calls in progress. */
  close(): void;
}

/** A connection that is open, and when it was last known to be alive. */
interface Session {
  readonly http2: ClientHttp2Session;
  aliveAt: number;
  pingedAt: number;
  calls: number;
}

/**
 * Creates the connection to an upstream. It opens with the first call, and again after it has closed. After a GOAWAY it keeps its calls, and
 * the next call opens another. In place of connect-node's manager, which throws uncaught errors for some sequences of GOAWAY, and under
 * which a call without a response never ends if its connection closes without an error.
 */
export function createConnection(authority: string, tls: UpstreamTls): Connection {
  const open = new Set<ClientHttp2Session>();
  const sessions = new WeakMap<ClientHttp2Session, Session>();
  let current: Promise<Session> | undefined;

  function openSession(): Promise<Session> {
    const opening = new Promise<Session>((resolve, reject) => {
      const http2 = connect(authority, {
        ...(authority.startsWith("https:") ? tls : {}),
        maxSessionMemory: MAX_SESSION_MEMORY,
        settings: { enablePush: false },
      });
      const session: Session = { http2, aliveAt: performance.now(), pingedAt: 0, calls: 0 };
      open.add(http2);
      sessions.set(http2, session);
      const deadline = setTimeout(() => http2.destroy(new Error("timeout")), CONNECT_TIMEOUT);
      const checks = setInterval(() => check(session), CHECK_INTERVAL).unref();
      http2.once("connect", () => {
        clearTimeout(deadline);
        http2.setLocalWindowSize(WINDOW);
        session.aliveAt = performance.now();
        resolve(session);
      });
      // Stays for the whole life of the connection: an error without a listener would end the process.
      http2.on("error", (error) => {
        forget();
        reject(unavailable(`cannot connect to ${authority}`, error));
      });
      http2.on("goaway", () => forget());
      http2.once("close", () => {
        clearTimeout(deadline);
        clearInterval(checks);
        open.delete(http2);
        forget();
        reject(unavailable(`cannot connect to ${authority}`));
      });
    });
    const forget = (): void => {
      if (current === opening) {
        current = undefined;
      }
    };
    return opening;
  }

  return {
    authority,
    request: async (method, path, headers, options) => {
      // A connection can close between two steps of this function; the next one is new.
      for (let tries = 0; ; tries++) {
        current ??= openSession();
        const attempt = current;
        const session = await attempt;
        const { http2 } = session;
        if (!http2.closed && !http2.destroyed) {
          const stream = http2.request({ ...headers, ":method": method, ":path": path }, options);
          watchStream(session, stream);
          return stream;
        }
        if (current === attempt) {
          current = undefined;
        }
        if (tries > 1) {
          throw unavailable("the connection has closed");
        }
      }
    },
    notifyResponseByteRead: ({ session }) => {
      const known = session && sessions.get(session as ClientHttp2Session);
      if (known !== undefined) {
        known.aliveAt = performance.now();
      }
    },
    close: () => {
      for (const http2 of open) {
        http2.destroy();
      }
    },
  };
}

function watchStream(session: Session, stream: ClientHttp2Stream): void {
  let hasResponse = false;
  session.calls += 1;
  stream.once("response", () => {
    hasResponse = true;
    session.aliveAt = performance.now();
  });
  stream.on("error", () => {});
  stream.once("close", () => {
    session.calls -= 1;
    if (!hasResponse && stream.rstCode === constants.NGHTTP2_NO_ERROR) {
      // The connection has closed. The transport learns nothing from node:http2.
      stream.emit("error", unavailable("the connection has closed"));
    }
  });
}

/** Sends a PING if calls wait and the upstream is silent. */
function check(session: Session): void {
  const { http2, aliveAt, pingedAt, calls } = session;
  const now = performance.now();
  const isDue = pingedAt < aliveAt ? now - aliveAt >= SILENCE : now - pingedAt >= PING_INTERVAL;
  if (calls === 0 || !isDue || http2.connecting || http2.destroyed) {
    return;
  }
  session.pingedAt = now;
  const timeout = setTimeout(() => http2.destroy(new Error("no answer to a PING")), PING_TIMEOUT);
  http2.ping((error) => {
    if (error === null) {
      clearTimeout(timeout);
    }
  });
  http2.once("close", () => clearTimeout(timeout));
}

function unavailable(message: string, cause?: unknown): ConnectError {
  return new ConnectError(message, Code.Unavailable, undefined, undefined, cause);
}
