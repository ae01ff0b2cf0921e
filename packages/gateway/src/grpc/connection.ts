import { type ClientHttp2Session, connect } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";

/** Certificates for TLS to upstreams, in PEM. */
export interface UpstreamTls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

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

/** The maximum number of connections to an upstream that limits the calls on each. Further calls wait in node:http2. */
const MAX_SESSIONS = 16;

/** An HTTP/2 connection, and when it was last known to be alive. */
export interface UpstreamSession {
  readonly http2: ClientHttp2Session;
  aliveAt: number;
  pingedAt: number;
  /** The calls in progress. */
  calls: number;
}

/** The HTTP/2 connections to an upstream. */
export interface UpstreamConnections {
  readonly authority: string;
  /** The connection for the next call. A promise, which can reject with a ConnectError, while it opens. */
  session(): UpstreamSession | Promise<UpstreamSession>;
  /** Closes the connections, and the calls in progress. */
  close(): void;
}

/**
 * Creates the connections to an upstream. One opens with the first call, and again after it has closed; another one if the upstream allows
 * no more calls on those that are open. After a GOAWAY a connection keeps its calls, and gets no others.
 */
export function createUpstreamConnections(authority: string, tls: UpstreamTls): UpstreamConnections {
  const all = new Set<ClientHttp2Session>();
  /** Those that take calls. */
  const ready: UpstreamSession[] = [];
  let opening: Promise<UpstreamSession> | undefined;

  function openSession(): Promise<UpstreamSession> {
    const promise = new Promise<UpstreamSession>((resolve, reject) => {
      const http2 = connect(authority, {
        ...(authority.startsWith("https:") ? tls : {}),
        maxSessionMemory: MAX_SESSION_MEMORY,
        settings: { enablePush: false },
      });
      const session: UpstreamSession = { http2, aliveAt: performance.now(), pingedAt: 0, calls: 0 };
      all.add(http2);
      const deadline = setTimeout(() => http2.destroy(new Error("timeout")), CONNECT_TIMEOUT);
      const checks = setInterval(() => check(session), CHECK_INTERVAL).unref();
      const retire = (): void => {
        const index = ready.indexOf(session);
        if (index >= 0) {
          ready.splice(index, 1);
        }
      };
      http2.once("connect", () => {
        clearTimeout(deadline);
        http2.setLocalWindowSize(WINDOW);
        session.aliveAt = performance.now();
        ready.push(session);
        resolve(session);
      });
      // Stays for the whole life of the connection: an error without a listener would end the process.
      http2.on("error", (error) => {
        retire();
        reject(unavailable(`cannot connect to ${authority}`, error));
      });
      http2.on("goaway", retire);
      http2.once("close", () => {
        clearTimeout(deadline);
        clearInterval(checks);
        all.delete(http2);
        retire();
        reject(unavailable(`cannot connect to ${authority}`));
      });
    });
    const forget = (): void => {
      opening = undefined;
    };
    promise.then(forget, forget);
    return promise;
  }

  return {
    authority,
    session: () => {
      for (const session of ready) {
        if (hasRoom(session)) {
          return session;
        }
      }
      if (all.size < MAX_SESSIONS || ready.length === 0) {
        opening ??= openSession();
        return opening;
      }
      return ready.reduce((first, second) => (second.calls < first.calls ? second : first));
    },
    close: () => {
      for (const http2 of all) {
        http2.destroy();
      }
    },
  };
}

function hasRoom({ http2, calls }: UpstreamSession): boolean {
  return (
    !http2.closed &&
    !http2.destroyed &&
    calls < (http2.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY)
  );
}

/** Sends a PING if calls wait and the upstream is silent. */
function check(session: UpstreamSession): void {
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

/** The error of a call whose upstream cannot be reached. */
export function unavailable(message: string, cause?: unknown): ConnectError {
  return new ConnectError(message, Code.Unavailable, undefined, undefined, cause);
}
