import type { ConnectError } from "@connectrpc/connect";
import { ClientConnection, encodePseudoHeaders } from "@utility-tools/http-server/client";
import { problemText } from "../errors.js";
import { openSocket, type UpstreamTls } from "./socket.js";
import { notBegun } from "./unavailable.js";
import { type UpstreamSession, type WaitingCall, WaitingCalls } from "./waiting-calls.js";

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
/**
 * The maximum number of connections that take calls, to an upstream that limits the calls on each. Further calls wait until others have
 * ended. A connection after a GOAWAY does not count: it closes with its last call.
 */
const MAX_SESSIONS = 16;
/** The time after which the same problem is logged again, in milliseconds. */
const REPORT_INTERVAL = 60_000;
/** The maximum number of paths whose encoded form is kept. */
const MAX_PATHS = 1_000;

/** The HTTP/2 connections to an upstream. */
export interface UpstreamConnections {
  /** The connection for the next call; undefined if the call must wait. */
  session(): UpstreamSession | undefined;
  /** The encoded pseudo-headers of a method's calls. */
  pseudoHeaders(path: string): Uint8Array;
  /**
   * Calls back with a connection as soon as there is one. Until then, connections are tried again and again.
   *
   * @param timeout the longest wait in milliseconds; with 0, the call fails with the next attempt
   */
  wait(call: WaitingCall, timeout: number): void;
  /** Counts bytes that a waiting call has written. Returns false if there are too many. */
  hold(call: WaitingCall, bytes: number): boolean;
  forget(call: WaitingCall): void;
  /** Closes the connections, and the calls in progress. */
  close(): void;
}

/**
 * Creates the connections to an upstream. One opens with the first call, and again after it has closed; another one if the upstream allows
 * no more calls on those that are open. After a GOAWAY a connection keeps its calls, and gets no others.
 *
 * @param log called with the reasons why connections fail, which errors do not have: clients must not know the address of the upstream
 */
export function createUpstreamConnections(
  url: string,
  tls: UpstreamTls,
  log: (line: string) => void = () => {},
): UpstreamConnections {
  const { origin, host, protocol } = new URL(url);
  const all = new Set<ClientConnection>();
  /** Those that take calls. */
  const ready: UpstreamSession[] = [];
  const waiting = new WaitingCalls();
  const paths = new Map<string, Uint8Array>();
  let isOpening = false;
  let isClosed = false;
  let failures = 0;
  let reported = "";
  let reportedAt = 0;

  const problem = (): ConnectError =>
    ready.length > 0
      ? notBegun("the upstream server allows no more calls at a time")
      : notBegun("the upstream server cannot be reached");

  /** Logs why a connection has failed; the same reason once a minute. */
  function report(line: string): void {
    const now = performance.now();
    if (!isClosed && (line !== reported || now - reportedAt > REPORT_INTERVAL)) {
      reported = line;
      reportedAt = now;
      log(line);
    }
  }

  function openSession(): void {
    isOpening = true;
    const session: UpstreamSession = {
      connection: new ClientConnection(openSocket(url, tls), {
        onReady: () => {
          clearTimeout(deadline);
          isOpening = false;
          failures = 0;
          session.aliveAt = performance.now();
          ready.push(session);
          serveWaiting();
        },
        onRoom: () => waiting.serve(nextSession),
        onRetire: () => {
          const index = ready.indexOf(session);
          if (index >= 0) {
            ready.splice(index, 1);
            openForWaiting();
          }
        },
        onClose: (thrown) => {
          clearTimeout(deadline);
          clearInterval(checks);
          all.delete(connection);
          const reason = thrown === undefined ? "the server has closed the connection" : problemText(thrown);
          if (connection.isReady) {
            if (thrown !== undefined) {
              report(`lost a connection to ${origin}: ${reason}`);
            }
          } else {
            report(`cannot connect to ${origin}: ${reason}`);
            isOpening = false;
            onFailure();
          }
        },
      }),
      aliveAt: performance.now(),
      pingedAt: 0,
    };
    const { connection } = session;
    all.add(connection);
    // Proxies accept connections without a server behind them.
    const deadline = setTimeout(() => connection.destroy(new Error("timeout")), CONNECT_TIMEOUT);
    const checks = setInterval(() => check(session), CHECK_INTERVAL).unref();
  }

  function nextSession(): UpstreamSession | undefined {
    return ready.find(({ connection }) => connection.hasRoom);
  }

  /** Opens another connection for calls that wait, if there can be more. */
  function openForWaiting(): void {
    if (waiting.size > 0 && !isOpening && !isClosed && ready.length < MAX_SESSIONS) {
      openSession();
    }
  }

  function serveWaiting(): void {
    waiting.serve(nextSession);
    openForWaiting();
  }

  function onFailure(): void {
    // An upstream that limits the number of its connections serves the calls later.
    if (ready.length === 0) {
      waiting.fail(problem(), "impatient");
    }
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

  function pseudoHeaders(path: string): Uint8Array {
    let encoded = paths.get(path);
    if (encoded === undefined) {
      encoded = encodePseudoHeaders({ method: "POST", scheme: protocol.slice(0, -1), authority: host, path });
      // Methods of descriptors that were replaced.
      if (paths.size >= MAX_PATHS) {
        paths.clear();
      }
      paths.set(path, encoded);
    }
    return encoded;
  }

  return {
    session: nextSession,
    pseudoHeaders,
    wait: (call, timeout) => {
      if (isClosed) {
        call.onNoSession(problem());
        return;
      }
      waiting.add(call, timeout, problem);
      openForWaiting();
    },
    hold: (call, bytes) => waiting.hold(call, bytes),
    forget: (call) => waiting.delete(call),
    close: () => {
      isClosed = true;
      waiting.fail(problem(), "all");
      for (const connection of all) {
        connection.destroy();
      }
    },
  };
}

/** Sends a PING if calls wait and the upstream is silent, and closes a connection without an answer to it. */
function check(session: UpstreamSession): void {
  const { connection, aliveAt, pingedAt } = session;
  const now = performance.now();
  if (pingedAt > connection.receivedAt) {
    if (now - pingedAt >= PING_TIMEOUT) {
      connection.destroy(new Error("no answer to a PING"));
    }
    return;
  }
  const isDue = pingedAt < aliveAt ? now - aliveAt >= SILENCE : now - pingedAt >= PING_INTERVAL;
  if (connection.open > 0 && isDue) {
    session.pingedAt = now;
    connection.ping();
  }
}
