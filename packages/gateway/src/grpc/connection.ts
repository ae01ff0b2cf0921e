import { type ClientHttp2Session, connect } from "node:http2";
import type { ConnectError } from "@connectrpc/connect";
import { notBegun } from "./unavailable.js";
import { type WaitingCall, WaitingCalls } from "./waiting-calls.js";

/** Certificates for TLS to upstreams, in PEM. */
export interface UpstreamTls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** The time in which a connection must open, in milliseconds. */
const CONNECT_TIMEOUT = 10_000;
/** The pauses between attempts to connect while calls wait: the first, which doubles, and the longest, in milliseconds. */
const FIRST_PAUSE = 20;
const MAX_PAUSE = 500;
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
  /** The last call that the upstream processes, by the ID of its stream, after a GOAWAY. */
  lastCall: number;
}

/** The HTTP/2 connections to an upstream. */
export interface UpstreamConnections {
  /** The connection for the next call; undefined if the call must wait. */
  session(): UpstreamSession | undefined;
  /**
   * Calls back with a connection as soon as there is one. Until then, connections are tried again and again.
   *
   * @param timeout the longest wait in milliseconds; with 0, the call fails with the next attempt
   */
  wait(call: WaitingCall, timeout: number): void;
  /** Counts bytes that a waiting call has written. Returns false if there are too many. */
  hold(call: WaitingCall, bytes: number): boolean;
  /** Removes a waiting call. */
  forget(call: WaitingCall): void;
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
  const waiting = new WaitingCalls();
  let isOpening = false;
  let isClosed = false;
  let failures = 0;
  let lastProblem: unknown;

  const problem = (): ConnectError => notBegun(`cannot connect to ${authority}`, lastProblem);

  function openSession(): void {
    isOpening = true;
    const http2 = connect(authority, {
      ...(authority.startsWith("https:") ? tls : {}),
      maxSessionMemory: MAX_SESSION_MEMORY,
      settings: { enablePush: false },
    });
    const session: UpstreamSession = {
      http2,
      aliveAt: performance.now(),
      pingedAt: 0,
      calls: 0,
      lastCall: Number.POSITIVE_INFINITY,
    };
    all.add(http2);
    let isPending = true;
    const deadline = setTimeout(() => http2.destroy(new Error("timeout")), CONNECT_TIMEOUT);
    const checks = setInterval(() => check(session), CHECK_INTERVAL).unref();
    const retire = (): void => {
      const index = ready.indexOf(session);
      if (index >= 0) {
        ready.splice(index, 1);
      }
    };
    http2.once("connect", () => http2.setLocalWindowSize(WINDOW));
    // Proxies accept connections without a server behind them. The first frame of a server is SETTINGS.
    http2.once("remoteSettings", () => {
      clearTimeout(deadline);
      isPending = false;
      isOpening = false;
      failures = 0;
      session.aliveAt = performance.now();
      ready.push(session);
      serveWaiting();
    });
    // Stays for the whole life of the connection: an error without a listener would end the process.
    http2.on("error", (error) => {
      lastProblem = error;
      retire();
    });
    http2.on("goaway", (_code, lastCall) => {
      session.lastCall = lastCall;
      retire();
    });
    http2.once("close", () => {
      clearTimeout(deadline);
      clearInterval(checks);
      all.delete(http2);
      retire();
      if (isPending) {
        isOpening = false;
        onFailure();
      }
    });
  }

  /** Gives connections to the calls that wait, and opens another one for the rest. */
  function serveWaiting(): void {
    waiting.serve(session);
    if (waiting.size > 0 && !isOpening && !isClosed) {
      openSession();
    }
  }

  function onFailure(): void {
    // The upstream can limit the number of its connections.
    waiting.serve(leastLoaded);
    waiting.fail(problem(), "impatient");
    if (waiting.size === 0 || isClosed) {
      failures = 0;
      return;
    }
    isOpening = true;
    const pause = Math.min(FIRST_PAUSE * 2 ** failures, MAX_PAUSE);
    failures += 1;
    setTimeout(() => {
      isOpening = false;
      serveWaiting();
    }, pause);
  }

  function session(): UpstreamSession | undefined {
    const free = ready.find(hasRoom);
    return free === undefined && all.size >= MAX_SESSIONS ? leastLoaded() : free;
  }

  function leastLoaded(): UpstreamSession | undefined {
    const open = ready.filter(isOpen);
    return open.length === 0
      ? undefined
      : open.reduce((first, second) => (second.calls < first.calls ? second : first));
  }

  return {
    session,
    wait: (call, timeout) => {
      if (isClosed) {
        call.onNoSession(problem());
        return;
      }
      waiting.add(call, timeout, problem);
      if (waiting.size > 0 && !isOpening) {
        openSession();
      }
    },
    hold: (call, bytes) => waiting.hold(call, bytes),
    forget: (call) => waiting.delete(call),
    close: () => {
      isClosed = true;
      waiting.fail(problem(), "all");
      for (const http2 of all) {
        http2.destroy();
      }
    },
  };
}

/** Whether a connection takes calls. */
export function isOpen({ http2 }: UpstreamSession): boolean {
  return !http2.closed && !http2.destroyed;
}

function hasRoom(session: UpstreamSession): boolean {
  const { maxConcurrentStreams = Number.POSITIVE_INFINITY } = session.http2.remoteSettings;
  return isOpen(session) && session.calls < maxConcurrentStreams;
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
